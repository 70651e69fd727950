package verification

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/ui"
)

// returnParameter has the provider.Verification.ReturnTo on the way to a page of the service.
const returnParameter = "return_to"

// Verifiers returns a verifier for each group with a policy, for provider.Config.Verifiers.
// It sends people to the page of the service for the group, which has to be mounted.
func (p Policies) Verifiers() map[string]provider.Verifier {
	all := make(map[string]provider.Verifier, len(p))
	for _, policy := range p {
		all[policy.Group] = sendToCase
	}
	return all
}

// sendToCase returns the page at which a person begins or continues a case. That page reads
// from the return address whose flow it is (Pages.VerificationReturn): whoever forges this
// address chooses no more than where to begin.
func sendToCase(_ context.Context, v provider.Verification) (string, error) {
	base, _, ok := strings.Cut(v.ReturnTo, "/verify/return?")
	if !ok {
		return "", errors.New("verification: the return address is of another version")
	}
	return base + "/verification/" + url.PathEscape(v.Group) + "?" + url.Values{returnParameter: {v.ReturnTo}}.Encode(), nil
}

// wayBack returns the application that the person came from, and where they continue: the address
// of the flow, while it lasts and in its own browser, or else the home of the application, as
// registered. Each may be empty.
func (s *casePages) wayBack(r *request, c RecordedCase) (address string, application ui.Client, err error) {
	_, k, err := s.engine.read(r.context(), c.ID)
	if err != nil || k.ClientID == "" {
		return "", ui.Client{}, err
	}
	application, err = r.Room().Client(k.ClientID)
	if err != nil || application == (ui.Client{}) { // it was removed
		return "", application, err
	}
	clientID, until, ok := s.Provider.Rooms().Pages.VerificationReturn(r.Request, c.UserID, k.ReturnTo)
	if ok && clientID == k.ClientID && (until.IsZero() || s.Clock().Before(until)) {
		return k.ReturnTo, application, nil
	}
	client, err := s.Provider.Clients().Get(r.context(), k.ClientID)
	if errors.Is(err, provider.ErrNoClient) {
		return "", application, nil
	}
	return homeOf(client.RedirectURIs), application, err
}

// homeOf returns the start page behind the first of these registered addresses that is a web
// page, or "".
func homeOf(redirectURIs []string) string {
	for _, uri := range redirectURIs {
		if u, err := url.Parse(uri); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
			return u.Scheme + "://" + u.Host + "/"
		}
	}
	return ""
}
