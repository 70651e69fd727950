// Package credential lets people keep a verified group in the wallet of their choice, and show it
// to whom they like, also where there is no network and without the provider learning of it. It
// issues credentials by OpenID for Verifiable Credential Issuance 1.0, in the format SD-JWT VC (RFC
// 9901), and publishes in a Token Status List whether they are still in force.
//
// It is a handler of its own, which a host mounts below the base URL of its provider and at three
// addresses of its host:
//
//	kinds := credential.Kinds{{Group: "student"}}
//	idp, err := provider.New(ctx, provider.Config{ /* … */ Credentials: kinds})
//	…
//	service, err := credential.New(ctx, credential.Config{Provider: idp, Store: store, Kinds: kinds})
//	…
//	mux.Handle("/id/vci/", service)
//	for _, path := range service.WellKnownPaths() {
//		mux.Handle(path, service)
//	}
//
// A wallet is an application of the dialect provider.Standard. It asks for the scope of a [Kind], or
// by authorization_details; the user has to be a verified member of the group. With its access token
// and a proof that it has a key, it gets a credential that only this key can show.
//
// # What others see
//
// A credential names neither the user nor the application. Whoever is shown one learns the group, the
// day of issue and the end, and of what can be disclosed (subgroups, since when, until when, and with
// Kind.Provenance how) what the user discloses. Two who compare notes find that they have seen the
// same credential, by its key and its place in the list.
//
// # The end
//
// A credential is in force for at most Kind.Life, and no longer than the status. It ends before, on
// the list within half a minute, when the status ends or says something else, when the user withdraws
// it, takes back what the wallet was allowed or deletes the account, and when the account is locked.
package credential
