package ui

// Problem is something to correct in a form.
type Problem struct {
	Code ProblemCode
	// Count is the number in the sentence, for the codes that have one.
	Count int
	// Field is the name of the field that it belongs to, where Code does not say so.
	Field string
	// Line is that of a field of several lines, counted from 1; zero for all of it.
	Line int
	// Text is the sentence itself, where no Code stands for what is wrong: in English for a
	// fact of a protocol, in the language of the page from a package with texts of its own.
	Text string
}

// ProblemCode names what is wrong with what was entered. The field that it
// belongs to and the sentence follow from it.
type ProblemCode string

// The problems of forms.
const (
	EmailMissing ProblemCode = "email_missing"
	EmailInvalid ProblemCode = "email_invalid"
	// EmailNoDot is for an address whose domain is a single word, EmailUnchanged for a new
	// one that is the old one.
	EmailNoDot     ProblemCode = "email_no_dot"
	EmailUnchanged ProblemCode = "email_unchanged"
	// EmailUndeliverable is for an address that the mail server refuses for good, and
	// OldEmailUndeliverable for the address of an account that is to get another.
	EmailUndeliverable    ProblemCode = "email_undeliverable"
	OldEmailUndeliverable ProblemCode = "old_email_undeliverable"
	// CredentialsWrong says the same for an address that nobody has and for a
	// password that is not the right one.
	CredentialsWrong ProblemCode = "credentials_wrong"
	PasswordMissing  ProblemCode = "password_missing"
	// AccountLocked is for the owner of a locked account, who has proved to be that.
	AccountLocked ProblemCode = "account_locked"
	// PasswordWrong is for the password of a signed-in user.
	PasswordWrong ProblemCode = "password_wrong"
	// PasswordTooShort counts the characters that are required.
	PasswordTooShort ProblemCode = "password_too_short"
	// PasswordTooLong counts the characters that are allowed.
	PasswordTooLong ProblemCode = "password_too_long"
	// PasswordCommon is for a password from a list of those that are guessed
	// first.
	PasswordCommon ProblemCode = "password_common"
	// PasswordContainsContext is for a password made of the e-mail address or
	// of the name of the service or application.
	PasswordContainsContext ProblemCode = "password_contains_context"
	// PasswordUnchanged is for a new password that is the old one.
	PasswordUnchanged ProblemCode = "password_unchanged"
	CodeMissing       ProblemCode = "code_missing"
	// CodeWrong says the same for a code that is wrong, used or expired.
	CodeWrong ProblemCode = "code_wrong"
	// DeviceCodeMissing and DeviceCodeWrong are for the code that a device shows; the latter says
	// the same for one that is wrong, decided or expired.
	DeviceCodeMissing ProblemCode = "device_code_missing"
	DeviceCodeWrong   ProblemCode = "device_code_wrong"
	// DeviceElsewhere says that a device is in another network than the user, where that is
	// refused.
	DeviceElsewhere ProblemCode = "device_elsewhere"
	// AppCodeMissing and AppCodeWrong are for a code of an authenticator app,
	// RecoveryCodeMissing and RecoveryCodeWrong for a recovery code.
	AppCodeMissing      ProblemCode = "app_code_missing"
	AppCodeWrong        ProblemCode = "app_code_wrong"
	RecoveryCodeMissing ProblemCode = "recovery_code_missing"
	RecoveryCodeWrong   ProblemCode = "recovery_code_wrong"
	// AppBarred says that no code of the app is accepted, because too many were wrong.
	AppBarred ProblemCode = "app_barred"
	// PasskeyWrong says the same for a passkey that nobody has and for a wrong answer of one,
	// PasskeyExpired that the page was open for too long, PasskeyElsewhere that the passkey
	// is of another provider on the same domain.
	PasskeyWrong     ProblemCode = "passkey_wrong"
	PasskeyExpired   ProblemCode = "passkey_expired"
	PasskeyElsewhere ProblemCode = "passkey_elsewhere"
	// CodesWrong says the same for two codes of which either is wrong, used or expired.
	CodesWrong ProblemCode = "codes_wrong"
	// CodeTooSoon counts the seconds until another code can be asked for.
	CodeTooSoon ProblemCode = "code_too_soon"
	// NameMissing and NameInvalid are for the name of what somebody makes, ConfirmWrong
	// for one that was not typed as it is.
	NameMissing  ProblemCode = "name_missing"
	NameInvalid  ProblemCode = "name_invalid"
	ConfirmWrong ProblemCode = "confirm_wrong"
	// KindMissing is for an application of which nobody has said what it is.
	KindMissing ProblemCode = "kind_missing"
	// AddressMissing and those after it are for an address that cannot be registered.
	AddressMissing  ProblemCode = "address_missing"
	AddressRelative ProblemCode = "address_relative"
	AddressSpace    ProblemCode = "address_space"
	AddressPlain    ProblemCode = "address_plain"
	AddressFragment ProblemCode = "address_fragment"
	AddressWildcard ProblemCode = "address_wildcard"
	AddressUser     ProblemCode = "address_user"
	// OriginInvalid is for what is no origin, HostInvalid no host, WebAddressInvalid for what is no page.
	OriginInvalid     ProblemCode = "origin_invalid"
	HostInvalid       ProblemCode = "host_invalid"
	WebAddressInvalid ProblemCode = "web_address_invalid"
	// GrantMissing and ResponseMissing are for an application that could do nothing.
	GrantMissing    ProblemCode = "grant_missing"
	ResponseMissing ProblemCode = "response_missing"
	// ResourceMissing is for an application that had APIs to ask for and would have none.
	ResourceMissing ProblemCode = "resource_missing"
	// KeysMissing is for an application that signs and has no keys, KeysTwice for one that
	// has a set and the address of one, KeysSecret for a set with a private key.
	KeysMissing ProblemCode = "keys_missing"
	KeysTwice   ProblemCode = "keys_twice"
	KeysSecret  ProblemCode = "keys_secret"
	// AddressNotCalled is for an address that the provider cannot call.
	AddressNotCalled ProblemCode = "address_not_called"
	// LogoutURIMissing is for an application that wants sessions named and has no address
	// to be told at.
	LogoutURIMissing ProblemCode = "logout_uri_missing"
	// SignInUnreachable is for an application that requires a sign-in of which nobody is
	// capable.
	SignInUnreachable ProblemCode = "sign_in_unreachable"
	// TooManySecrets is for an application that has as many as may be valid at once,
	// LastSecret for one that would be left without any.
	TooManySecrets ProblemCode = "too_many_secrets"
	LastSecret     ProblemCode = "last_secret"
	// ConfirmFirst is for what is changed only after a sign-in a moment ago.
	ConfirmFirst ProblemCode = "confirm_first"
	// ChangedMeanwhile is for what somebody else has changed meanwhile.
	ChangedMeanwhile ProblemCode = "changed_meanwhile"
	// LastOwner is for an organization that would have no owner left.
	LastOwner ProblemCode = "last_owner"
	// EmailUnverified is for what only an account with a verified address can do, and
	// OwnerNeedsEmail for a link that would make anybody an owner.
	EmailUnverified ProblemCode = "email_unverified"
	OwnerNeedsEmail ProblemCode = "owner_needs_email"
	// HasApplications is for an organization that cannot be deleted yet.
	HasApplications ProblemCode = "has_applications"
	// TooMany counts how many there may be of what somebody makes.
	TooMany ProblemCode = "too_many"
	// LogoTooLarge and those after it are for a picture that cannot be a logo; Field
	// names another that it was to be.
	LogoTooLarge ProblemCode = "logo_too_large"
	LogoTooWide  ProblemCode = "logo_too_wide"
	LogoSVG      ProblemCode = "logo_svg"
	LogoFormat   ProblemCode = "logo_format"
	LogoDamaged  ProblemCode = "logo_damaged"
	LogoWork     ProblemCode = "logo_work"
	// PicturesFull is for pictures for which an organization has no room.
	PicturesFull ProblemCode = "pictures_full"
	// PictureAlone is for a picture of the night without the one whose place it takes.
	PictureAlone ProblemCode = "picture_alone"
	// ColorInvalid is for what is not of the form #rrggbb.
	ColorInvalid ProblemCode = "color_invalid"
	// ReasonMissing is for a decision without a reason, NoteTooLong for more than a
	// reader takes.
	ReasonMissing ProblemCode = "reason_missing"
	NoteTooLong   ProblemCode = "note_too_long"
	// ChecksUnmet is for an application that is not ready for production.
	ChecksUnmet ProblemCode = "checks_unmet"
	// NeededInProduction is for what an application in production may not be without, and
	// LastReviewed for a field in which nothing would be left that an operator has read.
	NeededInProduction ProblemCode = "needed_in_production"
	LastReviewed       ProblemCode = "last_reviewed"
	// OwnApplication is for an operator who decides about what is their own.
	OwnApplication ProblemCode = "own_application"
	// OwnOrganization is for an operator who decides about an organization of their own.
	OwnOrganization ProblemCode = "own_organization"
	// OrganizationSuspended is for what an organization that is suspended does not get, and
	// OwnsSuspended for an owner of one, who makes no other.
	OrganizationSuspended ProblemCode = "organization_suspended"
	OwnsSuspended         ProblemCode = "owns_suspended"
	// NameOfBrand is for a name that passes for that of the service.
	NameOfBrand ProblemCode = "name_of_brand"
	// HomeUnknown is for an address whose domain belongs to no upstream provider. It says
	// nothing of accounts.
	HomeUnknown ProblemCode = "home_unknown"
	// UpstreamRefused is for somebody who did not authenticate at an upstream provider, or was
	// not let in there; UpstreamUnavailable for one that does not answer, UpstreamUntrusted for
	// an answer that cannot be believed.
	UpstreamRefused     ProblemCode = "upstream_refused"
	UpstreamUnavailable ProblemCode = "upstream_unavailable"
	UpstreamUntrusted   ProblemCode = "upstream_untrusted"
	// UpstreamUnknown is for an account there that none here is connected to, where it makes
	// none; UpstreamNoEmail for one without an address that a new account could have, and
	// UpstreamEmailUndeliverable for one whose address the mail server refuses for good;
	// UpstreamTaken for one that is connected to another account, and UpstreamOther for one
	// that is not of the user who is signed in.
	UpstreamUnknown ProblemCode = "upstream_unknown"
	UpstreamNoEmail ProblemCode = "upstream_no_email"

	UpstreamEmailUndeliverable ProblemCode = "upstream_email_undeliverable"

	UpstreamTaken ProblemCode = "upstream_taken"
	UpstreamOther ProblemCode = "upstream_other"
	// TooManyAttempts counts the minutes to wait.
	TooManyAttempts ProblemCode = "too_many_attempts"
)

