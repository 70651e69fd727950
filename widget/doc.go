// Package widget serves the sign-in button that other sites put on their pages.
// Package provider mounts it below /widget/ of its base URL: a host needs this package
// only to serve the button from elsewhere.
//
// A client developer pastes a span and a script tag. The script, v1.js, turns
// every such span into a link in a shadow root that begins a flow at the
// authorization endpoint, in this window or in a popup. A second script,
// callback.js, belongs on the redirect page: it passes the response of a popup
// to the page behind it, and after a redirect gives a public client what it
// needs to exchange its code. README.md is the manual for client developers, and
// index.d.ts the reference.
//
// The scripts are written in TypeScript in src and bundled into dist, which is
// committed, by a command of the module .ci/tools. Nothing of Node is
// needed to build or to serve them. What is served is the same for everyone
// who asks: the built file, and one call after it that names the provider and
// its colours. [New] composes it once; its hash is its immutable address and
// the value for Subresource Integrity.
//
// The package imports the standard library only, so that it can be mounted
// anywhere:
//
//	button, err := widget.New(widget.Brand{Name: "Example ID"})
//	…
//	mux.Handle("/widget/", http.StripPrefix("/widget/", button))
package widget

//go:generate go -C ../.ci/tools run ./widgetbuild
