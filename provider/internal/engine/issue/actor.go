package issue

// Actor is the claim act of a token that was exchanged (RFC 8693 section 4.1): the client that
// acts for the user, and the one that had the token before it.
type Actor struct {
	Subject string `json:"sub"`
	Before  *Actor `json:"act,omitempty"`
}

// ActorOf returns the claim for those that have exchanged a token, the latest first; nil for none.
func ActorOf(actors []string) *Actor {
	if len(actors) == 0 {
		return nil
	}
	return &Actor{actors[0], ActorOf(actors[1:])}
}

// AppendJSON writes the claim as encoding/json would, without looking at the type.
func (a *Actor) AppendJSON(to []byte) []byte {
	to = AppendText(append(to, `{"sub":`...), a.Subject)
	if a.Before != nil {
		to = a.Before.AppendJSON(append(to, `,"act":`...))
	}
	return append(to, '}')
}