// The names of the fields that problems belong to, besides those of the screens of this package.
const (
	FieldName                 = "name"
	FieldConfirm              = "confirm"
	FieldKind                 = "kind"
	FieldGrantTypes           = "grant_types"
	FieldResponseTypes        = "response_types"
	FieldResources            = "resources"
	FieldJWKS                 = "jwks"
	FieldBackchannelLogoutURI = "backchannel_logout_uri"
	FieldJWKSURI              = "jwks_uri"
	FieldLogo                 = "logo"
	FieldColor                = "color"
	FieldReason               = "reason"
)

// ErrorCode names what an error screen says.
type ErrorCode string

// The errors that end a request on a screen of its own.
const (
	// ErrorClient is for an application that is unknown, disabled or deleted.
	ErrorClient ErrorCode = "client"
	// ErrorForgotten is for a program that has registered itself, and whose registration is
	// gone.
	ErrorForgotten ErrorCode = "forgotten"
	// ErrorRedirect is for a redirect URI that the application has not
	// registered, after signing in or after signing out.
	ErrorRedirect ErrorCode = "redirect"
	// errorRedirectOf is ErrorRedirect of an application whose name is known.
	errorRedirectOf ErrorCode = "redirect_of"
	// ErrorRequest is for a request that makes no sense.
	ErrorRequest ErrorCode = "request"
	// ErrorExpired is for a request that was left open for too long.
	ErrorExpired ErrorCode = "expired"
	// ErrorSpent is for a link of an application that is too old.
	ErrorSpent ErrorCode = "spent"
	// ErrorUnsigned is for an application whose responses have to be signed, and cannot be.
	ErrorUnsigned ErrorCode = "unsigned"
	// ErrorReturn is for a link that takes a change of an address back, and does so no more;
	// ErrorReturnTaken for one to an address that another account has by now.
	ErrorReturn      ErrorCode = "return"
	ErrorReturnTaken ErrorCode = "return_taken"
	// ErrorBrowser is for a form or an address that belongs to another
	// browser, or that lost its cookie.
	ErrorBrowser ErrorCode = "browser"
	// ErrorForbidden is for a form that another site has sent.
	ErrorForbidden ErrorCode = "forbidden"
	ErrorNotFound  ErrorCode = "not_found"
	// ErrorMethod is for an address that was opened in a way that it is not
	// made for.
	ErrorMethod   ErrorCode = "method"
	ErrorTooLarge ErrorCode = "too_large"
	// ErrorTooMany is for somebody who has sent too many forms.
	ErrorTooMany ErrorCode = "too_many"
	// ErrorUser is for somebody who is signed in and whose account is gone, or
	// locked.
	ErrorUser ErrorCode = "user"
	// ErrorUnavailable is for a service that cannot answer for a while.
	ErrorUnavailable ErrorCode = "unavailable"
	// ErrorInternal is for a fault of the service.
	ErrorInternal ErrorCode = "internal"
)

