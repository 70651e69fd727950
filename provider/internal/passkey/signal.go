package passkey

import "github.com/bonafide-id/bonafide/storage"

// signals are what a page tells the browser about passkeys (WebAuthn section 5.1.10), each by
// the method of its name.
type signals struct {
	Unknown  *unknownSignal  `json:"signalUnknownCredential,omitempty"`
	Accepted *acceptedSignal `json:"signalAllAcceptedCredentials,omitempty"`
	Details  *detailsSignal  `json:"signalCurrentUserDetails,omitempty"`
}

type (
	unknownSignal struct {
		RPID string  `json:"rpId"`
		ID   bytes64 `json:"credentialId"`
	}
	acceptedSignal struct {
		RPID   string    `json:"rpId"`
		UserID bytes64   `json:"userId"`
		IDs    []bytes64 `json:"allAcceptedCredentialIds"`
	}
	detailsSignal struct {
		RPID        string  `json:"rpId"`
		UserID      bytes64 `json:"userId"`
		Name        string  `json:"name"`
		DisplayName string  `json:"displayName"`
	}
)

// SignalUser returns, in JSON for the page, that the account has these passkeys and no
// others, and its present names. Browsers hide all others of the user for good: passkeys is
// all that one reading of the account has found, never the rest of a failed one. Nil if the
// handle is not ours.
func (p *Party) SignalUser(u User, passkeys []storage.Passkey) ([]byte, error) {
	if !p.IsOurs(u.Handle) {
		return nil, nil
	}
	ids := make([]bytes64, 0, len(passkeys))
	for _, k := range p.Usable(passkeys) {
		ids = append(ids, k.ID)
	}
	return encode(signals{
		Accepted: &acceptedSignal{p.ID, u.Handle, ids},
		Details:  &detailsSignal{p.ID, u.Handle, p.shown(u.Name), p.display(u)},
	})
}

// SignalUnknown returns, in JSON for the page, that no account has the passkey of an
// assertion, so that it is offered no longer. Nil if it was made by another provider, or
// nobody knows by whom. It is for a reading that has found nothing, not for one that failed.
func (p *Party) SignalUnknown(a Assertion) ([]byte, error) {
	if !p.IsOurs(a.Handle) || len(a.ID) == 0 {
		return nil, nil
	}
	return encode(signals{Unknown: &unknownSignal{p.ID, a.ID}})
}
