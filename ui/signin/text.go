package signin

// text is every sentence of the screens.
type text struct {
	Factor   factorText
	Offer    offerText
	First    firstText
	Recovery recoveryText
	Connect  connectText
}