// field returns the name of the field that the problem belongs to, and the
// empty string for what is wrong with no field.
func (p Problem) field() string {
	if p.Field != "" {
		return p.Field
	}
	switch p.Code {
	case EmailMissing, EmailInvalid, EmailNoDot, EmailUnchanged, OwnerNeedsEmail, HomeUnknown:
		return FieldEmail
	case CredentialsWrong, PasswordMissing, PasswordWrong:
		return FieldPassword
	case PasswordTooShort, PasswordTooLong, PasswordCommon, PasswordContainsContext, PasswordUnchanged:
		return FieldNewPassword
	case CodeMissing, CodeWrong, CodesWrong, AppCodeMissing, AppCodeWrong, RecoveryCodeMissing, RecoveryCodeWrong:
		return FieldCode
	case DeviceCodeMissing, DeviceCodeWrong:
		return FieldUserCode
	case NameMissing, NameInvalid, NameOfBrand:
		return FieldName
	case ConfirmWrong:
		return FieldConfirm
	case KindMissing:
		return FieldKind
	case GrantMissing:
		return FieldGrantTypes
	case ResponseMissing:
		return FieldResponseTypes
	case ResourceMissing:
		return FieldResources
	case KeysMissing, KeysSecret:
		return FieldJWKS
	case LogoutURIMissing:
		return FieldBackchannelLogoutURI
	case KeysTwice:
		return FieldJWKSURI
	case LogoTooLarge, LogoTooWide, LogoSVG, LogoFormat, LogoDamaged, LogoWork:
		return FieldLogo
	case ColorInvalid:
		return FieldColor
	case ReasonMissing:
		return FieldReason
	default:
		return ""
	}
}
