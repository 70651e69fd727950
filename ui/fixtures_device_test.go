package ui

import (
	"time"

	"github.com/a-h/templ"
)

// deviceOf is the request of a device.
func deviceOf(p Page) DeviceConfirmView {
	p.Client = Client{Name: "Living Room", Logo: Picture{URL: "sample/client.svg"}, PolicyURL: "https://tv.example/privacy"}
	v := consentOf(p)
	v.Groups, v.Offline = nil, true
	return DeviceConfirmView{ConsentView: v, Code: "WDJB-MJHT"}
}

var deviceFixtures = []fixture{
	{"device", func(p Page) templ.Component { return Device(DeviceView{Page: accountPage(p.Locale), Form: sampleForm}) }},
	{"device-brought", func(p Page) templ.Component {
		return Device(DeviceView{Page: accountPage(p.Locale), Form: sampleForm, Code: "WDJB-MJHT"})
	}},
	{"device-wrong", func(p Page) templ.Component {
		return Device(DeviceView{Page: accountPage(p.Locale), Form: with(Problem{Code: DeviceCodeWrong}), Code: "WDJB-MJHT"})
	}},
	{"device-missing", func(p Page) templ.Component {
		return Device(DeviceView{Page: accountPage(p.Locale), Form: with(Problem{Code: DeviceCodeMissing})})
	}},
	{"device-throttled", func(p Page) templ.Component {
		return Device(DeviceView{Page: accountPage(p.Locale), Form: with(Problem{Code: TooManyAttempts, Count: 2}), Code: "WDJB-MJHT"})
	}},
	{"device-elsewhere", func(p Page) templ.Component {
		return Device(DeviceView{Page: accountPage(p.Locale), Form: with(Problem{Code: DeviceElsewhere})})
	}},
	{"device-confirm", func(p Page) templ.Component { return DeviceConfirm(deviceOf(p)) }},
	{"device-confirm-near", func(p Page) templ.Component {
		v := deviceOf(p)
		v.Near, v.Attributes, v.Offline = true, nil, false
		return DeviceConfirm(v)
	}},
	{"device-confirm-hostile", func(p Page) templ.Component {
		v := deviceOf(p)
		v.Client.Name, v.Client.Unreviewed = hostileName, true
		v.Resources = []ConsentResource{{Name: hostileName, Host: "mcp.example.com"}}
		return DeviceConfirm(v)
	}},
	{"device-app", func(p Page) templ.Component {
		a := App{Client: deviceOf(p).Client, OnDevice: true, Since: date(2026, time.January, 5), RemoveURL: "/account/apps/remove?client_id=tv"}
		return Apps(AppsView{Page: accountPage(p.Locale), Apps: []App{a}, AccountURL: "/account"})
	}},
	{"device-app-remove", func(p Page) templ.Component {
		a := App{Client: deviceOf(p).Client, OnDevice: true}
		return RemoveApp(RemoveAppView{Page: accountPage(p.Locale), Form: sampleForm, App: a, CancelURL: "/account/apps"})
	}},
	{"device-allowed", func(p Page) templ.Component {
		return DeviceDone(DeviceDoneView{Page: deviceOf(p).Page, End: DeviceAllowed, AppsURL: "/account/apps", AccountURL: "/account"})
	}},
	{"device-denied", func(p Page) templ.Component {
		return DeviceDone(DeviceDoneView{Page: deviceOf(p).Page, End: DeviceDenied, AccountURL: "/account"})
	}},
	{"device-reported", func(p Page) templ.Component {
		return DeviceDone(DeviceDoneView{Page: deviceOf(p).Page, End: DeviceReported, AccountURL: "/account"})
	}},
}
