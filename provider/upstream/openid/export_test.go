package openid

// NewGoogle and NewApple are Google and Apple at another address.
var (
	NewGoogle = google
	NewApple  = apple
)
