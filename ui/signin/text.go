package signin

// text is every sentence of the screens.
type text struct {
	Recovery recoveryText
}
