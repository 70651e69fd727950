package desk_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/developer"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/lab/databases"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/storage/postgres"
)

// The answers of the forms.
const (
	answerYes   = "yes"
	answerProof = "proof"
	answerTwo   = "two"
	answerNone  = "none"
	answerFresh = "fresh" // a sign-in of the last minutes
	answerKept  = "kept"  // refused, and there would be nothing to do
)

// matrixRow is what support and operators meet, by what the caller has proved.
type matrixRow struct {
	action            string
	support, operator [3]string
}

// readMatrix reads the list that was written by hand.
func readMatrix(t *testing.T) (rows []matrixRow) {
	t.Helper()
	content := testkit.Must(os.ReadFile("testdata/matrix.txt"))(t)
	for line := range strings.Lines(string(content)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) != 7 {
			t.Fatalf("a row of %d words: %s", len(f), line)
		}
		rows = append(rows, matrixRow{f[0], [3]string(f[1:4]), [3]string(f[4:7])})
	}
	return rows
}

// matrixValues are values with which no action stops before it has asked who may.
var matrixValues = map[string]string{
	"client_id": "shop", "handle": "fname", "value": "Bo", "session": "none", "group": "student", "email": "new@example.com",
	"reason": "It sends people elsewhere.", "scopes": "profile", "before": "2026-01-01T00:00",
	action.FieldTo: "lake", action.FieldCredential: "none",
}

// matrixAnswer posts the form of an action on what nobody has looked at, so that nothing is done,
// and returns what the page says.
func matrixAnswer(b *lab.Browser, matter string, rule action.Rule) string {
	b.T.Helper()
	return matrixPost(b, "/desk/matters/"+matter, rule, nil)
}

// matrixPost is matrixAnswer for the form below the page of any target.
func matrixPost(b *lab.Browser, target string, rule action.Rule, made map[string]string) string {
	b.T.Helper()
	b.Fixture.Exec(`DELETE FROM attempts`) // nobody works as fast as this
	values := []string{"revision", "of-nothing"}
	for _, f := range rule.Fields {
		value := matrixValues[f.Name] + made[f.Name]
		switch {
		case f.Name == action.FieldUntil:
			value = b.Fixture.Now().AddDate(1, 0, 0).Format(time.DateOnly)
		case rule.Name == action.ShowSensitive && f.Name == action.FieldHandle:
			value = "previous_addresses"
		}
		values = append(values, f.Name, value)
	}
	p := sendOnce(b, target+"/do/"+rule.Name, "do", values...)
	says := func(s string) bool { return strings.Contains(p.Text, s) }
	switch {
	case p.StatusCode == http.StatusNotFound:
		return answerNone
	case p.StatusCode == http.StatusSeeOther && strings.Contains(p.Header.Get("Location"), "/signin"):
		return answerFresh
	case p.StatusCode == http.StatusForbidden && (says("Another operator has to approve") || says("Only two operators together")):
		return answerTwo
	case p.StatusCode == http.StatusForbidden && (says("has to prove who they are") || says("has to be signed in and read out")):
		return answerProof
	case p.StatusCode == http.StatusForbidden && says("There is nothing to do"):
		return answerKept
	case p.StatusCode == http.StatusConflict, p.StatusCode == http.StatusUnprocessableEntity:
		return answerYes
	}
	return p.Status
}

// inMatter opens a matter in which the caller has proved something.
func (w *place) inMatter(staff, person string, proof storage.CallerProof) string {
	w.T.Helper()
	id := w.opens(staff, person)
	w.MustExec(`UPDATE matters SET proof = ?1, proved_until = ?2 WHERE id = ?3`, int(proof), w.Now().Add(5*time.Minute).UnixMicro(), id)
	return id
}

// matrix is a place with one of each role.
func matrix(t *testing.T, url string) (*place, map[string]*lab.Browser) {
	t.Helper()
	w, olga, _ := plannedAt(t, url)
	w.hires("aude", desk.RoleAuditor)
	w.hires("opal", desk.RoleOperator)
	browsers := map[string]*lab.Browser{"olga": olga}
	for _, name := range []string{"sam", "rita", "sara", "aude"} {
		browsers[name] = w.reviewer(name)
	}
	w.OK(w.People().SetStatus(t.Context(), "bob", provider.Status{Group: "student", Verified: true}))
	return w, browsers
}

var proofs = []storage.CallerProof{storage.NoProof, storage.MailboxProof, storage.SessionProof}

