package diagnosis

// What can be wrong with the application itself, at every endpoint.
const (
	ClientUnknown       Name = "client_unknown"
	ApplicationDisabled Name = "application_disabled"
	OriginNotRegistered Name = "origin_not_registered"
)

// What can be wrong with a request, at every endpoint.
const (
	ParameterRepeated    Name = "parameter_repeated"
	ParameterMissing     Name = "parameter_missing"
	ParameterMalformed   Name = "parameter_malformed"
	ParameterUnsupported Name = "parameter_unsupported"
	RequestMalformed     Name = "request_malformed"
)

// What can be wrong at the authorization endpoint, and why it can answer no.
const (
	RedirectURINotRegistered  Name = "redirect_uri_not_registered"
	ResponseTypeUnknown       Name = "response_type_unknown"
	ResponseTypeNotRegistered Name = "response_type_not_registered"
	ResponseModeUnsupported   Name = "response_mode_unsupported"
	ScopeUnknown              Name = "scope_unknown"
	ScopeIgnored              Name = "scope_ignored"
	ScopeNotAllowed           Name = "scope_not_allowed"
	ScopeNotRegistered        Name = "scope_not_registered"
	ScopeNotPicked            Name = "scope_not_picked"
	ResourceUnknown           Name = "resource_unknown"
	ResourceNotAllowed        Name = "resource_not_allowed"
	OpenIDMissing             Name = "openid_missing"
	NonceMissing              Name = "nonce_missing"
	ChallengeMissing          Name = "challenge_missing"
	ChallengeMethod           Name = "challenge_method"
	ChallengeMalformed        Name = "challenge_malformed"
	HintForeign               Name = "id_token_hint_foreign"
	ClaimsMalformed           Name = "claims_malformed"
	AuthenticationUnmet       Name = "authentication_unmet"
	StandardRequestAtV3       Name = "standard_request_at_v3"
	V3RequestAtStandard       Name = "v3_request_at_standard"
	LoginRequired             Name = "login_required"
	ConsentRequired           Name = "consent_required"
	ConsentNeverRemembered    Name = "consent_never_remembered"
	SignInUnstable            Name = "sign_in_unstable"
	UserDenied                Name = "user_denied"
	UserNotVerified           Name = "user_not_verified"
	UserRefused               Name = "user_refused"
	RequestExpired            Name = "request_expired"
	PushRequired              Name = "pushed_request_required"
	RequestURIUnknown         Name = "request_uri_unknown"
	RequestURIRefused         Name = "request_uri_refused"
	RequestObjectRequired     Name = "request_object_required"
	RequestObjectUnsigned     Name = "request_object_unsigned"
	RequestObjectDiffers      Name = "request_object_differs"
)

// What can be wrong with how an application authenticates.
const (
	SecretMissing        Name = "client_secret_missing"
	SecretWrong          Name = "client_secret_wrong"
	AuthMethodWrong      Name = "auth_method_wrong"
	PublicWithSecret     Name = "public_client_with_secret"
	CredentialsMalformed Name = "credentials_malformed"
	CredentialsRepeated  Name = "credentials_repeated"
	AssertionMissing     Name = "client_assertion_missing"
	ClientThrottled      Name = "client_throttled"
)

// What can be wrong with what an application signs with its own key.
const (
	JWTMalformed    Name = "jwt_malformed"
	JWTAlgorithm    Name = "jwt_algorithm"
	JWTKeyUnknown   Name = "jwt_key_unknown"
	JWTSignature    Name = "jwt_signature_wrong"
	JWTIssuer       Name = "jwt_issuer_wrong"
	JWTAudience     Name = "jwt_audience_wrong"
	JWTIncomplete   Name = "jwt_incomplete"
	JWTExpired      Name = "jwt_expired"
	JWTLifetime     Name = "jwt_lifetime"
	JWTUsed         Name = "jwt_used"
	KeysMissing     Name = "client_keys_missing"
	KeysRefused     Name = "client_keys_refused"
	KeysUnreachable Name = "client_keys_unreachable"
)

