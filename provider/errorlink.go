package provider

import (
	"net/http"
)

// FailedRequest is a request of an application that has ended on an error page.
type FailedRequest struct {
	// Request is that of the browser that is shown the page.
	Request *http.Request

	// ClientID is the application's, and RequestID what the page shows.
	ClientID, RequestID string
}

// LinkErrors has the error pages of requests of applications lead to where the people who
// build the application find out more: f returns that address, or "" for a browser that is
// to see none. f is called while the page is made, within the time of the request; it says
// itself who is signed in (SignedIn). The last f counts.
func (p Pages) LinkErrors(f func(FailedRequest) string) { p.errorLink.Store(&f) }

// linkError returns the address that an error page leads to, or "".
func (p Pages) linkError(r *http.Request, clientID, requestID string) string {
	f := p.errorLink.Load()
	if f == nil || clientID == "" {
		return ""
	}
	return (*f)(FailedRequest{r, clientID, requestID})
}

// SignedIn returns who is signed in on a request of a browser, of this provider or of
// another at the same host; zero for nobody.
func (p Pages) SignedIn(r *http.Request) (SignedIn, error) {
	user, err := p.flows.SignedIn(r)
	if user == nil || err != nil {
		return SignedIn{}, err
	}
	return SignedIn(user.User), nil
}
