package request

import (
	"strings"

	"github.com/bonafide-id/bonafide/ui"
)

// Device is what a User-Agent header says, well enough for people to recognize their own
// browsers. Nothing is decided by it. Browser and System are empty if unknown.
type Device struct {
	Kind            ui.DeviceKind
	Browser, System string
}

// DeviceOf reads a header.
func DeviceOf(header string) Device {
	return Device{kindOf(header), firstOf(browsers, header), firstOf(systems, header)}
}

// The order matters: browsers also name those that they resemble.
var (
	browsers = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"DuckDuckGo", "DuckDuckGo"}, {"Vivaldi", "Vivaldi"},
		{"Firefox/", "Firefox"}, {"FxiOS", "Firefox"}, {"CriOS", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"},
		{"Macintosh", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"},
	}
)

func firstOf(names [][2]string, userAgent string) string {
	for _, n := range names {
		if strings.Contains(userAgent, n[0]) {
			return n[1]
		}
	}
	return ""
}

// kindOf tells phones and tablets from all others, by the words that all their browsers
// use: an Android without Mobile is a tablet.
func kindOf(userAgent string) ui.DeviceKind {
	has := func(word string) bool { return strings.Contains(userAgent, word) }
	switch {
	case has("iPad"), has("Tablet"), has("Android") && !has("Mobile"):
		return ui.DeviceTablet
	case has("iPhone"), has("iPod"), has("Mobile"), has("Mobi/"):
		return ui.DevicePhone
	default:
		return ui.DeviceComputer
	}
}
