// Package desk is the place of those who work with verification: reviewers, who decide about
// cases, and operators, who look after rosters, codes, holds and numbers. A host that has
// neither imports none of it.
//
//	desk, err := desk.New(desk.Config{
//		Verification: service, // of package verification
//		Reviewer: func(ctx context.Context, userID string) (desk.Staff, error) {
//			return staff[userID], nil // the zero Staff for everybody else
//		},
//	})
//	mux.Handle("/id/desk/", desk)
//
// The staff sign in at the provider as everybody does. For everybody else the desk does not
// exist: 404. All that is decided goes through the verbs of the service, which hold the rules
// in the write: nobody decides their own case, twice in a round, or a case that they have not
// taken.
package desk
