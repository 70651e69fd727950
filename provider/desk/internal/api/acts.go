package api

import (
	"net/http"
	"strings"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/storage"
)

// fields are the values of an action as a body.
type fields struct{ of []action.Field }

// schema is that of a body with these values.
func (f *fields) schema() object {
	properties, required := object{}, []string{}
	for _, one := range f.of {
		properties[one.Name] = object{"type": "string", "maxLength": maxValue}
		if one.Required {
			required = append(required, one.Name)
		}
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// done is the response of an act.
type done struct {
	Action string `json:"action" doc:"What was done."`
	Target string `json:"target" doc:"The ID of what it was done to."`
}

// effect is what an act would do.
type effect struct {
	Facts []fact `json:"facts" doc:"What would happen, by name."`
	Void  string `json:"void,omitempty" doc:"Why there is nothing to do; missing if there is."`
}

type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// place is where the acts on a kind of target are.
type place struct {
	kind  action.Kind
	path  string
	part  string
	scope string
}

var places = []place{
	{action.Person, "/people/", "person", ScopePeopleAct},
	{action.Application, "/applications/", "application", ScopeApplicationsAct},
	{action.Host, "/hosts/", "host", ScopeApplicationsAct},
	{action.Receiver, "/receivers/", "receiver", ScopeApplicationsAct},
	{action.Organization, "/organizations/", "organization", ScopeApplicationsAct},
}

// actionRows are two operations for each action: what it would do, and it. What two of the staff
// do, or shows a value, is not here.
func (a *API) actionRows() (all []operation) {
	for _, at := range places {
		for _, one := range a.Book.On(at.kind) {
			if one.Withheld || one.Eyes {
				continue
			}
			o := operation{
				Method: http.MethodPost, Path: at.path + "{" + at.part + "}/" + one.Name, ID: camel(one.Name), Scope: at.scope,
				Title: sentence(one.Name), Text: needs(one.Rule), Matter: at.kind == action.Person, Fields: &fields{one.Fields},
			}
			check := o
			check.Path, check.ID, check.Title = o.Path+"/check", o.ID+"Check", "See what this would do: "+o.Title
			check.Text, check.Spend, check.Out, check.Revises = "Nothing is changed. Send the ETag of the response as If-Match to do it.", reads, effect{}, true
			check.serve = func(c *call) (response, error) { return c.check(at, one) }
			o.Spend, o.Act, o.Match, o.Out, o.Problems = acts, true, true, done{}, []kind{kindProof}
			o.serve = func(c *call) (response, error) { return c.act(at, one) }
			all = append(all, o, check)
		}
	}
	return all
}

// needs says what an action demands.
func needs(r action.Rule) string {
	if r.Proof == storage.NoProof {
		return ""
	}
	return "The caller must have proved who they are in the matter, at least as " + proofs[r.Proof] + "."
}

// look reads the values of an action and what it would do.
func (c *call) look(at place, one action.Action) (action.Order, action.Effect, error) {
	values, err := bindValues(c.tree, one.Fields)
	if err != nil {
		return action.Order{}, action.Effect{}, err
	}
	if at.kind == action.Person { // what it would do says how they are
		if err := c.looked("actions"); err != nil {
			return action.Order{}, action.Effect{}, err
		}
	}
	o := action.Order{Target: c.PathValue(at.part), Values: values, Locale: "en", Staff: c.name()}
	e, err := one.Check(c.Context(), o)
	return o, e, err
}

func (c *call) check(at place, one action.Action) (response, error) {
	_, e, err := c.look(at, one)
	if err != nil {
		return response{}, err
	}
	out := effect{Facts: []fact{}, Void: e.Void}
	for _, f := range e.Facts {
		out.Facts = append(out.Facts, fact(f))
	}
	return response{body: out, revision: e.Revision}, nil
}

// act does an action to the target that was looked at. What Check looks at here is a condition of
// the write.
func (c *call) act(at place, one action.Action) (response, error) {
	tag, err := c.ifMatch()
	if err != nil {
		return response{}, err
	}
	o, e, err := c.look(at, one)
	switch {
	case err != nil:
		return response{}, err
	case c.etag(e.Revision) != tag:
		return response{}, fail(kindChanged, "")
	case e.Void != "":
		return response{}, fail(kindVoid, e.Void)
	}
	return c.do(ok(done{one.Name, o.Target}), func(answer *storage.Answer) error {
		if _, err := one.Carry(c.Context(), c.api.Frame.Store, c.actor(one.Proof, answer), o, e.Revision); err != nil {
			return err
		}
		return c.keep(at, one, answer)
	})
}

// keep makes sure that the answer to an act is kept that has found nothing to write.
func (c *call) keep(at place, one action.Action, answer *storage.Answer) error {
	_, known, err := c.once.answered()
	if known || err != nil {
		return err
	}
	e := provider.Event{Name: one.Name}
	switch at.kind {
	case action.Person:
		e.UserID = c.matter.Subject
	case action.Application:
		e.ClientID = c.PathValue(at.part)
	default:
		e.Detail = c.PathValue(at.part)
	}
	return c.api.Provider.Events().Record(c.by(storage.NoProof, answer), e)
}

// camel turns a name with underlines into one for a program.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

// sentence turns a name with underlines into words.
func sentence(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
