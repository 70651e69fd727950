package developer_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// removed does what Run does about a deleted application, first in the provider and then in the
// dashboard.
func (w *fixture) removed(env, client string) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := w.provider(env).Run(ctx); err != nil {
			w.t.Error(err)
		}
	})
	eventually(w.t, func() bool {
		left, err := w.provider(env).Rooms().Clients.Deleting(w.t.Context(), client)
		return err == nil && !left
	})
	cancel()
	running.Wait()
	w.GoOn(w.t.Context())
	if _, err := w.store.Application(w.t.Context(), env, client); !errors.Is(err, storage.ErrNotFound) {
		w.t.Errorf("the application is still there: %v", err)
	}
}

func TestAnApplicationThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	b := w.as(dev)
	form := b.open(shopPath + "/settings")
	p := b.submitForm(shopPath+"/delete", "confirm", "App shop", "action", "delete")
	says(t, p, http.StatusOK, "The application is being deleted.", "Being deleted", "App shop")
	says(t, b.submit(form, "name", "Another", "action", "save"), http.StatusOK, "This application is being deleted")
	for _, p := range w.Pages() {
		if p.Posts != "developers" || p.Path == "/o/{org}/personas" || p.Path == "/o/{org}/clock" || p.Path == "/o/{org}/{env}/new" {
			continue
		}
		b := w.as(dev) // has just signed in
		csrf := b.csrfOf(dev)
		for _, action := range append([]string{"enable", "copy", "ask"}, actions...) {
			form := everything(action)
			form.Set("csrf", csrf)
			w.advance(7 * time.Second) // as many forms as a user may post
			if got := b.follow(b.post(addressOf(p), form)); got.Request.URL.Path != shopPath {
				t.Errorf("%q to %s: %s at %s", action, p.Path, got.Status, got.Request.URL)
			}
		}
	}
	if _, err := w.sandbox.Clients().Get(t.Context(), "shop"); !errors.Is(err, provider.ErrNoClient) {
		t.Errorf("the client: %v", err)
	}
	if list, err := w.store.Applications(t.Context(), storage.ApplicationFilter{OrganizationID: river}); err != nil || len(list) != 1 || !list[0].Deleting {
		t.Errorf("%+v, %v", list, err)
	}
	w.removed(storage.Sandbox, "shop")
}

// A process ends between the two marks, or after both, and the next goes on.
func TestADeletionThatWasInterruptedGoesOn(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	w.ok(w.store.MarkApplication(t.Context(), storage.Sandbox, "shop", storage.ApplicationMark{Deleting: true}))
	w.GoOn(t.Context())
	if _, err := w.sandbox.Clients().Get(t.Context(), "shop"); !errors.Is(err, provider.ErrNoClient) {
		t.Errorf("the client: %v", err)
	}
	if !w.application(storage.Sandbox, "shop").Deleting {
		t.Error("the application is gone before its client")
	}
	w.removed(storage.Sandbox, "shop")
}

// Whoever deletes the last application and then the organization need not wait for the next round of
// the background, and is told what it waits for.
func TestAnOrganizationWhoseApplicationsAreBeingDeletedSaysSo(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop").withApplication(river, storage.Sandbox, "other")
	b := w.as(owner)
	remove := func() page {
		return b.submitForm("/developer/o/river/settings", "confirm", "Org river", "action", "delete")
	}
	b.submitForm(shopPath+"/delete", "confirm", "App shop", "action", "delete")
	if !w.IsWoken() {
		t.Error("the background sleeps on")
	}
	says(t, remove(), http.StatusConflict, "Delete its applications first")
	b.submitForm("/developer/o/river/sandbox/other/delete", "confirm", "App other", "action", "delete")
	says(t, remove(), http.StatusOK, "The application is being deleted.")
	w.removed(storage.Sandbox, "shop")
	w.removed(storage.Sandbox, "other")
	says(t, remove(), http.StatusOK, "Your organizations")
}
