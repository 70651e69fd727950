// Package desk is the console of those who look after a service: support, which helps people who
// call, reviewers, who decide cases of verification, operators, who run the service, and
// auditors. A host that has none of them imports none of it.
//
//	desk, err := desk.New(desk.Config{
//		Provider: idp,
//		Store:    store,
//		Staff: func(ctx context.Context, userID string) (desk.Staff, error) {
//			return staff[userID], nil // the zero Staff for everybody else
//		},
//	})
//	mux.Handle("/id/desk/", desk)
//
// The staff sign in at the provider as everybody does. For everybody else the desk does not
// exist: 404. Nothing of a person is shown without a matter, and all that is done goes through
// the verbs of the provider, which hold what it rests on in the write and record who did it in
// the same step.
package desk
