package person

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/event"
)

// What is recorded about a person.

// wrong is an error about a value of an order.
func wrong(field, why string) error {
	return &provider.FieldError{Field: field, Err: errors.New(why)}
}

// attribute returns the attribute that an order names.
func (r *room) attribute(o action.Order) (catalogue.Attribute, error) {
	for _, a := range r.installed.Attributes {
		if a.Handle == o.Values[action.FieldHandle] {
			return a, nil
		}
	}
	return catalogue.Attribute{}, wrong(action.FieldHandle, "is not an attribute of the catalogue")
}

// checkValue is for a value that is shown: a sensitive one, or one that is not. One effect has
// one action: neither shows what is for the other.
func (r *room) checkValue(sensitive bool) checker {
	return func(ctx context.Context, o action.Order, _ subject) (action.Effect, error) {
		a, err := r.attribute(o)
		if err != nil {
			return action.Effect{}, err
		}
		if a.Sensitive != sensitive {
			return action.Effect{}, wrong(action.FieldHandle, "is shown by another action")
		}
		e := action.Effect{Facts: []action.Fact{{Name: FactHandle, Value: a.Handle}}}
		raw, err := r.Provider.Rooms().People.Value(ctx, o.Target, a.Handle)
		if len(raw) == 0 {
			e.Void = VoidNoValue
		}
		return e, asTarget(err)
	}
}

// showValue reads a value, and gives it only once it is recorded that it is seen.
func (r *room) showValue(ctx context.Context, o action.Order, _ subject) (action.Result, error) {
	handle := o.Values[action.FieldHandle]
	raw, err := r.Provider.Rooms().People.Value(ctx, o.Target, handle)
	if err == nil {
		err = r.Provider.Events().Record(ctx, provider.Event{Name: event.ValueShown, UserID: o.Target, Detail: handle})
	}
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{Shown: inWords(raw)}, nil
}

// inWords is a value as people read it: a text as it is, and anything else as its JSON.
func inWords(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// parse reads a value of an attribute from a form: a text as it is, and anything else as its
// JSON. An empty one removes the value.
func parse(a catalogue.Attribute, text string) (any, error) {
	switch a.Type {
	case "", catalogue.String, catalogue.Date:
		return text, nil
	}
	if text == "" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil || d.More() {
		return nil, wrong(action.FieldValue, "does not have the type of the attribute")
	}
	return value, nil
}

func (r *room) checkCorrection(_ context.Context, o action.Order, s subject) (action.Effect, error) {
	a, err := r.attribute(o)
	if err != nil {
		return action.Effect{}, err
	}
	if a.Handle == "email" || a.Handle == "uuid" {
		return action.Effect{}, wrong(action.FieldHandle, "is of the account")
	}
	if _, err := parse(a, o.Values[action.FieldValue]); err != nil {
		return action.Effect{}, err
	}
	e := action.Effect{
		Revision: s.revision + ":" + strconv.FormatInt(s.Revision, 10), Facts: []action.Fact{{Name: FactHandle, Value: a.Handle}},
	}
	if inWords(s.Attributes[a.Handle]) == o.Values[action.FieldValue] {
		e.Void = VoidSameValue
	}
	return e, nil
}

func (r *room) correct(ctx context.Context, o action.Order, s subject) (action.Result, error) {
	a, err := r.attribute(o)
	if err != nil {
		return action.Result{}, err
	}
	value, err := parse(a, o.Values[action.FieldValue])
	if err != nil {
		return action.Result{}, err
	}
	err = r.Provider.Rooms().People.CorrectAttributes(ctx, o.Target, s.Revision, map[string]any{a.Handle: value})
	var field *provider.FieldError
	if errors.As(err, &field) {
		return action.Result{}, &provider.FieldError{Field: action.FieldValue, Err: field.Err}
	}
	if err == nil {
		r.Provider.Rooms().People.Tell(ctx, o.Target, event.AttributesChanged)
	}
	return action.Result{}, err
}

// status returns the recorded status in the group of an order.
func status(o action.Order, s subject) (provider.Status, bool) {
	i := slices.IndexFunc(s.Statuses, func(one provider.Status) bool { return one.Group == o.Values[action.FieldGroup] })
	if i < 0 {
		return provider.Status{Group: o.Values[action.FieldGroup], Revision: provider.NoRevision}, false
	}
	return s.Statuses[i], true
}

// withStatus is an effect on a status, whose revision is part of that of the person.
func withStatus(s subject, recorded provider.Status) action.Effect {
	return action.Effect{
		Revision: s.revision + ":" + strconv.FormatInt(recorded.Revision, 10),
		Facts:    []action.Fact{{Name: FactGroup, Value: recorded.Group}},
	}
}

func (r *room) checkStatus(_ context.Context, o action.Order, s subject) (action.Effect, error) {
	recorded, ok := status(o, s)
	e := withStatus(s, recorded)
	if ended := !recorded.ExpiresAt.IsZero() && !r.Clock().Before(recorded.ExpiresAt); !ok || !recorded.Verified || ended {
		e.Void = VoidNoStatus
	}
	return e, nil
}

// endStatus ends a status now. What it was is kept, so that it can be explained.
func (r *room) endStatus(ctx context.Context, o action.Order, s subject) (action.Result, error) {
	recorded, _ := status(o, s)
	recorded.ExpiresAt = r.Clock()
	err := r.people.SetStatus(ctx, o.Target, recorded)
	if err == nil {
		r.Provider.Rooms().People.Tell(ctx, o.Target, event.StatusEnded)
	}
	return action.Result{}, err
}

// checkNewStatus is for a status that is set by hand, until the end of a day.
func (r *room) checkNewStatus(_ context.Context, o action.Order, s subject) (action.Effect, error) {
	recorded, _ := status(o, s)
	if !slices.ContainsFunc(r.installed.Groups, func(g catalogue.Group) bool { return g.Name == recorded.Group }) {
		return action.Effect{}, wrong(action.FieldGroup, "is not in the catalogue")
	}
	until, err := r.until(o)
	if err != nil {
		return action.Effect{}, err
	}
	e := withStatus(s, recorded)
	e.Facts = append(e.Facts, action.Fact{Name: FactUntil, Value: until.Format(time.DateOnly)})
	return e, nil
}

// mostYears is how long a status lasts at most that is set by hand.
const mostYears = 5

// until is the day of an order.
func (r *room) until(o action.Order) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, o.Values[action.FieldUntil])
	if err != nil || !day.After(r.Clock()) || day.After(r.Clock().AddDate(mostYears, 0, 0)) {
		return time.Time{}, wrong(action.FieldUntil, "is not a day of the next five years")
	}
	return day, nil
}

func (r *room) setStatus(ctx context.Context, o action.Order, s subject) (action.Result, error) {
	recorded, _ := status(o, s)
	until, err := r.until(o)
	if err != nil {
		return action.Result{}, err
	}
	err = r.people.SetStatus(ctx, o.Target, provider.Status{
		Group: recorded.Group, Subgroups: recorded.Subgroups, Verified: true, VerifiedAt: r.Clock(), Source: "desk", Method: "override",
		ExpiresAt: until, Revision: recorded.Revision,
	})
	if err == nil {
		r.Provider.Rooms().People.Tell(ctx, o.Target, event.StatusChanged)
	}
	return action.Result{}, err
}