func atPostgres(t testing.TB, url string) storage.Store {
	t.Helper()
	store := testkit.Must(postgres.Open(t.Context(), url))(t)
	return store
}

func TestMatrixOfPeople(t *testing.T) {
	t.Parallel()
	databases.OnBoth(t, func(t *testing.T, url string) {
		w, browsers := matrix(t, url)
		rows := readMatrix(t)
		w.account("gone")
		meets := func(who, target string, proof storage.CallerProof, wants func(matrixRow) string) {
			t.Helper()
			matter := w.inMatter(who, target, proof)
			for _, row := range rows {
				got, want := matrixAnswer(browsers[who], matter, ruleOf(t, row.action)), wants(row)
				if kept := got == answerKept && (want == answerProof || want == answerTwo); got != want && !kept {
					t.Errorf("%s: %s to %s with proof %d: %s, want %s", row.action, who, target, proof, got, want)
				}
			}
		}
		none, two := func(matrixRow) string { return answerNone }, func(matrixRow) string { return answerTwo }
		for i, proof := range proofs {
			meets("sam", "bob", proof, func(row matrixRow) string { return row.support[i] })
			meets("olga", "bob", proof, func(row matrixRow) string { return row.operator[i] })
		}
		meets("olga", "opal", storage.NoProof, two)
		meets("olga", "opal", storage.SessionProof, two)
		for _, who := range []string{"sam", "rita", "sara", "aude"} {
			meets(who, "opal", storage.SessionProof, none)
		}
		for _, who := range []string{"rita", "sara", "aude"} {
			meets(who, "bob", storage.SessionProof, none)
		}
		for who := range browsers {
			meets(who, who, storage.SessionProof, none)
			meets(who, "host-user", storage.SessionProof, none)
		}
		t.Run("Deleted", func(t *testing.T) {
			matter := w.inMatter("olga", "gone", storage.SessionProof)
			w.OK(w.Accounts().Delete(t.Context(), "gone"))
			for _, rule := range action.Table() {
				if rule.Target == action.Person {
					if got := matrixAnswer(browsers["olga"], matter, rule); got != answerNone {
						t.Errorf("%s: %s", rule.Name, got)
					}
				}
			}
		})
		t.Run("StaleSignIn", func(t *testing.T) {
			w.Advance(20 * time.Minute)
			matter := w.inMatter("olga", "bob", storage.SessionProof)
			for _, rule := range action.Table() {
				if rule.Target == action.Person {
					if got := matrixAnswer(browsers["olga"], matter, rule); got != answerFresh {
						t.Errorf("%s: %s", rule.Name, got)
					}
				}
			}
		})
	})
}

// serviceRow is what support and operators meet, of what is no person.
type serviceRow struct {
	action.Rule
	support, operator string
}

// readServiceMatrix reads the list of what is done to all but people, which was written by hand.
func readServiceMatrix(t *testing.T) (rows []serviceRow) {
	t.Helper()
	content := testkit.Must(os.ReadFile("testdata/matrix_service.txt"))(t)
	for line := range strings.Lines(string(content)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		i := slices.IndexFunc(action.Table(), func(r action.Rule) bool { return r.Name == f[0] })
		if i < 0 || len(f) != 3 {
			t.Fatalf("no row of the table: %s", line)
		}
		rows = append(rows, serviceRow{action.Table()[i], f[1], f[2]})
	}
	return rows
}

// dashboard returns that of developers, with the application app of the organization river, and
// the organization lake without an owner.
func dashboard(w *lab.Fixture) *developer.Dashboard {
	w.T.Helper()
	store := w.Store.(storage.Developers)
	d := testkit.Must(developer.New(developer.Config{
		Provider: w.Provider, Store: store, Mailer: w.Mails, Clock: w.Now,
		Operator: func(_ context.Context, userID string) (bool, error) { return userID == "olga", nil },
	}))(w.T)
	ctx, now := w.T.Context(), w.Now()
	for _, id := range []string{"river", "lake"} {
		w.OK(store.CreateOrganization(ctx, storage.Organization{ID: id, Name: id, CreatedAt: now}, storage.Member{UserID: "of-" + id, JoinedAt: now}, 10))
	}
	w.OK(store.EndMemberships(ctx, "of-lake", "gone"))
	w.OK(w.Clients().Save(ctx, provider.Client{ID: "app", Dialect: provider.V3, Name: "App", Secret: lab.ClientSecret, RedirectURIs: []string{lab.CallbackURI}, Scopes: []string{"openid", "profile"}}))
	w.OK(store.CreateApplication(ctx, storage.Application{
		Environment: storage.Production, ClientID: "app", OrganizationID: "river", Name: "App", Kind: "web", CreatedBy: "of-river", CreatedAt: now, UpdatedAt: now,
	}, 10))
	return d
}

