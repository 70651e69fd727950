package ui

// text is every sentence of the screens of people and of the e-mails in one language. It is read from text/*.json, and what a
// host says in their place; a language is one such file and nothing else. The keys of the
// file are the names of the fields. Words in braces are filled in:
// {client} is the application, {brand} the service, {n} a number that the
// sentence may have several forms for.
type text struct {
	Language       languageText
	Catalogue      map[string]Message
	Phrases        map[string]Message
	Date           dateText
	Common         commonText
	SignIn         signInText
	Upstream       upstreamText
	Reauthenticate reauthenticateText
	SignUp         signUpText
	Code           codeText
	ResetStart     resetStartText
	ResetFinish    resetFinishText
	SelectAccount  selectAccountText
	SelectScope    selectScopeText
	Consent        consentText
	SignOut        signOutText
	SignedOut      signedOutText
	Finished       finishedText
	Denied         deniedText
	Response       responseText
	FedCM          fedCMText
	Error          errorText
	Account        accountText
	Apps           appsText
	RemoveApp      removeAppText
	Sessions       sessionsText
	Password       passwordText
	Groups         groupsText
	Data           dataText
	Email          emailText
	EmailReturn    emailReturnText
	Delete         deleteText
	Export         exportText
	Call           callText
	Device         deviceText
	DeviceConfirm  deviceConfirmText
	DeviceDone     deviceDoneText
	LanguageChoice languageChoiceText
	History        historyText
	BrandPreview   brandPreviewText
	Notices        map[Notice]Message
	Problems       map[ProblemCode]Message
	Mails          map[MailKind]mailText
	Diagnoses      map[string]diagnosisText
}

type languageText struct{ Name, Dir string }

type dateText struct {
	Months                                 [12]Message
	Day, Moment, Clock                     Message
	JustNow, MinutesAgo, HoursAgo, DaysAgo Message
}

// commonText is what several screens say.
type commonText struct {
	Language, NewTab, Skip                  Message
	Sandbox                                 Message
	Terms, Policy, Help                     Message
	ToContinue                              Message
	Email, Password, NewPassword, Code      Message
	ShowPassword, PasswordRule, LongEnough  Message
	CodeValidFor                            Message
	ProblemsHeading, ProblemHeading         Message
	WaitHeading                             Message
	UseAnother, BackToClient, BackToAccount Message
	BackToStart                             Message
	CloseWindow, CloseYourself              Message
	Cancel                                  Message
	Unreviewed, UnreviewedText              Message
	Unknown, UnknownText, CallsItself       Message
	Recovery, RecoveryText                  Message
	RecoveryReady, RecoveryStop             Message
	Thousands, List, ListLast               Message
	Copy, Copied, OnLine, Optional          Message
	// MailButtons are the labels of the buttons in e-mails, by the address that they open.
	MailButtons map[string]Message
}

type signInText struct {
	Heading, Submit, Passkey, Forgot, NoAccount, SignUp Message
	Personas, PersonasText, ContinueAs, OrAccount       Message
	PersonaLocked, PersonaEmail, PersonaGroups          Message
}

// upstreamText is what the buttons say that lead to upstream providers.
type upstreamText struct {
	Or, Continue, LastUsed, More, Home Message
	Connecting, ConnectNothing         Message

	// Brands are the words that providers ask for.
	Brands map[UpstreamMark]Message
}

type reauthenticateText struct{ Heading, Submit, NotYou Message }

// signUpText has a sentence on the terms of the service for each of the
// documents that the service may have.
type signUpText struct {
	Heading, Submit, Passkey, HaveAccount, SignIn Message
	AgreeTerms, AgreePolicy, AgreeBoth            Message
	AgreeTermsLink, AgreePolicyLink               Message
}

type codeText struct {
	Heading, Sent, NotArrived, Resend Message
	SignUpSubmit, SignUpBack          Message
	VerifySubmit, VerifyBack          Message
}

type resetStartText struct{ Heading, Text, Submit, SignIn Message }

type resetFinishText struct{ Heading, Sent, Submit, Restart Message }

type selectAccountText struct{ Heading Message }

type selectScopeText struct{ Heading, Text, None Message }

type consentText struct {
	Heading, HeadingSignIn, HeadingMore Message
	HeadingUse, Use, UseText            Message
	SignInOnly, Incremental             Message
	Receives, Named, Belonging, More    Message
	TickedToo, TickedBefore             Message
	StandsForYou                        Message
	Facts, Later, LaterMany             Message
	Sensitive, SensitiveText            Message
	Permissions                         Message
	Optional, OptionalText              Message
	New, Unknown, Yes, No               Message
	Verified, Unverified, Expired       Message
	Pending, PendingText                Message
	VerifyNow, SeesUnverified           Message
	HowVerified, VerifiedFact           Message
	InWallet, WalletFact                Message
	ShareUnverified, Refused            Message
	HeadingRequired, NothingShared      Message
	Required, RequiredAny               Message
	Since, Until, ExpiredOn             Message
	Offline, OfflineText                Message
	Documents, Policy, Terms            Message
	Lasts, RemovableLink, GoesTo        Message
	ToProgram, ToProgramText            Message
	Switch, Allow, Deny                 Message
}

type signOutText struct{ Heading, Text, Submit, Cancel Message }

type signedOutText struct{ Heading, Text, SignIn, StaleHeading, StaleText, Home Message }

type finishedText struct{ Heading, Text Message }

type deniedText struct{ Heading, NoAccount Message }

// responseText is for the two screens that lead back to the application.
type responseText struct{ Heading, Text, Submit Message }

// fedCMText is what a window says that no browser has closed.
type fedCMText struct{ SignedIn, Again Message }

// errorText has a heading and a text for each error, and the labels under them.
type errorText struct {
	Screens                       map[ErrorCode]errorScreenText
	Request, Time, Developer, Log Message
}

type errorScreenText struct{ Heading, Text Message }

// diagnosisText says what was wrong with a request of an application, and what to do.
type diagnosisText struct{ Cause, Remedy Message }

// mailText is an e-mail: its subject, and its paragraphs.
type mailText struct {
	Subject Message
	Body    []Message
}
