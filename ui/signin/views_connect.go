package signin

import "github.com/bonafide-id/bonafide/ui"

// ConnectView says that somebody who has authenticated at an upstream provider has an account
// here with the same address, which nothing connects to it: its owner signs in to connect the
// two. It posts nothing.
type ConnectView struct {
	ui.Page

	// Upstream is what the account is to be connected to. Only its title, mark and logo are
	// used.
	Upstream ui.UpstreamButton

	// Name is what the upstream calls the person; empty for nothing. Email is the address that
	// it says.
	Name, Email string

	// SignInURL leads to the sign-in, with what is to be connected; CancelURL to one that
	// connects nothing. An empty CancelURL shows no link.
	SignInURL, CancelURL string
}