// What can be wrong with a proof of possession.
const (
	DPoPMissing     Name = "dpop_proof_missing"
	DPoPMalformed   Name = "dpop_proof_malformed"
	DPoPTarget      Name = "dpop_proof_target_differs"
	DPoPKeyDiffers  Name = "dpop_key_differs"
	DPoPUsed        Name = "dpop_proof_used"
	DPoPNonceNeeded Name = "dpop_nonce_needed"
	TokenUnbound    Name = "access_token_unbound"
)

// What can be wrong at the token, revocation and introspection endpoints.
const (
	ParametersInQuery    Name = "parameters_in_query"
	JSONMalformed        Name = "json_malformed"
	JSONUnavailable      Name = "json_unavailable"
	GrantTypeUnsupported Name = "grant_type_unsupported"
	GrantNotRegistered   Name = "grant_not_registered"
	RefreshNotRegistered Name = "refresh_not_registered"
	CodeUnknown          Name = "code_unknown"
	CodeUsed             Name = "code_used"
	CodeExpired          Name = "code_expired"
	CodeRevoked          Name = "code_revoked"
	CodeOfAnother        Name = "code_of_another_client"
	RedirectURIDiffers   Name = "redirect_uri_differs"
	VerifierMissing      Name = "verifier_missing"
	VerifierMalformed    Name = "verifier_malformed"
	VerifierWrong        Name = "verifier_wrong"
	VerifierUnexpected   Name = "verifier_unexpected"
	ScopeWithdrawn       Name = "scope_withdrawn"
	AuthenticationWeak   Name = "authentication_insufficient"
	RefreshUnknown       Name = "refresh_token_unknown"
	RefreshUsed          Name = "refresh_token_used"
	RefreshExpired       Name = "refresh_token_expired"
	RefreshRevoked       Name = "refresh_token_revoked"
	RefreshOfAnother     Name = "refresh_token_of_another_client"
	ScopeWider           Name = "scope_wider"
	ResourceWider        Name = "resource_wider"
	ResourceAlgorithms   Name = "resource_algorithms"
	AlgorithmOff         Name = "signing_algorithm_off"
	SubjectNotForClient  Name = "subject_token_of_another_api"
	ResourceNotExchanged Name = "resource_not_exchanged"
	ScopeNotExchanged    Name = "scope_not_exchanged"
	ExchangedTwice       Name = "subject_token_exchanged_twice"
	TokenOfAnother       Name = "token_of_another_client"
	ConsentMissing       Name = "consent_missing"
	IntrospectionPublic  Name = "introspection_by_public_client"
)

// What can be wrong at the data endpoints and at sign-out.
const (
	TokenMissing         Name = "access_token_missing"
	TokenUnknown         Name = "access_token_unknown"
	TokenExpired         Name = "access_token_expired"
	TokenRevoked         Name = "access_token_revoked"
	TokenInQuery         Name = "access_token_in_query"
	HeaderMalformed      Name = "authorization_header_malformed"
	CallbackUnavailable  Name = "callback_unavailable"
	CallbackMalformed    Name = "callback_malformed"
	ScopeInsufficient    Name = "scope_insufficient"
	TokenWithoutUser     Name = "access_token_without_user"
	TokenForResource     Name = "access_token_for_resource"
	ResourceWithdrawn    Name = "resource_withdrawn"
	UserGone             Name = "user_gone"
	SignOutNotRegistered Name = "post_logout_redirect_uri_not_registered"
)

// What can be wrong when an application is told that a session has ended.
const (
	LogoutNotDelivered     Name = "backchannel_logout_not_delivered"
	LogoutGivenUp          Name = "backchannel_logout_given_up"
	LogoutRejected         Name = "backchannel_logout_rejected"
	LogoutAddressForbidden Name = "backchannel_logout_address_forbidden"
)

// What is not the application's doing.
const (
	ProviderUnavailable Name = "provider_unavailable"
	ProviderFailed      Name = "provider_failed"
)
