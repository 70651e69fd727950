package storage

import (
	"context"
	"time"
)

// DeviceState is what has become of the request of a device.
type DeviceState uint8

// The states of a request. The last two are final.
const (
	DevicePending DeviceState = 1
	DeviceAllowed DeviceState = 2
	DeviceDenied  DeviceState = 3
)

// DeviceCode is the request of a device for tokens of a user who decides about it in a browser
// (RFC 8628), valid until it expires. The offers of credentials to any wallet are kept as two of these:
// one that a wallet decides by fetching it, and one that the user allows.
type DeviceCode struct {
	// Digest identifies the device code. It is the flow of the grant that the user allows,
	// and identifies the token that the device exchanges.
	Digest Digest

	// UserCode identifies the code that the user enters.
	UserCode Digest

	ClientID  string
	Scopes    []string
	Resources []string

	// JKT is the thumbprint of the key to which the device code is bound (RFC 9449), or zero.
	JKT Digest

	// Address is the network of the device, or empty.
	Address string

	State     DeviceState
	CreatedAt time.Time
	ExpiresAt time.Time
}

// DeviceCodeID names a request by its device code, or else by its user code.
type DeviceCodeID struct{ Digest, UserCode Digest }

// DeviceCodes stores the requests of devices.
type DeviceCodes interface {
	// SaveDeviceCode records a request, which is pending whatever its State says.
	// ErrConflict if one of its codes exists, ErrNotFound if the client does not.
	SaveDeviceCode(ctx context.Context, c DeviceCode) error

	// DeviceCode returns a request by one of its codes, expired ones included.
	DeviceCode(ctx context.Context, by DeviceCodeID) (DeviceCode, error)

	// AllowDeviceCode makes a pending request allowed, and records its grant with the token
	// that the device exchanges, all or nothing, if the basis of the grant holds, as
	// CreateGrant does. Of any number of decisions about one request exactly one succeeds;
	// the others get ErrSpent. ErrNotFound if there is none, or it has expired at
	// g.CreatedAt; ErrEnded if the basis does not hold, or the account is disabled.
	AllowDeviceCode(ctx context.Context, digest Digest, g Grant, on Basis, issued Token) error

	// DenyDeviceCode makes a pending request denied, by a subject who is signed in by this
	// session; a zero session is no condition, and no subject is nobody in particular. The errors
	// are those of AllowDeviceCode.
	DenyDeviceCode(ctx context.Context, digest Digest, subject string, session Digest, at time.Time) error
}
