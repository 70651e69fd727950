package verification_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/openid"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// campus is a university with accounts of its own, another Bonafide, at which our people can be
// verified, and sign in.
type campus struct {
	*providertest.Server
	ours *providertest.Server
	ends time.Time
}

func newCampus(t *testing.T) *campus {
	t.Helper()
	c := &campus{Server: providertest.New(t, providertest.Config{})}
	c.ends = c.Now().AddDate(0, 2, 0).Truncate(time.Second)
	up := provider.Upstream{
		ID: "the-campus", Title: "State University", Groups: c.groups,
		Connector: openid.New(openid.Options{
			Issuer: c.Issuer(), ClientID: "ours", Secret: "a secret of ours at the campus ..", Scopes: []string{"military"}, UserInfo: true,
		}),
	}
	c.ours = providertest.New(t, providertest.Config{Policies: verification.Policies{{
		Group: "military",
		Rule:  verification.By(verification.Upstream(verification.UpstreamConfig{Upstream: up, Egress: verification.Egress{AllowPrivate: true}})),
	}}})
	_, err := c.Register(t.Context(), provider.Client{
		ID: "ours", Secret: "a secret of ours at the campus ..", RedirectURIs: []string{c.ours.URL + "/verification/return/the_campus"},
	})
	testkit.OK(t, err)
	return c
}

// groups is what a host writes.
func (c *campus) groups(who upstream.Identity) []provider.Status {
	said, _ := who.Claims["status"].([]any)
	if !slices.ContainsFunc(said, func(s any) bool {
		status, _ := s.(map[string]any)
		return status["group"] == "military" && status["verified"] == true
	}) {
		return nil
	}
	return []provider.Status{{Group: "student"}, {Group: "military", Subgroups: []string{"Veteran"}, ExpiresAt: c.ends}}
}

// leaves has one of our personas leave for the campus, and returns the case and its address there.
func (c *campus) leaves(t *testing.T, persona string) (*providertest.Browser, verification.RecordedCase, string) {
	t.Helper()
	b := c.ours.NewBrowser()
	of, err := b.Verify(t.Context(), persona, "military", "the_campus")
	to, ok := of.Step.(verification.GoTo)
	if err != nil || !ok {
		t.Fatalf("%+v, %v", of, err)
	}
	return b, of, to.URL
}

func (c *campus) state(t *testing.T, id string) storage.CaseState {
	t.Helper()
	of := testkit.Must(c.ours.Verification.Case(t.Context(), id))(t)
	return of.State
}

// TestUpstream has people verified at an upstream provider.
func TestUpstream(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	t.Run("Verifies", func(t *testing.T) {
		b, of, address := c.leaves(t, "new-user")
		asked, err := url.Parse(address)
		if err != nil || asked.Query().Get("prompt") != "login" || asked.Query().Get("max_age") != "0" {
			t.Errorf("the session of the campus would do: %s", address)
		}
		back := c.SignIn(t, address, "veteran").String()
		of, err = b.ComeBack(t.Context(), of, back)
		if err != nil || of.State != storage.CaseApproved || of.Member.Source != "State University" || !of.Member.Until.Equal(c.ends) {
			t.Fatalf("%+v, %v", of, err)
		}
		held, err := c.ours.Provider.People().Statuses(t.Context(), of.UserID, "military")
		if err != nil || len(held) != 1 || !held[0].Verified || held[0].Source != "State University" || held[0].Origin != of.ID ||
			!held[0].ExpiresAt.Equal(c.ends) || !slices.Equal(held[0].Subgroups, []string{"Veteran"}) {
			t.Errorf("%+v, %v", held, err)
		}
		if others, err := c.ours.Provider.People().Statuses(t.Context(), of.UserID, "student"); err != nil || others[0].Verified {
			t.Errorf("a group that was not asked for: %+v, %v", others, err)
		}
		if has, err := c.ours.Provider.Accounts().Authenticators(t.Context(), of.UserID); err != nil || len(has.Links) > 0 {
			t.Errorf("a connection was made: %+v, %v", has, err)
		}
		if of, err = b.ComeBack(t.Context(), of, back); err != nil || of.State != storage.CaseApproved {
			t.Errorf("the same again: %+v, %v", of, err)
		}
	})
	t.Run("KnowsASecondPersonByTheSameIdentity", func(t *testing.T) {
		b, of, address := c.leaves(t, "minimal")
		of, err := b.ComeBack(t.Context(), of, c.SignIn(t, address, "veteran").String())
		if err != nil || of.State != storage.CaseReview {
			t.Errorf("%+v, %v", of, err)
		}
	})
	t.Run("RefusesWhoIsNoMember", func(t *testing.T) {
		b, of, address := c.leaves(t, "long-name")
		of, err := b.ComeBack(t.Context(), of, c.SignIn(t, address, "student").String())
		if err != nil || of.State != storage.CaseDeclined {
			t.Errorf("%+v, %v", of, err)
		}
	})
}

