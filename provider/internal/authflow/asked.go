package authflow

import (
	"context"
	"net/http"
	"slices"

	"github.com/bonafide-id/bonafide/provider/internal/assurance"
	"github.com/bonafide-id/bonafide/provider/internal/engine/authorization"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/storage"
)

// Asked is what a page asks of the authentication of its user.
type Asked struct {
	// User is the signed-in user who has to authenticate again, or further; nil for nobody:
	// then anybody may sign in.
	User *User

	// Demand is asked of whoever signs in on the page.
	Demand assurance.Demand

	// SelectAccount reports that whoever signs in chooses an account: the request asks so, or
	// somebody who was signed in has signed out to change it.
	SelectAccount bool

	// Requirement is what is to be asked of User now: with the factors that User presents,
	// and those Given, which count already.
	Requirement assurance.Requirement
	Given       []storage.Factor

	// Enrol reports that the account of User cannot meet the Requirement, and that User has
	// just authenticated as well as it can: the page /signin/enrol adds a factor.
	Enrol bool
}

// Asked returns what is asked on a page. A persona has nothing to present, and is selected
// again.
func (e *consents) Asked(r *http.Request, p *Page) (Asked, error) {
	user, err := p.User()
	if err != nil {
		return Asked{}, err
	}
	fresh := never
	var s standing
	if p.Flow != nil {
		state, err := e.readState(r.Context(), p.Flow, user)
		if err != nil {
			return Asked{}, err
		}
		s = state.standing()
		if user != nil {
			if next := nextStep(state).step; next != stepReauthenticate && next != stepEnrol {
				return Asked{Demand: s.demand}, nil
			}
			fresh = p.Flow.isFresh(user, s.now)
		}
	} else if s, err = e.standingOn(r.Context(), p.Return, user); err != nil {
		return Asked{}, err
	}
	if user == nil || e.Personas.Plays(user.UserID) {
		chooses := user == nil && p.Flow != nil && (len(p.Flow.seen) > 0 || p.Flow.request.HasPrompt(authorization.PromptSelectAccount))
		return Asked{Demand: s.demand, SelectAccount: chooses}, nil
	}
	return s.asked(user, fresh), nil
}

// asked returns what is asked of a user.
func (s standing) asked(user *User, fresh freshness) Asked {
	what, requirement := s.judge()
	if what == suffices {
		return Asked{Demand: s.demand}
	}
	given := slices.Clone(user.Factors)
	if s.demand.Afresh {
		given = user.freshOnes(fresh)
	}
	for i, f := range given {
		if fresh(f.Method, f.At) { // as old as it may be
			given[i].At = s.now
		}
	}
	return Asked{User: user, Demand: s.demand, Requirement: requirement, Given: given, Enrol: what == enrol}
}

// standingOn returns the standing of a user, or of nobody, on a page without a flow.
func (e *consents) standingOn(ctx context.Context, to *Return, user *User) (standing, error) {
	s := standing{highest: e.Classes.Highest, now: e.Clock()}
	if user == nil || e.isOurs(user) {
		s.demand.Must.Level = e.Require
	}
	if to != nil {
		s.demand.Must, s.demand.Highest = s.demand.Must.And(to.Requires), to.Highest
	}
	err := e.stand(ctx, &s, user, never)
	return s, err
}

// stand completes a standing with what is known of a user, who may be nil. What the account
// can present is read only if the user must present more, or it matters.
func (e *consents) stand(ctx context.Context, s *standing, user *User, fresh freshness) (err error) {
	if user == nil {
		return nil
	}
	s.candidates = user.candidates(fresh)
	s.isOurs = e.isOurs(user)
	if !s.isOurs {
		s.demand.Highest = false
		return nil
	}
	if _, ok, granted := s.choose(); !ok || !granted || s.demand.Highest {
		s.has, err = e.Has(ctx, user.Account)
	}
	return err
}

// isOurs reports whether a user has an account with factors.
func (e *flows) isOurs(user *User) bool { return e.hasAccounts() && !e.Personas.Plays(user.UserID) }

// Suffices reports whether a user may open a page that asks for a sign-in.
func (e *consents) Suffices(ctx context.Context, user *User, to Return) (bool, error) {
	if user == nil {
		return false, nil
	}
	s, err := e.standingOn(ctx, &to, user)
	if err != nil {
		return false, err
	}
	_, ok, _ := s.choose()
	return ok, nil
}

// RequiresNow returns what is required now of the authentication behind a grant. The maximum
// age is that of the scopes: those of the application and of its request concern the
// authorization alone.
func (e *consents) RequiresNow(g storage.Grant, c *registry.Client, scopes []string) assurance.Requirement {
	required := assurance.Requirement{Level: c.Requires.Assurance, Enrolled: c.Requires.Enrolled}
	if e.Claims.Catalogue.Demanding() {
		required = required.And(e.Claims.Catalogue.Requires(scopes, authorization.ClaimsOf(g).Handles()))
	}
	if e.hasAccounts() && !g.AuthTime.IsZero() && !e.Personas.Plays(g.Subject) {
		required.Level = max(required.Level, e.Require)
	}
	return required
}

// policy returns what is required of a user, or of whoever signs in, before an application
// gets what it requests.
func (e *flows) policy(user *User, c *registry.Client, t terms) assurance.Requirement {
	required := assurance.Required(c.Requires).And(e.Claims.Catalogue.Requires(t.Scopes, t.Claims))
	if user == nil || e.isOurs(user) {
		required = required.And(assurance.Requirement{Level: e.Require})
	}
	return required
}
