package provider

import (
	"net/http"
)

// FailedRequest is a request of an application that ended on an error page.
type FailedRequest struct {
	// Request is the browser's request.
	Request *http.Request

	// ClientID is the application's ID, and RequestID the one that the page shows.
	ClientID, RequestID string
}

// LinkErrors sets the link on error pages of applications' requests that leads their
// developers to details: f returns its address, or "" for no link. f is called while the
// page is rendered, within the time limit of the request, and checks itself who is signed
// in (SignedIn). The last f replaces earlier ones.
func (p Pages) LinkErrors(f func(FailedRequest) string) { p.errorLink.Store(&f) }

// linkError returns the address of the link on an error page, or "".
func (p Pages) linkError(r *http.Request, clientID, requestID string) string {
	f := p.errorLink.Load()
	if f == nil || clientID == "" {
		return ""
	}
	return (*f)(FailedRequest{r, clientID, requestID})
}

// LinkVerification sets the link of the account page that leads to where people see and
// start their verifications: a path of the host. The last one replaces earlier ones.
func (p Pages) LinkVerification(path string) { p.verifyLink.Store(&path) }

// verificationLink returns the link of LinkVerification, or "".
func (p *rooms) verificationLink() string {
	if path := p.verifyLink.Load(); path != nil {
		return *path
	}
	return ""
}

// SignedIn returns the user who is signed in on a request of a browser, to this provider or
// to another handler at the same host; zero for nobody.
func (p Pages) SignedIn(r *http.Request) (SignedIn, error) {
	user, err := p.flows.SignedIn(r)
	if user == nil || err != nil {
		return SignedIn{}, err
	}
	return SignedIn(user.User), nil
}
