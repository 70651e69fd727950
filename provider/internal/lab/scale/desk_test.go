package scale

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/internal/trail"
	"github.com/bonafide-id/bonafide/provider/internal/vault"
	"github.com/bonafide-id/bonafide/storage"
)

// TestFill fills what -dir keeps, and measures nothing but how blocks are closed.
func TestFill(t *testing.T) {
	if *folder == "" {
		t.Skip("without -dir nothing is kept")
	}
	onBoth(t, func(_ *testing.T, w *place) { w.seals(); w.verifies() })
}

func TestDesk(t *testing.T) {
	onBoth(t, func(_ *testing.T, w *place) {
		w.loads()
		steps := w.observes()
		w.seals()
		plan := w.plans()
		w.measuresPages(plan)
		w.measuresFlows()
		w.measuresWriters(plan)
		w.deletes()
		w.verifies()
		steps()
		w.sizes()
		w.loads()
	})
}

// flow returns a sign-in to an application that the user has allowed before.
func (w *place) flow() func() {
	w.t.Helper()
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	user := w.Alice()
	request := lab.Ask("code_challenge", challenge, "code_challenge_method", "S256")
	user.Allow(request...)
	return func() {
		code := lab.Response(w.t, user.Get(lab.AuthorizeURL(request...))).Get("code")
		if p, _ := user.Token(lab.Std("code", code, "code_verifier", verifier)...); p.StatusCode != http.StatusOK {
			w.t.Errorf("token: %s", p.Status)
		}
	}
}

// seals closes all blocks, and says how long each step takes, in which others cannot write.
func (w *place) seals() {
	w.t.Helper()
	keys := w.keys()
	end := w.writes()
	var took times
	refused := 0
	for sealed := true; sealed; {
		now := w.Now()
		var err error
		step := timed(func() {
			sealed, err = w.Store.SealEvents(w.t.Context(), trail.Most, now.Add(-trail.Oldest), keys.Seal(now))
		})
		if errors.Is(err, storage.ErrUnavailable) { // a vacuum of PostgreSQL does not pause; Run tries again in a minute
			refused++
			time.Sleep(time.Second)
			sealed = refused < 600
			continue
		}
		w.OK(err)
		took = append(took, step)
	}
	w.t.Logf("close a block        %v, refused %d times", took, refused)
	w.t.Log("a writer meanwhile  ", end())
}

// verifies verifies the log from its beginning.
func (w *place) verifies() {
	w.t.Helper()
	keys := w.keys()
	var verdict trail.Verdict
	whole := timed(func() {
		verdict = testkit.Must(keys.Verify(w.t.Context(), w.Store, w.Now(), func(context.Context) error { return nil }))(w.T)
	})
	if verdict.Finding != nil || verdict.Lines < int64(*lines/50) {
		w.t.Errorf("verified are %d lines: %v", verdict.Lines, verdict.Finding)
	}
	w.t.Logf("verification of %d blocks: %.1f s", verdict.Blocks, whole.Seconds())
}

// keys returns the keys of the log of this provider.
func (w *place) keys() *trail.Keys {
	w.t.Helper()
	secrets := testkit.Must(keyring.NewSecrets(lab.Secret(w.t)))(w.T)
	_, people, err := vault.OpenStore(w.t.Context(), vault.Options{Store: w.Store, Secrets: secrets, Issuer: w.Issuer(), RPID: "127.0.0.1", Logger: slog.Default()})
	w.OK(err)
	keys := testkit.Must(trail.NewKeys(w.Issuer(), people.Derive))(w.T)
	return keys
}

// plans has olga propose to lock as many people as a plan can have, and returns its address.
func (w *place) plans() string {
	w.t.Helper()
	var ids strings.Builder
	for i := range min(*targets, *people) {
		fmt.Fprintln(&ids, "many", i+1)
	}
	b, begin := w.as("olga"), time.Now()
	p := w.sends(b, "/desk/plans/new", "action", "check", "name", "lock", "targets", strings.ReplaceAll(ids.String(), " ", ""), "plan_reason", "incident", "note", "All of them were seen.")
	if p.StatusCode != http.StatusOK {
		w.t.Fatalf("check: %s\n%s", p.Status, p.Text)
	}
	checked := time.Since(begin)
	p = b.Submit(p, "action", "propose")
	w.t.Logf("a plan for %d: checked in %.1f s, proposed in %.1f s", min(*targets, *people), checked.Seconds(), (time.Since(begin) - checked).Seconds())
	if p.StatusCode != http.StatusOK || !strings.HasPrefix(p.Request.URL.Path, "/desk/plans/") {
		w.t.Fatalf("propose: %s at %s\n%s", p.Status, p.Request.URL, p.Text)
	}
	return p.Request.URL.Path
}

