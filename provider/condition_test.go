package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/room"
)

func TestCondition(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	before := w.Rooms().Condition(t.Context())
	if before.Database != nil || !before.Round.IsZero() || !before.SendsMail || before.GoVersion == "" {
		t.Errorf("at the start: %+v", before)
	}
	w.Maintain(t.Context())
	if w.Rooms().Condition(t.Context()).Round.IsZero() {
		t.Error("a round of background work is not told")
	}
	settings := map[string]room.Setting{}
	for _, s := range before.Settings {
		settings[s.Name] = s
		if strings.Contains(s.Name, "Secret") && s.Value != "" {
			t.Errorf("%s tells a secret", s.Name)
		}
	}
	if s := settings["Secret"]; !s.IsSet || s.Value != "" {
		t.Errorf("the secret is %+v", s)
	}
	if s := settings["Lifetimes.AccessToken"]; s.Value != (300 * time.Second).String() {
		t.Errorf("the life of access tokens is %+v", s)
	}
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Rooms().Condition(t.Context()).Database == nil {
		t.Error("a closed store is said to be well")
	}
}

func TestCondition_Mail(t *testing.T) {
	t.Parallel()
	fails := true
	w := lab.New(t, func(c *provider.Config) { c.Mailer = sometimes{c.Mailer, &fails} })
	b := w.NewBrowser()
	reset := func() { b.SubmitOnce(b.Open("/reset"), "email", "alice@example.com") }
	reset()
	if s := w.Rooms().Condition(t.Context()); s.Unmailed.IsZero() || !s.Mailed.IsZero() {
		t.Errorf("after a failure: sent %v, failed %v", s.Mailed, s.Unmailed)
	}
	fails = false
	reset()
	if s := w.Rooms().Condition(t.Context()); s.Mailed.IsZero() {
		t.Error("a sent mail is not told")
	}
}

// sometimes is a Mailer that fails.
type sometimes struct {
	provider.Mailer
	fails *bool
}

func (s sometimes) Send(ctx context.Context, m provider.Mail) error {
	if *s.fails {
		return errors.New("no")
	}
	return s.Mailer.Send(ctx, m)
}

func TestKeys_List(t *testing.T) {
	t.Parallel()
	w := lab.New(t)
	keys, err := w.Rooms().Keys.List(t.Context())
	if err != nil || len(keys) != 1 || !keys[0].Signs || !keys[0].Until.After(keys[0].From) {
		t.Fatalf("a new provider has %+v, %v", keys, err)
	}
	if rotated, err := w.Keys().Rotate(t.Context()); err != nil || !rotated {
		t.Fatal(rotated, err)
	}
	keys, err = w.Rooms().Keys.List(t.Context())
	if err != nil || len(keys) != 2 || !keys[0].Signs || keys[1].Signs || !keys[0].Until.Equal(keys[1].From) {
		t.Fatalf("with a next one: %+v, %v", keys, err)
	}
}
