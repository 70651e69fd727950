package openid

import (
	"net/url"
	"time"

	"github.com/bonafide-id/bonafide/provider/upstream"
)

// dialect is how an upstream differs from the standard. The zero value does not.
type dialect struct {
	// wrong is what is wrong with the options of the upstream.
	wrong error

	// named is what the configuration calls itself, if that is not Options.Issuer.
	named string

	// ask adds to the parameters of the authorization request.
	ask func(r upstream.Request, to url.Values)

	// secret returns the secret of a moment, instead of Options.Secret.
	secret func(now time.Time) (string, error)

	// issuer reports whether the iss of an ID token is the upstream's.
	issuer func(said claims) bool

	// names reports whether the iss of a response is the upstream's, where one configuration is
	// of many issuers. That of the ID token is then the same.
	names func(issuer string) bool

	// timeless means that the upstream does not say when somebody has authenticated, even if
	// it is asked to authenticate them now.
	timeless bool

	// judge corrects an identity that was read as the standard says. It returns an error to
	// refuse it. The values are the parameters of the response, which nobody has signed.
	judge func(who *upstream.Identity, said claims, values url.Values) error

	// whole means that an ID token has all that there is to know.
	whole bool
}
