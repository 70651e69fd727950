package authflow

import (
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/host"
	"github.com/bonafide-id/bonafide/storage"
)

// stateMade returns a authState in which alice signed in an hour ago, allowed
// the application what it asks for half an hour ago, and the request has just come.
func stateMade(change ...func(*authState)) authState {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := authState{
		request: &engine.AuthorizeRequest{Request: authorization.Request{
			Client:      &registry.Client{Client: storage.Client{ID: "app", Name: "App"}},
			RedirectURI: "https://rp.test/cb", Scopes: []string{"openid", "identity"}, MaxAge: -1,
		}},
		user: &User{User: host.User{UserID: "alice", AuthTime: now.Add(-time.Hour)}},
		requested: terms{
			Scopes: []string{"openid", "identity"}, Attributes: []string{"email"}, Groups: []string{"military"},
			ClientName: "App", RedirectHost: "rp.test",
		},
		consent: &storage.Consent{
			Scopes: []string{"openid", "identity"}, Attributes: []string{"email", "fname"}, Groups: []string{"military"},
			ClientName: "App", RedirectHosts: []string{"other.test", "rp.test"},
			Decision: storage.Digest{1}, DecidedAt: now.Add(-30 * time.Minute),
		},
		now: now,
	}
	for _, c := range change {
		c(&s)
	}
	return reached(s)
}

// reached returns a state with what its user, who has authenticated before, has reached.
func reached(s authState) authState {
	if s.user != nil && s.candidates == nil {
		s.candidates = s.user.candidates(never)
	}
	return s
}

func always(storage.Method, time.Time) bool { return true }

func nobody(s *authState)         { s.user, s.candidates = nil, nil }
func noConsent(s *authState)      { s.consent = nil }
func onlyUsed(s *authState)       { s.consent.DecidedAt = time.Time{} }
func decidedBefore(s *authState)  { s.consent.Decision = storage.Digest{} }
func chosen(s *authState)         { s.chosen = "alice" }
func chosenByBob(s *authState)    { s.chosen = "bob" }
func allowedHere(s *authState)    { s.allowed = "alice" }
func allowedByBob(s *authState)   { s.allowed = "bob" }
func signedInSince(s *authState)  { s.user.AuthTime = s.now; s.candidates = s.user.candidates(always) }
func ahead(s *authState)          { s.user.AuthTime = s.now.Add(time.Hour) }
func anotherName(s *authState)    { s.requested.ClientName = "Bank" }
func anotherHost(s *authState)    { s.requested.RedirectHost = "evil.test" }
func moreAttributes(s *authState) { s.requested.Attributes = []string{"email", "ssn"} }
func moreGroups(s *authState)     { s.requested.Groups = []string{"military", "nurse"} }

func visited(n int) func(*authState) {
	return func(s *authState) { s.hostVisits = n }
}

func prompt(values string) func(*authState) {
	return func(s *authState) { s.request.Prompt = strings.Fields(values) }
}

func op(value string) func(*authState) {
	return func(s *authState) { s.request.Op = value }
}

func maxAge(d time.Duration) func(*authState) {
	return func(s *authState) { s.request.MaxAge = d }
}

func hintSubject(subject string) func(*authState) {
	return func(s *authState) { s.hintSubject = subject }
}

func allowed(scopes ...string) func(*authState) {
	return func(s *authState) { s.consent.Scopes = scopes }
}

func native(redirectURI string) func(*authState) {
	return func(s *authState) { s.request.Client.Public, s.request.RedirectURI = true, redirectURI }
}

func inSandbox(s *authState) { s.sandbox = true }

// demands makes a class of authentication essential, where a sign-in can reach these.
func demands(class string, reachable storage.Assurance) func(*authState) {
	return func(s *authState) {
		s.request.Claims.IDToken = map[string]*authorization.ClaimRequest{"acr": {Essential: true, Values: []string{class}}}
		s.classes.Highest = reachable
	}
}

func strong(s *authState) { s.user.AMR = []string{"pwd", "otp"} }

// onlyFor names the only user whom the response may be about.
func onlyFor(user string) func(*authState) {
	return func(s *authState) {
		s.request.Claims.Userinfo = map[string]*authorization.ClaimRequest{"sub": {Values: []string{user}}}
	}
}

func skipConsent(s *authState) { s.request.Client.SkipConsent = true }

func toPick(s *authState) { s.request.Choices = []string{"identity", "military"} }
func picked(s *authState) { s.request.Picked = "military" }