// TestAttackUpstream has people come back with what is not theirs.
func TestAttackUpstream(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	t.Run("InTheBrowserOfAnother", func(t *testing.T) {
		_, of, address := c.leaves(t, "student")
		eve, hers, _ := c.leaves(t, "emt")
		back := c.SignIn(t, address, "active-duty")
		if _, err := eve.ComeBack(t.Context(), hers, back.String()); err == nil || !strings.Contains(err.Error(), "404") {
			t.Errorf("another user: %v", err)
		}
		_, _ = c.ours.NewBrowser().ComeBack(t.Context(), of, back.String())
		if c.state(t, hers.ID) != storage.CaseOpen || c.state(t, of.ID) != storage.CaseOpen {
			t.Error("a case has moved")
		}
	})
	t.Run("WithTheCodeOfAnother", func(t *testing.T) {
		_, _, address := c.leaves(t, "firefighter")
		eve, hers, her := c.leaves(t, "student-expired")
		stolen, own := c.SignIn(t, address, "veteran"), c.SignIn(t, her, "student")
		query := own.Query()
		query.Set("code", stolen.Query().Get("code"))
		own.RawQuery = query.Encode()
		_, _ = eve.ComeBack(t.Context(), hers, own.String()) // PKCE and the nonce are of her visit
		if c.state(t, hers.ID) != storage.CaseOpen {
			t.Error("she is verified by the code of another")
		}
	})
	t.Run("WithAStateThatIsNotOfTheVisit", func(t *testing.T) {
		b, of, address := c.leaves(t, "rtl-name")
		back := c.SignIn(t, address, "veteran")
		for _, state := range []string{of.ID + ".a", of.ID + ".", strings.ToUpper(back.Query().Get("state"))} {
			forged, query := *back, back.Query()
			query.Set("state", state)
			forged.RawQuery = query.Encode()
			_, _ = b.ComeBack(t.Context(), of, forged.String())
			if c.state(t, of.ID) != storage.CaseOpen {
				t.Errorf("%q was accepted", state)
			}
		}
		if of, err := b.ComeBack(t.Context(), of, back.String()); err != nil || of.State != storage.CaseApproved {
			t.Errorf("the visit itself: %+v, %v", of, err)
		}
	})
}

// scripted is a connector that says what a test wants.
type scripted struct {
	who      upstream.Identity
	err      error
	finished int
	afresh   bool
}

func (s *scripted) Start(_ context.Context, r upstream.Request) (string, []byte, error) {
	s.afresh = r.Afresh
	return "https://campus.example/?state=" + url.QueryEscape(r.State), []byte("kept"), nil
}

func (s *scripted) Finish(_ context.Context, c upstream.Callback) (upstream.Identity, error) {
	s.finished++
	if string(c.Keep) != "kept" || c.Address != "https://id.example/return" {
		return upstream.Identity{}, errors.New("of another visit")
	}
	return s.who, s.err
}