// sends sends a form of its own, with the token that the browser has.
func (w *place) sends(b *lab.Browser, address string, values ...string) lab.Page {
	w.t.Helper()
	_, fields := b.Open("/signout").Form(w.t)
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return b.Follow(b.Post(address, fields))
}

// pages are the pages of the desk by what they show.
func (w *place) pages(plan string) map[string]string {
	today := w.Now().UTC()
	day := func(days int) string { return today.AddDate(0, 0, -days).Format(time.DateOnly) }
	bob, many := w.opens("olga", "bob"), w.opens("olga", "many7")
	pages := map[string]string{
		"home": "/desk/", "find": "/desk/find", "plans": "/desk/plans", "plan of many": plan, "breaks": "/desk/breaks", "what may be planned": "/desk/plans/new",
		"cases": "/desk/cases", "rosters": "/desk/rosters", "codes": "/desk/codes", "holds": "/desk/holds", "numbers of cases": "/desk/cases/numbers",
		"applications": "/desk/applications", "applications by host": "/desk/applications?q=host20.example", "applications by name": "/desk/applications?q=application+55",
		"applications, none": "/desk/applications?q=nothing.of.this", "application": "/desk/applications/app50", "organizations": "/desk/organizations",
		"organization": "/desk/organizations/org5", "reviews": "/desk/reviews", "keys": "/desk/keys", "health": "/desk/health", "numbers": "/desk/numbers",
		"looks": "/desk/looks", "looks by staff": "/desk/looks?staff=clerk7", "looks, none": "/desk/looks?staff=nobody",
		"trail": "/desk/trail", "trail by person": "/desk/trail?person=bob", "trail by person, rare": "/desk/trail?person=bob&event=break_made",
		"trail by application": "/desk/trail?application=app5", "trail by application, rare": "/desk/trail?application=app5&event=break_made",
		"trail by staff": "/desk/trail?staff=clerk7", "trail by staff, none": "/desk/trail?staff=clerk7&event=sign_in", "trail by matter": "/desk/trail?matter=mt1000000007",
		"trail by event, rare": "/desk/trail?event=break_made", "trail by event, none": "/desk/trail?event=sign_up", "trail by event, common": "/desk/trail?event=sign_in",
		"trail by events": "/desk/trail?event=account_*", "trail by day": "/desk/trail?from=" + day(40) + "&until=" + day(40),
		"trail by day, rare": "/desk/trail?event=break_made&from=" + day(80) + "&until=" + day(2), "trail by person and day": "/desk/trail?person=bob&from=" + day(85) + "&until=" + day(84),
		"trail by network": "/desk/trail?network=10.7.7.0%2F24&from=" + day(40) + "&until=" + day(40), "trail by network, none": "/desk/trail?network=10.255.7.0%2F24&from=" + day(40) + "&until=" + day(40),
	}
	for _, part := range []string{"account", "factors", "sessions", "applications", "groups", "cases", "history", "actions"} {
		pages["bob: "+part], pages["many7: "+part] = bob+"/"+part, many+"/"+part
	}
	return pages
}