func TestNextStep(t *testing.T) {
	type changes = []func(*authState)
	issue, signIn, again := decision{step: stepIssue}, decision{step: stepSignIn}, decision{step: stepReauthenticate}
	signUp, choose, consent := decision{step: stepSignUp}, decision{step: stepSelectAccount}, decision{step: stepConsent}
	pick := decision{step: stepSelectScope}
	loginRequired := decision{stepRefuse, protocol.LoginRequired}
	consentRequired := decision{stepRefuse, protocol.ConsentRequired}
	unmet := decision{stepRefuse, protocol.UnmetAuthentication}

	for name, c := range map[string]struct {
		changes changes
		want    decision
	}{
		"AnswersWhoIsSignedInAndHasAllowedIt": {nil, issue},
		"NobodySignsIn":                       {changes{nobody}, signIn},
		"AsksForConsentOnce":                  {changes{noConsent}, consent},
		"AsksForWhatIsMore":                   {changes{allowed("openid")}, consent},
		"AsksForAttributesThatAScopeHasGot":   {changes{moreAttributes}, consent},
		"AsksForGroupsThatAScopeHasGot":       {changes{moreGroups}, consent},
		"AsksForAnApplicationOfAnotherName":   {changes{anotherName}, consent},
		"AsksForAnotherPlaceToGo":             {changes{anotherHost}, consent},
		"AsksWhereNobodyHasDecided":           {changes{onlyUsed}, consent},
		"AsksWhereTheScreenWasNotKept":        {changes{decidedBefore}, consent},
		"AsksNotForWhatIsLess":                {changes{allowed("openid", "identity", "military")}, issue},

		"StrongEnough":             {changes{demands("multi_factor", storage.TwoFactors), strong}, issue},
		"StrongerThanDemanded":     {changes{demands("single_factor", storage.OneFactor), strong}, issue},
		"TooWeakStepsUp":           {changes{demands("multi_factor", storage.TwoFactors)}, again},
		"TooWeakTwice":             {changes{demands("multi_factor", storage.TwoFactors), visited(2)}, unmet},
		"TooWeakAfresh":            {changes{demands("multi_factor", storage.TwoFactors), signedInSince}, unmet},
		"TooWeakAndSilent":         {changes{demands("multi_factor", storage.TwoFactors), prompt("none")}, loginRequired},
		"NobodyIsTooWeak":          {changes{demands("multi_factor", storage.TwoFactors), nobody}, signIn},
		"NobodyReachesIt":          {changes{demands("multi_factor", storage.OneFactor), nobody}, unmet},
		"NobodyReachesItSilently":  {changes{demands("gold", storage.TwoFactors), strong, prompt("none")}, unmet},
		"SomebodyElseIsNotTooWeak": {changes{demands("multi_factor", storage.TwoFactors), onlyFor("bob"), signedInSince}, loginRequired},

		"OnlyForWhoIsSignedIn":        {changes{onlyFor("alice")}, issue},
		"OnlyForSomebodyElse":         {changes{onlyFor("bob")}, signIn},
		"OnlyForSomebodyElseAfresh":   {changes{onlyFor("bob"), signedInSince}, loginRequired},
		"OnlyForSomebodyElseSilently": {changes{onlyFor("bob"), prompt("none")}, loginRequired},
		"OnlyForOneWhomTheHintIsNot":  {changes{onlyFor("alice"), hintSubject("bob")}, signIn},
		"OnlyForOneWithoutConsent":    {changes{onlyFor("alice"), noConsent}, consent},
		"OnlyForOneWithoutItSilently": {changes{onlyFor("alice"), noConsent, prompt("none")}, loginRequired},

		"SilentAnswers":                            {changes{prompt("none")}, issue},
		"SilentShowsNoSignIn":                      {changes{prompt("none"), nobody}, loginRequired},
		"SilentShowsNoSignUp":                      {changes{prompt("none"), nobody, op("signup")}, loginRequired},
		"SilentShowsNoConsent":                     {changes{prompt("none"), noConsent}, consentRequired},
		"SilentIsNotHeldUpBySignUp":                {changes{prompt("none"), op("signup")}, issue},
		"SilentIsNotHeldUpBySignIn":                {changes{prompt("none"), op("signin")}, issue},
		"SilentAsksNotAgainForAge":                 {changes{prompt("none"), maxAge(time.Minute)}, loginRequired},
		"SilentIsNotForSomebodyElse":               {changes{prompt("none"), hintSubject("bob")}, loginRequired},
		"SilentIsForWhoIsHinted":                   {changes{prompt("none"), hintSubject("alice")}, issue},
		"SilentNeverForAppOnLoopback":              {changes{prompt("none"), native("http://127.0.0.1/cb")}, consentRequired},
		"SilentForAppInSandbox":                    {changes{prompt("none"), native("http://127.0.0.1/cb"), inSandbox}, issue},
		"SilentShowsNoConsentInSandbox":            {changes{prompt("none"), native("http://127.0.0.1/cb"), inSandbox, noConsent}, consentRequired},
		"SilentNeverForAppWithScheme":              {changes{prompt("none"), native("com.example.app:/cb")}, consentRequired},
		"SilentNeverForAppEvenOfTheHost":           {changes{prompt("none"), native("com.example.app:/cb"), skipConsent}, consentRequired},
		"SilentForPublicPageWithAnAddressOfItsOwn": {changes{prompt("none"), native("https://rp.test/cb")}, issue},

		"LoginAsksAgain":                 {changes{prompt("login")}, again},
		"LoginIsSatisfiedAfterwards":     {changes{prompt("login"), signedInSince}, issue},
		"LoginIsNotSatisfiedByChoosing":  {changes{prompt("login select_account"), chosen}, again},
		"LoginIsNotSatisfiedByConsent":   {changes{prompt("login consent"), allowedHere}, again},
		"LoginConsentAsksBoth":           {changes{prompt("login consent"), signedInSince}, consent},
		"LoginConsentEndsAfterBoth":      {changes{prompt("login consent"), signedInSince, allowedHere}, issue},
		"LoginAsksTheHostTwice":          {changes{prompt("login"), visited(1)}, again},
		"LoginEndsWhenTheHostIsContent":  {changes{prompt("login"), visited(2)}, loginRequired},
		"LoginIsSatisfiedAtTheLastVisit": {changes{prompt("login"), signedInSince, visited(2)}, issue},
		"LoginOfNobodyIsASignIn":         {changes{prompt("login"), nobody}, signIn},

		"ConsentAsksAgain":              {changes{prompt("consent")}, consent},
		"ConsentIsSatisfiedAfterwards":  {changes{prompt("consent"), allowedHere}, issue},
		"ConsentOfAnotherUserIsNone":    {changes{prompt("consent"), allowedByBob}, consent},
		"ConsentAsksEvenForTheHostsOwn": {changes{prompt("consent"), skipConsent}, consent},
		"ConsentGivenForLessIsNone":     {changes{prompt("consent"), allowedHere, allowed("openid")}, consent},

		"SelectAccountShowsTheChooser":     {changes{prompt("select_account")}, choose},
		"SelectAccountEndsWhenChosen":      {changes{prompt("select_account"), chosen}, issue},
		"SelectAccountIsNotChosenByOthers": {changes{prompt("select_account"), chosenByBob}, choose},
		"SelectAccountEndsByASignIn":       {changes{prompt("select_account"), signedInSince}, issue},
		"SelectAccountThenConsent":         {changes{prompt("select_account consent"), chosen}, consent},
		"SelectAccountOfNobodyIsASignIn":   {changes{prompt("select_account"), nobody, chosen}, signIn},
		"SelectAccountComesBeforeConsent":  {changes{prompt("select_account"), noConsent}, choose},
		"SelectAccountComesAfterMaxAge":    {changes{prompt("select_account"), maxAge(time.Minute)}, again},

		"SeveralScopesAreToBePicked":       {changes{toPick}, pick},
		"PickingComesBeforeTheSignIn":      {changes{toPick, nobody}, pick},
		"PickingComesBeforeEveryPrompt":    {changes{toPick, prompt("login consent select_account"), op("signup")}, pick},
		"PickingEndsOnce":                  {changes{toPick, picked}, issue},
		"WhatIsPickedIsAskedFor":           {changes{toPick, picked, moreGroups}, consent},
		"SilentPicksNothing":               {changes{toPick, prompt("none")}, decision{stepRefuse, protocol.InteractionRequired}},
		"SilentPicksNothingWithoutSession": {changes{toPick, prompt("none"), nobody}, decision{stepRefuse, protocol.InteractionRequired}},
		"SilentAnswersWhatWasPicked":       {changes{toPick, picked, prompt("none")}, issue},

		"CreateShowsSignUp":            {changes{prompt("create"), nobody}, signUp},
		"CreateShowsSignUpInASession":  {changes{prompt("create")}, signUp},
		"CreateEndsWithTheNewAccount":  {changes{prompt("create"), signedInSince}, issue},
		"SignUpComesFirst":             {changes{op("signup"), nobody}, signUp},
		"SignUpComesFirstInASession":   {changes{op("signup")}, signUp},
		"SignUpIsOfferedOnce":          {changes{op("signup"), visited(1)}, issue},
		"SignInIsOfferedOnce":          {changes{op("signin"), visited(1)}, issue},
		"CreateIsOfferedOnce":          {changes{prompt("create"), visited(1)}, issue},
		"NobodyIsAskedTwice":           {changes{nobody, visited(1)}, signIn},
		"NobodyIsNotAskedForEver":      {changes{nobody, visited(2)}, loginRequired},
		"SignUpEndsWithTheNewAccount":  {changes{op("signup"), signedInSince}, issue},
		"SignInIsShownInASession":      {changes{op("signin")}, signIn},
		"SignInEndsAfterwards":         {changes{op("signin"), signedInSince}, issue},
		"SignUpDoesNotReplaceTheLogin": {changes{op("signup"), prompt("login")}, again},

		"MaxAgeAsksWhenOlder":           {changes{maxAge(time.Hour - time.Second)}, again},
		"MaxAgeAllowsWhatIsAsOld":       {changes{maxAge(time.Hour)}, issue},
		"MaxAgeAsksWhoSeemsToComeLater": {changes{maxAge(time.Hour), ahead}, again},
		"MaxAgeZeroAsks":                {changes{maxAge(0)}, again},
		"MaxAgeZeroEndsAfterwards":      {changes{maxAge(0), signedInSince}, issue},
		"MaxAgeStaysWithOldConsents":    {changes{maxAge(0), allowedHere}, again},

		"HintOfTheUserChangesNothing":  {changes{hintSubject("alice")}, issue},
		"HintOfSomebodyElseSignsIn":    {changes{hintSubject("bob")}, signIn},
		"HintOfSomebodyElseStaysWrong": {changes{hintSubject("bob"), signedInSince}, loginRequired},
		"HintHoldsAgainstChoosing":     {changes{hintSubject("bob"), prompt("select_account"), chosen}, signIn},
		"HintIsNotAskedForForEver":     {changes{hintSubject("bob"), visited(2)}, loginRequired},
		"HintOfNobodyIsASignIn":        {changes{hintSubject("bob"), nobody}, signIn},

		"HostsOwnAsksNothing":                {changes{skipConsent, noConsent}, issue},
		"HostsOwnStillSignsIn":               {changes{skipConsent, nobody}, signIn},
		"AppIsAskedEveryTime":                {changes{native("http://127.0.0.1:4711/cb")}, consent},
		"AppIsAskedEvenWhenOfTheHost":        {changes{native("com.example.app:/cb"), skipConsent}, consent},
		"AppEndsAfterTheDecision":            {changes{native("com.example.app:/cb"), allowedHere}, issue},
		"AppIsNotServedByADecisionForLess":   {changes{native("com.example.app:/cb"), allowedHere, allowed("openid")}, consent},
		"AppOfTheHostIsNotServedWithoutAny":  {changes{native("com.example.app:/cb"), skipConsent, noConsent}, consent},
		"ConfidentialOnLoopbackIsRemembered": {changes{func(s *authState) { s.request.RedirectURI = "http://127.0.0.1/cb" }}, issue},
	} {
		t.Run(name, func(t *testing.T) {
			if got := nextStep(stateMade(c.changes...)); got != c.want {
				t.Errorf("next step %+v, want %+v", got, c.want)
			}
		})
	}
}

// Whatever else is asked for, prompt=none never leads to a page.
func TestNextStepIsSilentInEverySituation(t *testing.T) {
	options := []func(*authState){
		allowed("openid"), signedInSince, chosen, op("signup"), op("signin"), maxAge(0), hintSubject("alice"),
		hintSubject("bob"), skipConsent, native("com.example.app:/cb"), toPick, noConsent, nobody, // what takes away comes last
	}
	for set := range 1 << len(options) {
		s := stateMade(prompt("none"))
		s.candidates = nil
		for i, change := range options {
			if set&(1<<i) != 0 {
				change(&s)
			}
		}
		if d := nextStep(reached(s)); d.step != stepIssue && d.step != stepRefuse {
			t.Fatalf("options %b: step %v", set, d.step)
		}
	}
}
