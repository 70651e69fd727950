package authflow

import (
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/storage"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// longAgo is when an account got its factors, where nothing else is said.
var longAgo = noon.Add(-365 * 24 * time.Hour)

// given is a factor that was presented some time ago.
func given(m storage.Method, ago time.Duration) storage.Factor {
	return storage.Factor{Method: m, At: noon.Add(-ago), Since: longAgo}
}

func passwordAlone() assurance.Has {
	return assurance.Has{Password: true, PasswordSince: longAgo}
}

func withApp() assurance.Has {
	h := passwordAlone()
	h.TOTP, h.TOTPSince, h.RecoveryCodes, h.RecoveryCodesSince = true, longAgo, true, longAgo
	return h
}

func withKey() assurance.Has {
	h := passwordAlone()
	h.Passkey, h.PasskeySince = true, longAgo
	return h
}

// keySince is withKey whose passkey was added some time ago.
func keySince(ago time.Duration) assurance.Has {
	h := withKey()
	h.PasskeySince = noon.Add(-ago)
	return h
}

func must(level storage.Assurance) assurance.Demand {
	return assurance.Demand{Must: assurance.Requirement{Level: level}}
}

func within(level storage.Assurance, age time.Duration) assurance.Demand {
	return assurance.Demand{Must: assurance.Requirement{Level: level, MaxAge: age}}
}

func enrolled(level storage.Assurance, since time.Duration) assurance.Demand {
	return assurance.Demand{Must: assurance.Requirement{Level: level, Enrolled: since}}
}

func oneOf(essential bool, levels ...storage.Assurance) assurance.Demand {
	d := assurance.Demand{Essential: essential}
	for _, level := range levels {
		d.AnyOf = append(d.AnyOf, assurance.Requirement{Level: level})
	}
	return d
}

func TestJudge(t *testing.T) {
	pwd, app := given(storage.Password, time.Hour), given(storage.TOTPCode, time.Hour)
	key, touch := given(storage.PasskeyVerified, time.Hour), given(storage.PasskeyPresent, time.Hour)
	code, now := given(storage.RecoveryCode, time.Hour), given(storage.Password, time.Minute)
	key1 := given(storage.PasskeyVerified, time.Minute)
	one, two, phr := storage.OneFactor, storage.TwoFactors, storage.PhishingResistant
	const day = 24 * time.Hour
	newKey := storage.Factor{Method: storage.PasskeyVerified, At: noon.Add(-time.Minute), Since: noon.Add(-time.Hour)}
	for name, c := range map[string]struct {
		demand  assurance.Demand
		has     assurance.Has
		factors []storage.Factor
		want    verdict
		asked   assurance.Requirement
	}{
		"NothingIsAsked":               {assurance.Demand{}, passwordAlone(), []storage.Factor{pwd}, suffices, assurance.Requirement{}},
		"AppBesideThePassword":         {must(two), withApp(), []storage.Factor{pwd, app}, suffices, assurance.Requirement{Level: two}},
		"CodeBesideThePassword":        {must(two), withApp(), []storage.Factor{pwd, code}, suffices, assurance.Requirement{Level: two}},
		"TouchBesideThePassword":       {must(two), withKey(), []storage.Factor{pwd, touch}, suffices, assurance.Requirement{Level: two}},
		"TouchIsNoPasskey":             {must(phr), withKey(), []storage.Factor{pwd, touch}, present, assurance.Requirement{Level: phr}},
		"PasskeyIsTwoFactors":          {must(two), withKey(), []storage.Factor{key}, suffices, assurance.Requirement{Level: two}},
		"SecondIsAskedFor":             {must(two), withApp(), []storage.Factor{pwd}, present, assurance.Requirement{Level: two}},
		"AppIsNoPasskey":               {must(phr), withApp(), []storage.Factor{pwd, app}, present, assurance.Requirement{Level: two, MaxAge: EnrolAge}},
		"AddsOneWhoHasNone":            {must(two), passwordAlone(), []storage.Factor{now}, enrol, assurance.Requirement{Level: two}},
		"AddsOneAfterThePasswordAgain": {must(two), passwordAlone(), []storage.Factor{pwd}, present, assurance.Requirement{Level: one, MaxAge: EnrolAge}},
		"AddsAPasskeyToThePassword":    {must(phr), passwordAlone(), []storage.Factor{now}, enrol, assurance.Requirement{Level: phr}},

		"TooOld":               {within(one, time.Minute), passwordAlone(), []storage.Factor{pwd}, present, assurance.Requirement{Level: one, MaxAge: time.Minute}},
		"OldSecond":            {within(two, 10*time.Minute), withApp(), []storage.Factor{now, app}, present, assurance.Requirement{Level: two, MaxAge: 10 * time.Minute}},
		"NewFirstIsEnough":     {within(one, 10*time.Minute), withApp(), []storage.Factor{now, app}, suffices, assurance.Requirement{Level: one, MaxAge: 10 * time.Minute}},
		"NewPasskeyIsEnough":   {within(one, 10*time.Minute), withKey(), []storage.Factor{pwd, key1}, suffices, assurance.Requirement{Level: one, MaxAge: 10 * time.Minute}},
		"NeverWithAWrongClock": {within(one, time.Hour), passwordAlone(), []storage.Factor{given(storage.Password, -time.Hour)}, present, assurance.Requirement{Level: one, MaxAge: time.Hour}},

		"NewPasskeyIsTooNew":      {enrolled(phr, day), keySince(time.Hour), []storage.Factor{newKey}, unmet, assurance.Requirement{Level: phr, Enrolled: day}},
		"OldPasskeyIsOldEnough":   {enrolled(phr, day), withKey(), []storage.Factor{key}, suffices, assurance.Requirement{Level: phr, Enrolled: day}},
		"OldOneIsAskedFor":        {enrolled(phr, day), withKey(), []storage.Factor{newKey}, present, assurance.Requirement{Level: phr, Enrolled: day}},
		"NewPasswordIsTooNew":     {enrolled(one, day), assurance.Has{Password: true, PasswordSince: noon}, []storage.Factor{{Method: storage.Password, At: noon, Since: noon}}, unmet, assurance.Requirement{Level: one, Enrolled: day}},
		"FirstPasskeyMayBeAdded":  {enrolled(phr, day), passwordAlone(), []storage.Factor{now}, enrol, assurance.Requirement{Level: phr, Enrolled: day}},
		"AppOfBeforeIsEnoughThen": {enrolled(two, day), withApp(), []storage.Factor{pwd, app}, suffices, assurance.Requirement{Level: two, Enrolled: day}},

		"WishIsGranted":           {oneOf(false, two), withApp(), []storage.Factor{pwd, app}, suffices, assurance.Requirement{Level: two}},
		"WishIsAskedFor":          {oneOf(false, two), withApp(), []storage.Factor{pwd}, present, assurance.Requirement{Level: two}},
		"WishOfTheEasiest":        {oneOf(false, phr, two), withApp(), []storage.Factor{pwd}, present, assurance.Requirement{Level: two}},
		"WishAddsNothing":         {oneOf(false, phr), withApp(), []storage.Factor{pwd}, suffices, assurance.Requirement{}},
		"WishOfOneIsGranted":      {oneOf(false, phr, one), withKey(), []storage.Factor{pwd}, suffices, assurance.Requirement{Level: one}},
		"ConditionIsAskedFor":     {oneOf(true, phr, two), withKey(), []storage.Factor{pwd}, present, assurance.Requirement{Level: two}},
		"ConditionAddsAFactor":    {oneOf(true, phr, two), passwordAlone(), []storage.Factor{now}, enrol, assurance.Requirement{Level: two}},
		"ConditionOfOneOfSeveral": {oneOf(true, phr, one), passwordAlone(), []storage.Factor{pwd}, suffices, assurance.Requirement{Level: one}},

		"HighestIsThePasskey":     {assurance.Demand{Highest: true}, withKey(), []storage.Factor{pwd}, present, assurance.Requirement{Level: phr}},
		"HighestIsThePassword":    {assurance.Demand{Highest: true}, passwordAlone(), []storage.Factor{pwd}, suffices, assurance.Requirement{Level: one}},
		"HighestIsNoRecoveryCode": {assurance.Demand{Highest: true}, withApp(), []storage.Factor{pwd}, present, assurance.Requirement{Level: two}},

		"AfreshIsAskedAgain": {assurance.Demand{Afresh: true}, withKey(), []storage.Factor{key}, present, assurance.Requirement{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := standing{demand: c.demand, has: c.has, isOurs: true, highest: phr, now: noon, candidates: assurance.Candidates(c.factors, nil)}
			if what, asked := s.judge(); what != c.want || asked != c.asked {
				t.Errorf("verdict %d, asked for %+v; want %d, %+v", what, asked, c.want, c.asked)
			}
		})
	}
	t.Run("NobodyAddsWhatIsSwitchedOff", func(t *testing.T) {
		s := standing{demand: must(phr), has: passwordAlone(), isOurs: true, highest: two, now: noon, candidates: assurance.Candidates([]storage.Factor{now}, nil)}
		if what, _ := s.judge(); what != unmet {
			t.Errorf("verdict %d", what)
		}
	})
}

// Whatever is asked of whatever account, its owner gets there by presenting what the page
// offers, or is asked for a new factor, or refused; nobody is asked for ever, and nobody is
// let through who has not met the conditions.
func TestEveryoneGetsSomewhere(t *testing.T) {
	const day = 24 * time.Hour
	accounts := []assurance.Has{passwordAlone(), withApp(), withKey(), keySince(time.Hour)}
	both := withApp()
	both.Passkey, both.PasskeySince = true, longAgo
	accounts = append(accounts, both, assurance.Has{Passkey: true, PasskeySince: longAgo})
	sessions := [][]storage.Factor{
		{given(storage.Password, time.Hour)}, {given(storage.Password, time.Hour), given(storage.TOTPCode, 2*time.Hour)},
		{given(storage.PasskeyVerified, time.Hour)}, {given(storage.Password, time.Minute), given(storage.PasskeyVerified, day)}, nil,
	}
	var demands []assurance.Demand
	for level := storage.AnyAssurance; level <= storage.PhishingResistant; level++ {
		for _, age := range []time.Duration{0, time.Second, 10 * time.Minute} {
			for _, since := range []time.Duration{0, day} {
				for _, afresh := range []bool{false, true} {
					r := assurance.Requirement{Level: level, MaxAge: age, Enrolled: since}
					demands = append(demands, assurance.Demand{Must: r, Afresh: afresh}, assurance.Demand{Must: r, Afresh: afresh, Highest: true},
						assurance.Demand{Must: r, Afresh: afresh, AnyOf: []assurance.Requirement{{Level: storage.PhishingResistant}, {Level: storage.TwoFactors, MaxAge: time.Minute}}},
						assurance.Demand{Must: r, Afresh: afresh, Essential: true, AnyOf: []assurance.Requirement{{Level: storage.PhishingResistant}, {Level: storage.TwoFactors, MaxAge: time.Minute}}})
				}
			}
		}
	}
	for _, d := range demands {
		for _, has := range accounts {
			for _, session := range sessions {
				getSomewhere(t, d, has, session)
			}
		}
	}
}

func getSomewhere(t *testing.T, d assurance.Demand, has assurance.Has, session []storage.Factor) {
	t.Helper()
	now, user, fresh := noon, &User{Factors: session}, map[storage.Method]bool{}
	isFresh := func(m storage.Method, _ time.Time) bool { return fresh[m] }
	for range 4 {
		s := standing{demand: d, has: has, isOurs: true, highest: storage.PhishingResistant, now: now}
		s.candidates = assurance.Candidates(user.Factors, user.freshOnes(isFresh))
		what, _ := s.judge()
		switch what {
		case suffices:
			best, _, _ := s.choose()
			r := d.Condition(has)
			if best.Level < r.Level || d.Afresh && !best.Fresh || r.Enrolled > 0 && now.Sub(best.Since) < r.Enrolled ||
				r.MaxAge > 0 && !best.Fresh && now.Sub(best.At) > r.MaxAge {
				t.Fatalf("%+v is met by %+v", d, best)
			}
			return
		case unmet, enrol:
			if has.CanMeet(d.Condition(has), now) && !d.Essential {
				t.Fatalf("%+v: verdict %d for %+v, who can meet it", d, what, has)
			}
			return
		}
		asked := s.asked(user, isFresh)
		ways := has.Ways(asked.Requirement, asked.Given, now)
		if len(ways) == 0 {
			t.Fatalf("%+v: asks %+v for %+v, and offers nothing", d, has, asked.Requirement)
		}
		presented := storage.Factor{Method: ways[len(ways)-1], At: now, Since: longAgo} // the worst
		if presented.Method == storage.PasskeyVerified {
			presented.Since = has.PasskeySince
		}
		fresh[presented.Method] = true
		user = &User{Factors: assurance.With(user.Factors, presented)}
		now = now.Add(5 * time.Second)
	}
	t.Fatalf("%+v: asks %+v, signed in by %+v, for ever", d, has, session)
}
