package verification

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// checker is another side that answers what a test says.
type checker struct {
	reference string
	url       string
	answers   map[string]string // by reference; none is an error
}

func (k *checker) config() RedirectConfig {
	return RedirectConfig{
		Name: "checker", Title: english("At Checker"),
		Start: func(_ context.Context, _ *http.Client, c *Case) (Destination, error) {
			return Destination{URL: k.url, Reference: k.reference}, nil
		},
		Fetch: func(_ context.Context, _ *http.Client, reference string) ([]byte, error) {
			if k.answers[reference] == "" {
				return nil, errors.New("500")
			}
			return []byte(k.answers[reference]), nil
		},
		Outcome: func(_ *Case, data []byte) (Result, error) {
			switch string(data) {
			case "yes":
				return Accept{Source: "Checker"}, nil
			case "no":
				return Refuse{[]Reason{ReasonNotInGroup}}, nil
			case "cancelled":
				return Refuse{[]Reason{ReasonNotNow}}, nil
			case "later":
				return Wait{Until: time.Unix(100, 0)}, nil
			case "form":
				return Ask{}, nil
			default:
				return nil, errors.New("no such answer")
			}
		},
	}
}

func TestRedirect(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_800_000_000, 0)
	k := &checker{reference: "r-1", url: "https://checker.example/go", answers: map[string]string{}}
	begin := func(t *testing.T, k *checker) (Verifier, *Case) {
		t.Helper()
		v, c := Redirect(k.config()), &Case{ID: "c", Key: "k"}
		if diff := cmp.Diff(Result(GoTo{URL: k.url, Reference: "r-1"}), next(t, v, c, Event{Kind: Begun, At: at})); diff != "" {
			t.Fatal(diff)
		}
		return v, c
	}
	with := func(answers map[string]string) *checker {
		return &checker{reference: k.reference, url: k.url, answers: answers}
	}
	stays, goesAgain := Wait{Reference: "r-1", Again: at.Add(10 * time.Minute)}, GoTo{URL: k.url, Reference: "r-1"}
	yes, no := Accept{Source: "Checker"}, Refuse{[]Reason{ReasonNotInGroup}}
	for name, test := range map[string]struct {
		answers map[string]string
		events  []Event
		want    Result // of the last event
	}{
		"ReturnedAtOnce":       {map[string]string{"r-1": "yes"}, []Event{{Kind: Returned}}, yes},
		"ReturnedSaysNothing":  {nil, []Event{{Kind: Returned, Query: map[string]string{"approved": "1"}}}, stays},
		"ReturnedTooEarly":     {map[string]string{"r-1": "later"}, []Event{{Kind: Returned}}, Wait{Reference: "r-1", Again: at.Add(10 * time.Minute), Until: time.Unix(100, 0)}},
		"Told":                 {nil, []Event{{Kind: Told, Reference: "r-1", Data: []byte("yes")}}, yes},
		"ToldNo":               {nil, []Event{{Kind: Returned}, {Kind: Told, Reference: "r-1", Data: []byte("no")}}, no},
		"ToldWhileStillThere":  {nil, []Event{{Kind: Told, Reference: "r-1", Data: []byte("later")}}, goesAgain},
		"Cancelled":            {map[string]string{"r-1": "cancelled"}, []Event{{Kind: Returned}}, Refuse{[]Reason{ReasonNotNow}}},
		"AskedAgain":           {nil, []Event{{Kind: Returned}, {Kind: Due}}, stays},
		"AskedAgainWithResult": {map[string]string{"r-1": "no"}, []Event{{Kind: Due}}, no},
		"EarlierAttemptYes":    {nil, []Event{{Kind: Told, Reference: "r-0", Data: []byte("yes")}}, yes},
		"EarlierAttemptNo":     {nil, []Event{{Kind: Told, Reference: "r-0", Data: []byte("no")}}, goesAgain},
		"EarlierAttemptLater":  {nil, []Event{{Kind: Returned}, {Kind: Told, Reference: "r-0", Data: []byte("no")}}, stays},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c := begin(t, with(test.answers))
			var got Result
			for _, e := range test.events {
				e.At = at
				memory := string(c.Memory)
				got = next(t, v, c, e)
				again := *c
				again.Memory = []byte(memory)
				if diff := cmp.Diff(got, next(t, v, &again, e)); diff != "" {
					t.Error("the same event has another result: ", diff)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("HearsOfAnAttemptThatWasGivenUp", func(t *testing.T) {
		t.Parallel()
		for data, want := range map[string]Result{"yes": yes, "no": no} {
			got := next(t, Redirect(k.config()), &Case{}, Event{Kind: Told, Reference: "r-0", Data: []byte(data), At: at})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("SendsNobodyAwayWithoutAReference", func(t *testing.T) {
		t.Parallel()
		for _, wrong := range []*checker{
			{url: k.url}, {url: k.url, reference: strings.Repeat("r", 256)}, {reference: "r-1"}, {reference: "r-1", url: "/path"},
			{reference: "r-1", url: "http://checker.example/"}, {reference: "r-1", url: "javascript:alert(1)"},
		} {
			c := &Case{}
			if got, err := Redirect(wrong.config()).Next(t.Context(), c, Event{Kind: Begun}); err == nil || c.Memory != nil {
				t.Errorf("%q, %q: %+v", wrong.url, wrong.reference, got)
			}
		}
	})
	t.Run("TakesNoOtherOutcome", func(t *testing.T) {
		t.Parallel()
		for _, data := range []string{"form", "???"} {
			v, c := begin(t, with(map[string]string{"r-1": data}))
			if got, err := v.Next(t.Context(), c, Event{Kind: Returned, At: at}); err == nil {
				t.Errorf("%s: %+v", data, got)
			}
		}
	})
	t.Run("DoesNotWaitWhenItIsCutOff", func(t *testing.T) {
		t.Parallel()
		v, c := begin(t, with(nil))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := v.Next(ctx, c, Event{Kind: Returned, At: at}); err == nil {
			t.Errorf("%+v", got)
		}
	})
	t.Run("NamesTheWrongField", func(t *testing.T) {
		t.Parallel()
		for want, change := range map[string]func(*RedirectConfig){
			"Rule.Start":   func(c *RedirectConfig) { c.Start = nil },
			"Rule.Fetch":   func(c *RedirectConfig) { c.Fetch = nil },
			"Rule.Outcome": func(c *RedirectConfig) { c.Outcome = nil },
			"Rule.Every":   func(c *RedirectConfig) { c.Every = time.Second },
		} {
			cfg := k.config()
			change(&cfg)
			if err := Redirect(cfg).check("Rule"); err == nil || !strings.HasPrefix(err.Error(), want+": ") {
				t.Errorf("%v, want %s", err, want)
			}
		}
	})
}
