package passkey

import (
	"encoding/hex"

	"github.com/bonafide-id/bonafide/provider/internal/request"
)

// names are what keeps passkeys, by AAGUID. They are names to begin with, never a ground to
// trust: without attestation an authenticator says what it likes.
var names = map[string]string{
	"08987058cadc4b81b6e130de50dcbe96": "Windows Hello",
	"0ea242b443c44a1b8b17dd6d0b6baec6": "Keeper",
	"50726f746f6e5061737350726f746f6e": "Proton Pass",
	"531126d6e717415c93203d9aa6981239": "Dashlane",
	"53414d53554e47000000000000000000": "Samsung Pass",
	"6028b017b1d44c02b4b3afcdafc96bb2": "Windows Hello",
	"771b48fdd3d44f749232fc157ab0507a": "Edge on Mac",
	"9ddd1817af5a4672a2b93e3dd95000a9": "Windows Hello",
	"adce000235bcc60a648b0b25f1f05503": "Chrome on Mac",
	"b53976664885aa6bcebfe52262a439a2": "Chromium",
	"b84e404815dc4dd08640f4f60813c8af": "NordPass",
	"bada5566a7aa401fbd9645619a55120d": "1Password",
	"d548826e79b4db40a3d811116f7e8349": "Bitwarden",
	"dd4ec289e01d41c9bb8970fa845d4bf2": "iCloud Keychain",
	"ea9b8d664d011d213ce4b6b48cb575d4": "Google Password Manager",
	"f38095407f1449c1a8b38f813b225541": "Enpass",
	"fbfc3007154e4ecc8c0b6e020557d7bd": "iCloud Keychain",
	"fdb141b25d84443e8a354698c205a502": "KeePassXC",
}

// Label returns a first name for a passkey: that of what keeps it, or of the browser and the
// system in which it was made. Empty if nothing is known.
func Label(aaguid [16]byte, userAgent string) string {
	if name := names[hex.EncodeToString(aaguid[:])]; name != "" {
		return name
	}
	d := request.DeviceOf(userAgent)
	switch {
	case d.Browser == "":
		return d.System
	case d.System == "":
		return d.Browser
	default:
		return d.Browser + " · " + d.System
	}
}
