package ui

// text is every sentence of the screens of people and of the e-mails in one language;
// those of the dashboard are a [developerText]. It is read from text/*.json, and what a
// host says in their place; a language is one such file and nothing else. The keys of the
// file are the names of the fields. Words in braces are filled in:
// {client} is the application, {brand} the service, {n} a number that the
// sentence may have several forms for.
type text struct {
	Language       languageText
	Catalogue      map[string]message
	Phrases        map[string]message
	Date           dateText
	Common         commonText
	SignIn         signInText
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
	LanguageChoice languageChoiceText
	History        historyText
	BrandPreview   brandPreviewText
	Notices        map[Notice]message
	Problems       map[ProblemCode]message
	Mails          map[MailKind]mailText
	Diagnoses      map[string]diagnosisText
}

type languageText struct{ Name, Dir string }

type dateText struct {
	Months                                 [12]message
	Day, Moment, Clock                     message
	JustNow, MinutesAgo, HoursAgo, DaysAgo message
}

// commonText is what several screens say.
type commonText struct {
	Language, NewTab                        message
	Sandbox                                 message
	Terms, Policy, Help                     message
	ToContinue                              message
	Email, Password, NewPassword, Code      message
	ShowPassword, PasswordRule, LongEnough  message
	CodeValidFor                            message
	ProblemsHeading, ProblemHeading         message
	WaitHeading                             message
	UseAnother, BackToClient, BackToAccount message
	BackToStart                             message
	CloseWindow, CloseYourself              message
	Cancel                                  message
	Unreviewed, UnreviewedText              message
	Thousands, List, ListLast               message
	Copy, Copied, OnLine                    message
	// MailButtons are the labels of the buttons in e-mails, by the address that they open.
	MailButtons map[string]message
}

type signInText struct {
	Heading, Submit, Forgot, NoAccount, SignUp    message
	Personas, PersonasText, ContinueAs, OrAccount message
	PersonaLocked, PersonaEmail, PersonaGroups    message
}

type reauthenticateText struct{ Heading, Submit, NotYou message }

// signUpText has a sentence on the terms of the service for each of the
// documents that the service may have.
type signUpText struct {
	Heading, Submit, HaveAccount, SignIn message
	AgreeTerms, AgreePolicy, AgreeBoth   message
	AgreeTermsLink, AgreePolicyLink      message
}

type codeText struct {
	Heading, Sent, NotArrived, Resend message
	SignUpSubmit, SignUpBack          message
	VerifySubmit, VerifyBack          message
}

type resetStartText struct{ Heading, Text, Submit, SignIn message }

type resetFinishText struct{ Heading, Sent, Submit, Restart message }

type selectAccountText struct{ Heading message }

type selectScopeText struct{ Heading, Text, None message }

type consentText struct {
	Heading, HeadingSignIn, HeadingMore message
	HeadingUse, Use, UseText            message
	SignInOnly, Incremental             message
	Receives, Named, Belonging, More    message
	TickedToo, TickedBefore             message
	StandsForYou                        message
	Facts, Later, LaterMany             message
	Sensitive, SensitiveText            message
	Permissions                         message
	Optional, OptionalText              message
	New, Unknown, Yes, No               message
	Verified, Unverified, Expired       message
	Pending, PendingText                message
	VerifyNow, SeesUnverified           message
	ShareUnverified                     message
	HeadingRequired, NothingShared      message
	Required, RequiredAny               message
	Since, Until, ExpiredOn             message
	Offline, OfflineText                message
	Documents, Policy, Terms            message
	Lasts, RemovableLink, GoesTo        message
	Switch, Allow, Deny                 message
}

type signOutText struct{ Heading, Text, Submit, Cancel message }

type signedOutText struct{ Heading, Text, SignIn, StaleHeading, StaleText, Home message }

type finishedText struct{ Heading, Text message }

type deniedText struct{ Heading, NoAccount message }

// responseText is for the two screens that lead back to the application.
type responseText struct{ Heading, Text, Submit message }

// errorText has a heading and a text for each error, and the labels under them.
type errorText struct {
	Screens                       map[ErrorCode]errorScreenText
	Request, Time, Developer, Log message
}

type errorScreenText struct{ Heading, Text message }

// diagnosisText says what was wrong with a request of an application, and what to do.
type diagnosisText struct{ Cause, Remedy message }

// mailText is an e-mail: its subject, and its paragraphs.
type mailText struct {
	Subject message
	Body    []message
}
