package verification

import (
	"net/http"
	"sync"

	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/internal/batch"
	"github.com/bonafide-id/bonafide/provider/internal/share"
)

// A service is a core with rooms. A room knows the core and what it names here, and no room that
// knows it. Service has the verbs of all of them.

// core reads and seals cases, counts what people try, and mails them.
type core struct {
	Config
	base     string // the path at which the service is mounted, without a trailing slash
	policies map[string]*Policy
	groups   []catalogue.Group
	name     string   // of the service, for people
	baseURL  string   // the same as base, with scheme and host
	accounts bool     // people have an account here
	calls    sync.Map // see places
}

// evidenceFiles are the files that people submit.
type evidenceFiles struct {
	*core
	orphans   hourly
	leftovers batch.Cursor[string]
}

// memberships are what an approved case gives a person, until it ends.
type memberships struct{ *core }

// engine moves cases: it asks verifiers, hears them, and records what becomes of it.
type engine struct {
	*core
	evidenceFiles *evidenceFiles
	memberships   *memberships
	lookup        lookup

	wake      chan struct{} // something is due now
	callbacks *share.Pool   // callbacks that are applied
}

// caseSteps are what a person does in a case.
type caseSteps struct {
	*core
	evidenceFiles *evidenceFiles
	memberships   *memberships
	engine        *engine
}

// rosterLists are the lists of members that institutions send.
type rosterLists struct {
	*core
	memberships *memberships
	swept       sync.Map // rosterSweep by the name of the roster
}

// inviteCodes are those with which an institution invites its members.
type inviteCodes struct {
	*core
	rosterLists *rosterLists
}

// caseReviews are what reviewers decide.
type caseReviews struct {
	*core
	engine    *engine
	caseSteps *caseSteps
}

// casePages are the pages of a person.
type casePages struct {
	*core
	evidenceFiles *evidenceFiles
	engine        *engine
	caseSteps     *caseSteps
	caseReviews   *caseReviews

	mux    *http.ServeMux
	others []string // groups in which a verifier of the host's own verifies
}

func furnish(c *core) *Service {
	evidence, members := &evidenceFiles{core: c}, &memberships{c}
	rosters := &rosterLists{core: c, memberships: members}
	codes := &inviteCodes{c, rosters}
	cases := &engine{core: c, evidenceFiles: evidence, memberships: members, wake: make(chan struct{}, 1), callbacks: share.NewPool(maxCallbacks)}
	cases.lookup = struct {
		rosterLookup
		codeLookup
	}{rosters, codes}
	steps := &caseSteps{c, evidence, members, cases}
	reviews := &caseReviews{c, cases, steps}
	return &Service{
		core: c, evidenceFiles: evidence, memberships: members, engine: cases, caseSteps: steps, rosterLists: rosters,
		inviteCodes: codes, caseReviews: reviews,
		casePages: &casePages{core: c, evidenceFiles: evidence, engine: cases, caseSteps: steps, caseReviews: reviews, mux: http.NewServeMux()},
	}
}
