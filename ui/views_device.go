package ui

// DeviceView asks for the code that a device shows. It posts [FieldUserCode].
type DeviceView struct {
	Page
	Form
	// Code is the code that the address has brought along, or empty.
	Code string
}

// DeviceConfirmView asks whether a device may have what it requests. It posts [FieldAction] with
// [ActionDeny], [ActionReport] or [ActionAllow].
type DeviceConfirmView struct {
	// ConsentView is what the device would get, and of whom. Its actions and its Form are those
	// of this view.
	ConsentView
	// Code is what the device shows, for the user to compare.
	Code string
	// Near reports that the device is in the network of the user.
	Near bool
}

// DeviceEnd is what has become of the request of a device.
type DeviceEnd string

// The ends of a request.
const (
	DeviceAllowed  DeviceEnd = "allowed"
	DeviceDenied   DeviceEnd = "denied"
	DeviceReported DeviceEnd = "reported"
)

// DeviceDoneView says what has become of the request of a device. It posts nothing.
type DeviceDoneView struct {
	Page
	End DeviceEnd
	// AppsURL is the screen where the permission can be taken back, AccountURL the account.
	AppsURL, AccountURL string
}

// says returns what the screen says of an end.
func (v DeviceDoneView) says() (heading, text Message) {
	t := v.locale().text.DeviceDone
	switch v.End {
	case DeviceAllowed:
		return t.Allowed, t.AllowedText
	case DeviceReported:
		return t.Reported, t.ReportedText
	default:
		return t.Denied, t.DeniedText
	}
}
