package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/engine"
	"github.com/bonafide-id/bonafide/storage"
)

// situationMade returns a situation in which alice signed in an hour ago, allowed
// the application what it asks for half an hour ago, and the request has just come.
func situationMade(change ...func(*situation)) situation {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := situation{
		request: &engine.AuthorizeRequest{
			Client:      &engine.Client{Client: storage.Client{ID: "app"}},
			RedirectURI: "https://rp.test/cb", Scopes: []string{"openid", "identity"}, MaxAge: -1,
		},
		user:      &SignedIn{UserID: "alice", AuthTime: now.Add(-time.Hour)},
		consent:   &storage.Consent{Scopes: []string{"openid", "identity"}, DecidedAt: now.Add(-30 * time.Minute)},
		firstSeen: now, now: now,
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func nobody(s *situation)    { s.user = nil }
func noConsent(s *situation) { s.consent = nil }
func chosen(s *situation)    { s.chosen = true }

// signedInSince and decidedSince count from the moment of the request.
func signedInSince(d time.Duration) func(*situation) {
	return func(s *situation) { s.user.AuthTime = s.firstSeen.Add(d) }
}

func decidedSince(d time.Duration) func(*situation) {
	return func(s *situation) { s.consent.DecidedAt = s.firstSeen.Add(d) }
}

func prompt(values string) func(*situation) {
	return func(s *situation) { s.request.Prompt = strings.Fields(values) }
}

func op(value string) func(*situation) {
	return func(s *situation) { s.request.Op = value }
}

func maxAge(d time.Duration) func(*situation) {
	return func(s *situation) { s.request.MaxAge = d }
}

func hinted(subject string) func(*situation) {
	return func(s *situation) { s.hinted = subject }
}

func allowed(scopes ...string) func(*situation) {
	return func(s *situation) { s.consent.Scopes = scopes }
}

func native(redirectURI string) func(*situation) {
	return func(s *situation) { s.request.Client.Public, s.request.RedirectURI = true, redirectURI }
}

func skipConsent(s *situation) { s.request.Client.SkipConsent = true }

func TestNextStep(t *testing.T) {
	type changes = []func(*situation)
	issue, signIn, again := decision{step: stepIssue}, decision{step: stepSignIn}, decision{step: stepReauthenticate}
	signUp, choose, consent := decision{step: stepSignUp}, decision{step: stepChoose}, decision{step: stepConsent}
	loginRequired := decision{stepRefuse, engine.LoginRequired}
	consentRequired := decision{stepRefuse, engine.ConsentRequired}

	for name, c := range map[string]struct {
		changes changes
		want    decision
	}{
		"AnswersWhoIsSignedInAndHasAllowedIt": {nil, issue},
		"NobodySignsIn":                       {changes{nobody}, signIn},
		"AsksForConsentOnce":                  {changes{noConsent}, consent},
		"AsksForWhatIsMore":                   {changes{allowed("openid")}, consent},
		"AsksNotForWhatIsLess":                {changes{allowed("openid", "identity", "military")}, issue},

		"SilentAnswers":                            {changes{prompt("none")}, issue},
		"SilentShowsNoSignIn":                      {changes{prompt("none"), nobody}, loginRequired},
		"SilentShowsNoSignUp":                      {changes{prompt("none"), nobody, op("signup")}, loginRequired},
		"SilentShowsNoConsent":                     {changes{prompt("none"), noConsent}, consentRequired},
		"SilentIsNotHeldUpBySignUp":                {changes{prompt("none"), op("signup")}, issue},
		"SilentIsNotHeldUpBySignIn":                {changes{prompt("none"), op("signin")}, issue},
		"SilentAsksNotAgainForAge":                 {changes{prompt("none"), maxAge(time.Minute)}, loginRequired},
		"SilentIsNotForSomebodyElse":               {changes{prompt("none"), hinted("bob")}, loginRequired},
		"SilentIsForWhoIsHinted":                   {changes{prompt("none"), hinted("alice")}, issue},
		"SilentNeverForAppOnLoopback":              {changes{prompt("none"), native("http://127.0.0.1/cb")}, consentRequired},
		"SilentNeverForAppWithScheme":              {changes{prompt("none"), native("com.example.app:/cb")}, consentRequired},
		"SilentNeverForAppEvenOfTheHost":           {changes{prompt("none"), native("com.example.app:/cb"), skipConsent}, consentRequired},
		"SilentForPublicPageWithAnAddressOfItsOwn": {changes{prompt("none"), native("https://rp.test/cb")}, issue},

		"LoginAsksAgain":                       {changes{prompt("login")}, again},
		"LoginIsNotSatisfiedByTheSecondBefore": {changes{prompt("login"), signedInSince(-time.Microsecond)}, again},
		"LoginIsSatisfiedAfterwards":           {changes{prompt("login"), signedInSince(time.Second)}, issue},
		"LoginIsSatisfiedAtOnce":               {changes{prompt("login"), signedInSince(0)}, issue},
		"LoginIsNotSatisfiedByChoosing":        {changes{prompt("login select_account"), chosen}, again},
		"LoginIsNotSatisfiedByConsent":         {changes{prompt("login consent"), decidedSince(time.Second)}, again},
		"LoginConsentAsksBoth":                 {changes{prompt("login consent"), signedInSince(time.Second)}, consent},
		"LoginConsentEndsAfterBoth":            {changes{prompt("login consent"), signedInSince(time.Second), decidedSince(2 * time.Second)}, issue},
		"LoginOfNobodyIsASignIn":               {changes{prompt("login"), nobody}, signIn},

		"ConsentAsksAgain":              {changes{prompt("consent")}, consent},
		"ConsentIsSatisfiedAfterwards":  {changes{prompt("consent"), decidedSince(time.Second)}, issue},
		"ConsentAsksEvenForTheHostsOwn": {changes{prompt("consent"), skipConsent}, consent},
		"ConsentGivenForLessIsNone":     {changes{prompt("consent"), decidedSince(time.Second), allowed("openid")}, consent},

		"SelectAccountShowsTheChooser":    {changes{prompt("select_account")}, choose},
		"SelectAccountEndsWhenChosen":     {changes{prompt("select_account"), chosen}, issue},
		"SelectAccountEndsByASignIn":      {changes{prompt("select_account"), signedInSince(time.Second)}, issue},
		"SelectAccountThenConsent":        {changes{prompt("select_account consent"), chosen}, consent},
		"SelectAccountOfNobodyIsASignIn":  {changes{prompt("select_account"), nobody, chosen}, signIn},
		"SelectAccountComesBeforeConsent": {changes{prompt("select_account"), noConsent}, choose},
		"SelectAccountComesAfterMaxAge":   {changes{prompt("select_account"), maxAge(time.Minute)}, again},

		"CreateShowsSignUp":            {changes{prompt("create"), nobody}, signUp},
		"CreateShowsSignUpInASession":  {changes{prompt("create")}, signUp},
		"CreateEndsWithTheNewAccount":  {changes{prompt("create"), signedInSince(time.Second)}, issue},
		"SignUpComesFirst":             {changes{op("signup"), nobody}, signUp},
		"SignUpComesFirstInASession":   {changes{op("signup")}, signUp},
		"SignUpEndsWithTheNewAccount":  {changes{op("signup"), signedInSince(time.Second)}, issue},
		"SignInIsShownInASession":      {changes{op("signin")}, signIn},
		"SignInEndsAfterwards":         {changes{op("signin"), signedInSince(time.Second)}, issue},
		"SignUpDoesNotReplaceTheLogin": {changes{op("signup"), prompt("login")}, again},

		"MaxAgeAsksWhenOlder":        {changes{maxAge(time.Hour - time.Second)}, again},
		"MaxAgeAllowsWhatIsAsOld":    {changes{maxAge(time.Hour)}, issue},
		"MaxAgeZeroAsks":             {changes{maxAge(0)}, again},
		"MaxAgeZeroEndsAfterwards":   {changes{maxAge(0), signedInSince(time.Second)}, issue},
		"MaxAgeStaysWithOldConsents": {changes{maxAge(0), decidedSince(time.Second)}, again},

		"HintOfTheUserChangesNothing":  {changes{hinted("alice")}, issue},
		"HintOfSomebodyElseSignsIn":    {changes{hinted("bob")}, signIn},
		"HintOfSomebodyElseStaysWrong": {changes{hinted("bob"), signedInSince(time.Second)}, loginRequired},
		"HintHoldsAgainstChoosing":     {changes{hinted("bob"), prompt("select_account"), chosen}, signIn},
		"HintOfNobodyIsASignIn":        {changes{hinted("bob"), nobody}, signIn},

		"HostsOwnAsksNothing":                {changes{skipConsent, noConsent}, issue},
		"HostsOwnStillSignsIn":               {changes{skipConsent, nobody}, signIn},
		"AppIsAskedEveryTime":                {changes{native("http://127.0.0.1:4711/cb")}, consent},
		"AppIsAskedEvenWhenOfTheHost":        {changes{native("com.example.app:/cb"), skipConsent}, consent},
		"AppEndsAfterTheDecision":            {changes{native("com.example.app:/cb"), decidedSince(time.Second)}, issue},
		"AppIsNotServedByADecisionForLess":   {changes{native("com.example.app:/cb"), decidedSince(time.Second), allowed("openid")}, consent},
		"AppOfTheHostIsNotServedWithoutAny":  {changes{native("com.example.app:/cb"), skipConsent, noConsent}, consent},
		"ConfidentialOnLoopbackIsRemembered": {changes{func(s *situation) { s.request.RedirectURI = "http://127.0.0.1/cb" }}, issue},
	} {
		t.Run(name, func(t *testing.T) {
			if got := nextStep(situationMade(c.changes...)); got != c.want {
				t.Errorf("next step %+v, want %+v", got, c.want)
			}
		})
	}
}

// Whatever else is asked for, prompt=none never leads to a page.
func TestNextStepIsSilentInEverySituation(t *testing.T) {
	options := []func(*situation){
		allowed("openid"), signedInSince(time.Second), chosen, op("signup"), op("signin"), maxAge(0), hinted("alice"),
		hinted("bob"), skipConsent, native("com.example.app:/cb"), noConsent, nobody, // what takes away comes last
	}
	for set := range 1 << len(options) {
		s := situationMade(prompt("none"))
		for i, change := range options {
			if set&(1<<i) != 0 {
				change(&s)
			}
		}
		if d := nextStep(s); d.step != stepIssue && d.step != stepRefuse {
			t.Fatalf("options %b: step %v", set, d.step)
		}
	}
}
