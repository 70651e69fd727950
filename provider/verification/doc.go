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
//
// # Verification, from the button to the status
//
//  1. On the consent screen a person presses Verify now. The provider calls the verifier of
//     Policies.Verifiers, which answers with the page of the group. That page reads from the
//     return address, which is sealed and of this browser, whose flow it is.
//  2. Service.Start begins a case, or returns the one that is open. The case keeps the rule of
//     the policy as it is then.
//  3. The person chooses a method, and each step is an event: the verifier is asked what
//     happens next, outside of any transaction. A pure function (advance) decides from the
//     case, what it keeps and the result what becomes of it; one conditional write records
//     that. If the case has changed in between, everything is decided anew.
//  4. Callbacks, timers and reviewers move a case in the same way. A decision of a reviewer
//     waits in the pending case for ten seconds, until which Service.Undo takes it back; then
//     the Run of any process carries it out, or whoever reads the case.
//  5. An approval records the status, the proofs and the end of the case in one step. A proof
//     of somebody else makes it a review; a status that the host has recorded meanwhile ends
//     it. Pending and final states of the case set and clear a pending status in the same way,
//     and only one of this case.
//  6. The person continues with the flow, if it still lasts, or at the registered home of the
//     application. The provider reads the status, and believes nothing else.
//
// What a case keeps, apart from its state and times, is encrypted for this case of this
// person, and in no log.
package verification
