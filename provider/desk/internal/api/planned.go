package api

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/plans"
	events "github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/storage"
)

// plan is a plan: an action on a frozen list of targets, which another approves.
type plan struct {
	ID         string         `json:"id"`
	Action     string         `json:"action"`
	Kind       string         `json:"kind" enum:"person,application,organization" doc:"What the targets are."`
	Reason     string         `json:"reason"`
	State      string         `json:"state" enum:"proposed,expired,running,stopped,refused,done"`
	ProposedAt time.Time      `json:"proposed_at"`
	ExpiresAt  time.Time      `json:"expires_at" doc:"The end of the time to approve it."`
	NotBefore  time.Time      `json:"not_before,omitzero" doc:"When it may run."`
	EndedAt    time.Time      `json:"ended_at,omitzero"`
	Targets    int            `json:"targets" doc:"How many it has."`
	Done       int            `json:"done" doc:"On how many it was carried out."`
	Skipped    int            `json:"skipped" doc:"How many were skipped."`
	Left       map[string]int `json:"left,omitempty" doc:"How many of the targets that were sent it leaves out, by why: of a plan that was just proposed."`
}

type planTarget struct {
	Number int    `json:"number"`
	ID     string `json:"id"`
	State  string `json:"state" enum:"waiting,done,skipped"`
	Why    string `json:"why,omitempty" doc:"Why it was skipped."`
}

// newPlan proposes a plan.
type newPlan struct {
	Action   string            `json:"action" doc:"The name of an action, such as lock." max:"64"`
	Targets  []string          `json:"targets,omitempty" doc:"The IDs of what it is to be done to: 10,000 at most." max:"10000"`
	Lines    map[string]string `json:"lines,omitempty" doc:"In place of targets: everybody of the lines of the audit log that these parameters of listEvents select. It needs desk.events.read. The list is frozen when the plan is proposed."`
	Values   map[string]string `json:"values,omitempty" doc:"The values of the action."`
	Reason   string            `json:"reason" doc:"Why: one of the reasons of the desk." max:"64"`
	Note     string            `json:"note,omitempty" doc:"What who approves should know." max:"800"`
	Matter   string            `json:"matter,omitempty" doc:"The open matter about the person, of a plan about one: what the caller has proved in it has to be enough for the action." max:"64"`
	OnBehalf string            `json:"on_behalf,omitempty" doc:"Who of the staff is at work, as the client says. It is recorded and not believed." max:"100"`
}

// maxPlan is how large a proposal may be: the most targets of the usual length.
const maxPlan = 1 << 20

func (a *API) planRows() []operation {
	if a.Plans == nil {
		return nil
	}
	return []operation{
		{
			Method: http.MethodPost, Path: "/plans", ID: "proposePlan", Title: "Propose a plan", Scope: ScopePeopleAct, Or: ScopeApplicationsAct, Spend: acts, Act: true,
			Text: "Another of the staff approves it within 24 hours, or not: no client can. It needs the scope to act on what it is about.",
			In:   newPlan{}, MaxBody: maxPlan, Patience: plans.Patience, Out: plan{}, Status: http.StatusCreated, Problems: []kind{kindProof, kindNotFound}, serve: proposePlan,
		},
		{
			Method: http.MethodGet, Path: "/plans", ID: "listPlans", Title: "List the plans of this client", Scope: ScopePeopleAct, Or: ScopeApplicationsAct, Spend: reads,
			Paged: true, Out: rows[plan]{}, serve: listPlans,
		},
		{
			Method: http.MethodGet, Path: "/plans/{plan}", ID: "getPlan", Title: "Read a plan", Scope: ScopePeopleAct, Or: ScopeApplicationsAct, Spend: reads,
			Out: plan{}, serve: getPlan,
		},
		{
			Method: http.MethodGet, Path: "/plans/{plan}/targets", ID: "listPlanTargets", Title: "List the targets of a plan", Scope: ScopePeopleAct, Or: ScopeApplicationsAct, Spend: reads,
			Paged: true, Out: rows[planTarget]{}, serve: listPlanTargets,
		},
		{
			Method: http.MethodPost, Path: "/plans/{plan}/withdraw", ID: "withdrawPlan", Title: "Take a plan back, or stop it", Scope: ScopePeopleAct, Or: ScopeApplicationsAct, Spend: acts,
			In: nothing{}, Out: plan{}, Problems: []kind{kindOver}, serve: withdrawPlan,
		},
	}
}

// member is the client among those who work with plans: it may propose all that an operator may.
func (c *call) member() plans.Member {
	return plans.Member{Name: c.name(), Staff: action.Staff{ID: c.name(), Roles: []action.Role{action.Operator}}}
}

func (c *call) asPlan(p storage.Plan) plan {
	state := string(p.State)
	if p.State == storage.PlanProposed && !c.now().Before(p.ExpiresAt) {
		state = "expired"
	}
	return plan{
		ID: p.ID, Action: p.Action, Kind: p.Kind, Reason: p.Reason, State: state, ProposedAt: p.ProposedAt, ExpiresAt: p.ExpiresAt,
		NotBefore: p.NotBefore, EndedAt: p.EndedAt, Targets: p.Targets, Done: p.Done, Skipped: p.Skipped,
	}
}