// measuresPages opens each page again and again while people sign in.
func (w *place) measuresPages(plan string) {
	w.t.Helper()
	pages, olga := w.pages(plan), w.as("olga")
	end := w.again(20*time.Millisecond, w.flow())
	took := make(map[string]times)
	for begin := time.Now(); len(took) == 0 || time.Since(begin) < 10**period; {
		for name, address := range pages {
			var p lab.Page
			took[name] = append(took[name], timed(func() { p = olga.Get(address) }))
			if p.StatusCode != http.StatusOK {
				w.t.Fatalf("%s: %s at %s\n%s", name, p.Status, address, p.Text)
			}
		}
		if len(took["find, by address"]) < 12 { // there is a limit by the hour
			took["find, by address"] = append(took["find, by address"], w.finds(olga, "bob@example.com", http.StatusOK))
			took["find, nobody"] = append(took["find, nobody"], w.finds(olga, "nobody@example.com", http.StatusUnprocessableEntity))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(took)) {
		w.t.Logf("page %-28s first %7.2f  %v", name, float64(took[name][0].Microseconds())/1000, took[name][min(1, len(took[name])-1):])
	}
	w.t.Log("a flow meanwhile    ", end())
}

// finds looks for a person, and returns how long that takes.
func (w *place) finds(b *lab.Browser, sought string, status int) time.Duration {
	w.t.Helper()
	_, fields := b.Open("/desk/find").Form(w.t)
	fields.Set("sought", sought)
	var p lab.Page
	took := timed(func() { p = b.Post("/desk/find", fields) })
	if p.StatusCode != status {
		w.t.Fatalf("find %s: %s\n%s", sought, p.Status, p.Text)
	}
	return took
}

// measuresFlows lets people sign in as fast as they can, alone and beside four pages a second.
func (w *place) measuresFlows() {
	w.t.Helper()
	olga, signsIn := w.as("olga"), w.flow()
	rate := func(f func()) (took times, perSecond float64) {
		end := w.again(0, signsIn)
		whole := timed(f)
		took = end()
		return took, float64(len(took)) / whole.Seconds()
	}
	const slices = 16
	slice := 4 * *period / slices
	var alone, beside times
	var without, with float64
	quiet := func() {
		took, n := rate(func() { time.Sleep(slice) })
		alone, without = append(alone, took...), without+n
	}
	asked := func() {
		took, n := rate(func() {
			for begin := time.Now(); time.Since(begin) < slice; time.Sleep(250 * time.Millisecond) {
				olga.Get("/desk/trail")
			}
		})
		beside, with = append(beside, took...), with+n
	}
	for i := range slices / 2 { // what drifts meanwhile weighs the same on both
		first, second := quiet, asked
		if i%2 == 1 {
			first, second = asked, quiet
		}
		first()
		second()
	}
	w.t.Log("flows without pages ", alone)
	w.t.Log("flows beside pages  ", beside)
	w.t.Logf("flows a second beside pages ÷ without: %.3f", with/without)
}

// measuresWriters says how long a writer waits beside what the desk writes.
func (w *place) measuresWriters(plan string) {
	w.t.Helper()
	beside := w.beside
	beside("nothing", func() { time.Sleep(*period) })
	olga, oleg := w.as("olga"), w.as("oleg")
	beside("an export", func() {
		if p := olga.Get("/desk/trail.jsonl"); p.StatusCode != http.StatusOK || !strings.Contains(p.Text, "checkpoint") {
			w.t.Errorf("export: %s", p.Status)
		}
	})
	beside("a bulk plan", func() { w.carriesOut(oleg, plan) })
	swept, old := 0, w.Now().AddDate(0, 0, -45)
	w.OK(w.Store.AppendEvent(w.t.Context(), storage.Event{At: w.Now(), Name: "events_removed", Detail: trail.RemovedDetail(old)}))
	beside("a sweep", func() {
		for begin, removed := time.Now(), 1; removed > 0 && time.Since(begin) < *period; swept += removed {
			var err error
			step := timed(func() {
				removed, err = w.Store.Trim(w.t.Context(), storage.Trim{Kind: storage.OldEvents, Before: old, Now: w.Now()}, 250)
			})
			w.OK(err)
			time.Sleep(step) // Run rests longer
		}
	})
	w.t.Logf("the sweep removed %d lines", swept)
	if swept == 0 {
		w.t.Error("nothing was swept")
	}
}

// beside says how long a writer waits beside something.
func (w *place) beside(what string, f func()) {
	w.t.Helper()
	end := w.writes()
	whole := timed(f)
	w.t.Logf("a writer beside %-16s (%.1f s) %v", what, whole.Seconds(), end())
}

// deletes deletes somebody with many lines in closed blocks, as a host does, and has Run remove
// what is left.
func (w *place) deletes() {
	w.t.Helper()
	store := w.Store.(storage.Deletions)
	w.beside("a deletion", func() {
		w.t.Logf("the deletion of %s returns after %.1f ms", w.leaver(), float64(timed(func() {
			w.OK(w.Accounts().Delete(w.t.Context(), w.leaver()))
		}).Microseconds())/1000)
		end := w.runs()
		defer end()
		for begin := time.Now(); time.Since(begin) < 10*time.Minute; time.Sleep(20 * time.Millisecond) {
			left := testkit.Must(store.Departed(w.t.Context(), "", 1))(w.T)
			if len(left) == 0 {
				return
			}
		}
		w.t.Error("the removal does not end")
	})
}

// carriesOut has a plan approved, and waits for its end, or as long as each part is measured.
func (w *place) carriesOut(by *lab.Browser, address string) {
	w.t.Helper()
	id := strings.TrimPrefix(address, "/desk/plans/")
	store := w.Store.(storage.Plans)
	plan := testkit.Must(storage.One(store.Plans(w.t.Context(), storage.PlanFilter{ID: new(id)})))(w.T)
	w.sends(by, address, "action", "approve", "shown", hex.EncodeToString(plan.Digest[:]), "count", fmt.Sprint(plan.Targets))
	end := w.runs()
	defer end()
	for begin := time.Now(); time.Since(begin) < max(*period, 30*time.Second); time.Sleep(50 * time.Millisecond) {
		plan = testkit.Must(storage.One(store.Plans(w.t.Context(), storage.PlanFilter{ID: new(id)})))(w.T)
		if plan.State == storage.PlanDone {
			return
		}
	}
	if plan.Done == 0 {
		w.t.Errorf("the plan is %s", plan.State)
	}
	w.t.Logf("the plan is %s after %d of %d", plan.State, plan.Done, plan.Targets)
}
