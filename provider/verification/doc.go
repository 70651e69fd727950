// Package verification lets people become verified members of groups: it keeps cases, asks
// verifiers, shows the pages on which people take the steps, and records the result as a
// status of the provider.
//
// It is a handler of its own, which a host mounts below the base URL of its provider:
//
//	policies := verification.Policies{{
//		Group: "student",
//		Rule:  verification.AnyOf(verification.By(verification.EmailDomain(domains)), verification.By(verification.Invitation())),
//	}}
//	idp, err := provider.New(ctx, provider.Config{…, Verifiers: policies.Verifiers()})
//	…
//	service, err := verification.New(verification.Config{Provider: idp, Store: store, Policies: policies})
//	…
//	mux.Handle("/id/verification/", service)
//
// # A case
//
// A [Policy] says by which verifiers people become members of one group. A case is one
// attempt of a person. It is open while it waits for the person, pending while it waits for
// somebody else's machine, and in review while it waits for a human decision. It ends
// approved, declined, withdrawn or expired. An approval records the status in the same step.
//
// # A verifier
//
// A [Verifier] finds out by one method whether a person is a member. It is a function from
// a [Case] and an [Event] to a [Result], without HTTP and storage: what the person has to
// do next, or what was found. Those of this package are [EmailDomain], [Invitation],
// [Roster], [Document], [HostPage] and [Redirect]; package oidc has one for another OpenID
// provider. A verifier of the host is some fifteen lines.
package verification