// proposePlan proposes a plan as it would be now. A plan about one person rests on a matter.
func proposePlan(c *call) (response, error) {
	var in newPlan
	if err := bind(c.tree, &in); err != nil {
		return response{}, err
	}
	a, known := c.api.Book.Action(in.Action)
	if !known || a.Withheld {
		return response{}, &problem{kind: kindValue, Faults: []fault{{"/action", "is no action that a client can plan"}}}
	}
	if err := c.mayPlan(a.Rule); err != nil {
		return response{}, err
	}
	if _, known := c.api.Frame.Reason(in.Reason); !known {
		return response{}, errReason
	}
	var err error
	if in.Targets, err = c.planTargets(a.Rule, in); err != nil {
		return response{}, err
	}
	r := plans.Request{Action: in.Action, Targets: in.Targets, Values: in.Values, Reason: in.Reason, Note: in.note(), Locale: "en"}
	if r.Matter, r.Proof, err = c.planMatter(a.Rule, in); err != nil {
		return response{}, err
	}
	draft, err := c.api.Plans.Draft(c.Context(), c.member(), r)
	if err != nil {
		return response{}, planned(err)
	}
	var out response
	draft.Answer = func(p storage.Plan) (*storage.Answer, error) {
		shown := c.asPlan(p)
		for _, left := range draft.Left {
			if shown.Left == nil {
				shown.Left = map[string]int{}
			}
			shown.Left[whyShown(string(left.Why))] += left.Count
		}
		out = response{body: shown, location: "/plans/" + p.ID}
		s, err := c.send(out)
		if err != nil {
			return nil, err
		}
		return c.once.answer(s)
	}
	if _, err = c.api.Plans.Propose(c.Context(), c.member(), draft); errors.Is(err, audit.ErrRepeated) {
		return response{}, errRepeated
	}
	return out, planned(err)
}

// planMatter returns the matter that a plan rests on and what the caller has proved in it, which is
// enough for the action: none for a plan about many or about no person.
func (c *call) planMatter(r action.Rule, in newPlan) (string, storage.CallerProof, error) {
	if in.Matter == "" {
		if r.Target == action.Person && !r.Bulk {
			return "", storage.NoProof, &problem{kind: kindValue, Faults: []fault{{"/matter", "is missing: this is planned in a matter about the person"}}}
		}
		return "", storage.NoProof, nil
	}
	m, err := c.ownMatter(in.Matter)
	if err != nil {
		return "", storage.NoProof, err
	}
	if r.Target != action.Person || !slices.Equal(in.Targets, []string{m.Subject}) {
		c.refuse("plan", "")
		return "", storage.NoProof, notFound
	}
	if err := c.mayUse(m); err != nil {
		return "", storage.NoProof, err
	}
	proved := storage.NoProof
	if c.now().Before(m.ProvedUntil) {
		proved = m.Proof
	}
	if proved < r.Proof {
		return "", storage.NoProof, fail(kindProof, "")
	}
	return m.ID, proved, nil
}

// whyShown is why a target is left out, as a client reads it: for a client there is nobody who works
// at the desk.
func whyShown(why string) string {
	if why == string(plans.WhyProtected) || why == string(plans.WhySelf) {
		return string(plans.WhyGone)
	}
	return why
}

// note is what who approves reads.
func (p newPlan) note() string {
	return noteOf(newMatter{Note: p.Note, OnBehalf: p.OnBehalf})
}

// mayPlan returns a problem unless the token has the scope to act on what a plan is about.
func (c *call) mayPlan(r action.Rule) error {
	for _, at := range places {
		if at.kind == r.Target && !c.has(at.scope) {
			return &problem{kind: kindScope, Detail: "It needs " + at.scope + ".", scope: at.scope}
		}
	}
	return nil
}

// planned turns an error about plans into a problem.
func planned(err error) error {
	switch {
	case errors.Is(err, plans.ErrForbidden):
		return notFound
	case errors.Is(err, plans.ErrNotPlanned):
		return &problem{kind: kindValue, Detail: "This action is no plan on these targets.", Faults: []fault{{"/action", "is no plan on these targets"}}}
	case errors.Is(err, plans.ErrOver), errors.Is(err, plans.ErrMoved):
		return fail(kindOver, "")
	}
	return err
}

// ownPlan returns a plan that the client has proposed.
func (c *call) ownPlan() (storage.Plan, error) {
	p, err := storage.One(c.api.Frame.Store.Plans(c.Context(), storage.PlanFilter{ID: new(c.PathValue("plan"))}))
	if err == nil && p.ProposedBy != c.name() {
		c.refuse("plan", "")
		return p, notFound
	}
	return p, err
}

func listPlans(c *call) (response, error) {
	return pageOf(c, func(limit int, after string) ([]storage.Plan, error) {
		return c.api.Frame.Store.Plans(c.Context(), storage.PlanFilter{ProposedBy: c.name(), BeforeID: after, Limit: limit})
	}, c.asPlan, func(last plan) string { return last.ID })
}

func getPlan(c *call) (response, error) {
	p, err := c.ownPlan()
	return ok(c.asPlan(p)), err
}

func listPlanTargets(c *call) (response, error) {
	return pageOf(c, func(limit int, after string) ([]storage.PlanTarget, error) {
		p, err := c.ownPlan()
		if err == nil {
			err = c.looks(p.ID, provider.Event{Name: events.StaffLooked, Detail: "targets of a plan: " + p.Action})
		}
		if err != nil {
			return nil, err
		}
		begin, _ := strconv.Atoi(after)
		return c.api.Frame.Store.PlanTargets(c.Context(), p.ID, "", begin, limit)
	}, func(t storage.PlanTarget) planTarget {
		return planTarget{Number: t.Number, ID: t.ID, State: string(t.State), Why: whyShown(t.Why)}
	}, func(last planTarget) string { return strconv.Itoa(last.Number) })
}

func withdrawPlan(c *call) (response, error) {
	if err := bind(c.tree, &nothing{}); err != nil {
		return response{}, err
	}
	p, err := c.ownPlan()
	if err != nil {
		return response{}, err
	}
	if err := c.api.Plans.End(c.Context(), c.member(), p.ID); err != nil {
		return response{}, planned(err)
	}
	return getPlan(c)
}
