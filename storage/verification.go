package storage

// Verification are the roles for verifying people as members of groups. Like [Developers]
// they are not a part of [Store]: a provider that leaves verification to others needs none.
// An approval also records a [Status], so one database has these roles and [People].
type Verification interface {
	Cases
	Reviews
	Evidences
	Rosters
	VerificationCodes
	Trims
}