// TestVisits tests what becomes of each answer of an upstream provider.
func TestVisits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	ada := upstream.Identity{Issuer: "https://campus.example", Subject: "ada"}
	dated := func(at time.Time) upstream.Identity { who := ada; who.AuthTime = at; return who }
	for name, test := range map[string]struct {
		says  scripted
		after time.Duration
		want  string // accepts, refuses, sends, reviews or fails
		by    func(*verification.UpstreamConfig)
	}{
		"Accepts":             {scripted{who: ada}, time.Minute, "accepts", nil},
		"AuthenticatedNow":    {scripted{who: dated(now.Add(time.Second))}, time.Minute, "accepts", nil},
		"AuthenticatedBefore": {scripted{who: dated(now.Add(-2 * time.Minute))}, time.Minute, "refuses", nil},
		"Denied":              {scripted{err: upstream.ErrDenied}, time.Minute, "refuses", nil},
		"Unavailable":         {scripted{err: upstream.ErrUnavailable}, time.Minute, "fails", nil},
		"NotBelieved":         {scripted{err: errors.New("signature")}, time.Minute, "fails", nil},
		"Nobody":              {scripted{}, time.Minute, "fails", nil},
		"Late":                {scripted{who: ada}, 10 * time.Minute, "sends", nil},
		"FromTheFuture":       {scripted{who: ada}, -time.Minute, "sends", nil},
		"AnySession":          {scripted{who: dated(now.Add(-time.Hour))}, time.Minute, "accepts", func(c *verification.UpstreamConfig) { c.AnySession = true }},
		"ByTheHost":           {scripted{who: ada}, time.Minute, "accepts", decides(verification.Accept{})},
		"Refuses":             {scripted{who: ada}, time.Minute, "refuses", decides(verification.Refuse{})},
		"HandsOver":           {scripted{who: ada}, time.Minute, "reviews", decides(verification.Review{})},
		"Asks":                {scripted{who: ada}, time.Minute, "fails", decides(verification.Ask{})},
		"SendsOn":             {scripted{who: ada}, time.Minute, "fails", decides(verification.GoTo{})},
		"Undecided":           {scripted{who: ada}, time.Minute, "fails", decides(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			says := test.says
			cfg := verification.UpstreamConfig{Upstream: provider.Upstream{
				ID: "campus", Title: "Campus", Connector: &says,
				Groups: func(upstream.Identity) []provider.Status { return []provider.Status{{Group: "student"}} },
			}}
			if test.by != nil {
				test.by(&cfg)
			}
			v := verification.Upstream(cfg)
			of := &verification.Case{
				ID: "c-1", Key: "k", Group: "student", RedirectURI: "https://id.example/return",
				Digest: func(string, string) [][32]byte { return [][32]byte{{1}} },
			}
			sent, err := v.Next(t.Context(), of, verification.Event{Kind: verification.Begun, At: now})
			to, ok := sent.(verification.GoTo)
			if err != nil || !ok {
				t.Fatal(sent, err)
			}
			address := testkit.Must(url.Parse(to.URL))(t)
			got, err := v.Next(t.Context(), of, verification.Event{
				Kind: verification.Returned, At: now.Add(test.after), Query: map[string]string{"state": address.Query().Get("state")},
			})
			if did := what(got, err); did != test.want || (test.want == "sends") != (says.finished == 0) {
				t.Errorf("it %s, finished %d: %+v, %v", did, says.finished, got, err)
			}
			if a, ok := got.(verification.Accept); ok && !slices.Equal(a.Proved, []verification.Fact{verification.IdentityFact(ada.Issuer, ada.Subject)}) {
				t.Errorf("%+v", a.Proved)
			}
			if says.afresh == cfg.AnySession {
				t.Errorf("asked to authenticate afresh: %t", says.afresh)
			}
		})
	}
}

// decides is a host whose function has one result.
func decides(r verification.Result) func(*verification.UpstreamConfig) {
	return func(c *verification.UpstreamConfig) {
		c.Upstream.Groups = nil
		c.Accept = func(context.Context, *verification.Case, upstream.Identity) (verification.Result, error) {
			return r, nil
		}
	}
}

func what(r verification.Result, err error) string {
	switch r.(type) {
	case verification.Accept:
		return "accepts"
	case verification.Refuse:
		return "refuses"
	case verification.Review:
		return "reviews"
	case verification.GoTo:
		return "sends"
	}
	if err != nil {
		return "fails"
	}
	return "nothing"
}
