package request_test

import (
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/ui"
)

func TestDeviceOf(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]request.Device{
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1": {ui.DevicePhone, "Safari", "iPhone"},
		"Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/120.0 Mobile/15E148 Safari/604.1":           {ui.DeviceTablet, "Chrome", "iPad"},
		"Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36":                   {ui.DevicePhone, "Chrome", "Android"},
		"Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Safari/537.36":      {ui.DeviceTablet, "Samsung Internet", "Android"},
		"Mozilla/5.0 (Android 14; Tablet; rv:127.0) Gecko/127.0 Firefox/127.0":                                                                    {ui.DeviceTablet, "Firefox", "Android"},
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0":           {ui.DeviceComputer, "Edge", "Windows"},
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15":                   {ui.DeviceComputer, "Safari", "macOS"},
		"Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0":                                                                  {ui.DeviceComputer, "Firefox", "Linux"},
		"": {ui.DeviceComputer, "", ""},
	} {
		if got := request.DeviceOf(agent); got != want {
			t.Errorf("%s: %+v", agent, got)
		}
	}
}