// hooked returns the ID of a webhook of the application app, of whose messages one is dead.
func hooked(w *lab.Fixture) string {
	w.T.Helper()
	of, _, err := w.Signals().Save(w.T.Context(), signals.Receiver{ClientID: "app", Address: "https://hooks.example/secret", State: string(storage.ReceiverUnverified)})
	w.OK(err)
	store, now := w.Store.(storage.Signals), w.Now()
	m := testkit.Must(store.TakeMark(w.T.Context(), "test", "test", now, now.Add(time.Minute)))(w.T)
	w.OK(store.MoveMark(w.T.Context(), m, m, []storage.Delivery{{
		ReceiverID: of.ID, Number: -1, MessageID: "msg_1", Name: signals.Ping, State: storage.DeliveryDead, Answer: "422 no thanks", At: now, EndedAt: now,
	}}))
	return of.ID
}

func TestMatrixOfTheService(t *testing.T) {
	t.Parallel()
	databases.OnBoth(t, func(t *testing.T, url string) {
		w, browsers := matrix(t, url)
		d := testkit.Must(desk.New(desk.Config{
			Provider: w.Provider, Store: w.Store.(desk.Store), Clock: w.Now, Dashboard: dashboard(w.Fixture), Verification: w.service,
			Staff: func(_ context.Context, userID string) (desk.Staff, error) { return w.staff[userID], nil },
		}))(w.T)
		staged := testkit.Must(w.service.StageRoster(t.Context(), verification.RosterFile{Roster: "members", Content: strings.NewReader(numbers(3))}))(w.T)
		_, batch, err := w.service.IssueCodes(t.Context(), verification.Codes{Group: "student", Held: true})
		w.OK(err)
		made := map[string]string{action.FieldRoster: fmt.Sprint(staged.Generation, " members ", staged.Vanished, " ", staged.Skipped), action.FieldBatch: batch}
		mux := http.NewServeMux()
		mux.Handle("/desk/", d)
		mux.Handle("/", w.Provider)
		w.Server.Config.Handler = mux
		of := map[action.Kind]string{action.Application: "/desk/applications/app", action.Host: "/desk/hosts/app.example", action.Receiver: "/desk/receivers/" + hooked(w.Fixture), action.Organization: "/desk/organizations/river", action.Service: "/desk/service"}
		for _, row := range readServiceMatrix(t) {
			for who, want := range map[string]string{"sam": row.support, "olga": row.operator, "rita": answerNone, "sara": answerNone, "aude": answerNone} {
				if got := matrixPost(browsers[who], of[row.Target], row.Rule, made); got != want {
					t.Errorf("%s: %s: %s, want %s", row.Name, who, got, want)
				}
				if row.Target == action.Service {
					continue
				}
				if got := matrixPost(browsers[who], noneLike(of[row.Target]), row.Rule, nil); got != answerNone {
					t.Errorf("%s: %s to nothing: %s", row.Name, who, got)
				}
			}
		}
	})
}

// noneLike is a target like one, which there is not: of hosts that is what cannot be one.
func noneLike(target string) string { return target + "..none" }

func TestMatrixHasEveryAction(t *testing.T) {
	t.Parallel()
	var listed, known []string
	for _, row := range readMatrix(t) {
		listed = append(listed, row.action)
	}
	for _, people := range []bool{true, false} {
		for _, rule := range action.Table() {
			if (rule.Target == action.Person) == people {
				known = append(known, rule.Name)
			}
		}
	}
	for _, row := range readServiceMatrix(t) {
		listed = append(listed, row.Name)
	}
	if diff := cmp.Diff(known, listed); diff != "" {
		t.Errorf("the list and the table differ (-table +list):\n%s", diff)
	}
}

// account makes an account of somebody without a role.
func (w *place) account(id string) {
	w.T.Helper()
	_, err := w.Accounts().Save(w.T.Context(), provider.Account{ID: id, Email: id + "@example.com", EmailVerified: true, Password: staffPass})
	w.OK(err)
}
