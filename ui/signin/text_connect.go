package signin

import "github.com/bonafide-id/bonafide/ui"

// connectText is what the screen says that leads to the sign-in which connects an account.
type connectText struct{ Heading, Text, SignIn, Effect, Cancel ui.Message }
