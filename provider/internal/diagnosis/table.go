package diagnosis

// inOrder are all diagnoses, in the order of a request.
var inOrder = []Name{
	ClientUnknown, ApplicationDisabled, OriginNotRegistered,

	ParameterRepeated, ParameterMissing, ParameterMalformed, ParameterUnsupported, RequestMalformed,

	RedirectURINotRegistered, ResponseTypeUnknown, ResponseTypeNotRegistered, ResponseModeUnsupported,
	ScopeUnknown, ScopeIgnored, ScopeNotAllowed, ScopeNotRegistered, ScopeNotPicked, ResourceUnknown,
	ResourceNotAllowed, OpenIDMissing, NonceMissing, ChallengeMissing, ChallengeMethod, ChallengeMalformed,
	HintForeign, ClaimsMalformed, AuthenticationUnmet, StandardRequestAtV3, V3RequestAtStandard, LoginRequired,
	ConsentRequired, ConsentNeverRemembered, SignInUnstable, UserDenied, UserNotVerified, UserRefused,
	RequestExpired, PushRequired, RequestURIUnknown, RequestURIRefused, RequestObjectRequired, RequestObjectUnsigned,
	RequestObjectDiffers,

	SecretMissing, SecretWrong, AuthMethodWrong, PublicWithSecret, CredentialsMalformed, CredentialsRepeated,
	AssertionMissing, ClientThrottled,

	JWTMalformed, JWTAlgorithm, JWTKeyUnknown, JWTSignature, JWTIssuer, JWTAudience, JWTIncomplete, JWTExpired,
	JWTLifetime, JWTUsed, KeysMissing, KeysRefused, KeysUnreachable,

	DPoPMissing, DPoPMalformed, DPoPTarget, DPoPKeyDiffers, DPoPUsed, DPoPNonceNeeded, TokenUnbound,

	ParametersInQuery, JSONMalformed, JSONUnavailable, GrantTypeUnsupported, GrantNotRegistered,
	RefreshNotRegistered, CodeUnknown, CodeUsed, CodeExpired, CodeRevoked, CodeOfAnother, RedirectURIDiffers,
	VerifierMissing, VerifierMalformed, VerifierWrong, VerifierUnexpected, ScopeWithdrawn, AuthenticationWeak, RefreshUnknown,
	RefreshUsed, RefreshExpired, RefreshRevoked, RefreshOfAnother, ScopeWider, ResourceWider, ResourceAlgorithms, AlgorithmOff,
	SubjectNotForClient, ResourceNotExchanged, ScopeNotExchanged, ExchangedTwice, TokenOfAnother, ConsentMissing, IntrospectionPublic,

	TokenMissing, TokenUnknown, TokenExpired, TokenRevoked, TokenInQuery, HeaderMalformed, CallbackUnavailable,
	CallbackMalformed, ScopeInsufficient, TokenWithoutUser, TokenForResource, ResourceWithdrawn, UserGone,
	SignOutNotRegistered,

	LogoutNotDelivered, LogoutGivenUp, LogoutRejected, LogoutAddressForbidden,

	ProviderUnavailable, ProviderFailed,
}

// expected are those that happen to an application that makes no mistake.
var expected = []Name{
	ScopeNotPicked, AuthenticationUnmet, LoginRequired, ConsentRequired, UserDenied, UserNotVerified,
	UserRefused, RequestExpired, RefreshExpired, RefreshRevoked, ConsentMissing, AuthenticationWeak, TokenExpired, TokenRevoked,
	UserGone, DPoPNonceNeeded, LogoutNotDelivered, ProviderUnavailable, ProviderFailed,
}
