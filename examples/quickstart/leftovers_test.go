package main

import (
	"bytes"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/providertest"
)

// startAndStop starts a service and returns what its log has of names that are not in
// the file. look may look at it in between.
func startAndStop(t *testing.T, folder, text string, look func(s *service)) (told []string) {
	t.Helper()
	cfg := must(parseConfig([]byte(text), folder))(t)
	var log bytes.Buffer
	s := must(open(t.Context(), cfg, io.Discard, slog.New(slog.NewTextHandler(&log, nil))))(t)
	if look != nil {
		look(s)
	}
	ok(t, s.close())
	for _, line := range regexp.MustCompile(`msg="(\w+) are .*names="?(\[.*\])"?`).FindAllStringSubmatch(log.String(), -1) {
		told = append(told, line[1]+" "+line[2])
	}
	if strings.Contains(log.String(), "level=WARN") != (told != nil) {
		t.Errorf("the log says:\n%s", &log)
	}
	return told
}

func TestWhatIsNoLongerInTheFileIsTold(t *testing.T) {
	const (
		head = `{"listen": "127.0.0.1:0", "base_url": "http://localhost:8080", "users": [{"uuid": "maria", "email": "maria@example.com"`
		all  = head + `, "status": [{"group": "nurse", "verified": true}, {"group": "student", "subgroups": ["University"]}]},
			{"uuid": "noah", "email": "noah@example.com"}, {"uuid": "ada", "email": "ada@example.com"}],
			"sample_client": {"listen": "127.0.0.1:0", "base_url": "http://localhost:8081"},
			"clients": [{"client_id": "a", "dialect": "v3", "redirect_uris": ["https://a.test/"]}, {"client_id": "b", "dialect": "v3", "redirect_uris": ["https://b.test/"]}]}`
		some = head + `, "status": [{"group": "nurse", "verified": true}]}],
			"clients": [{"client_id": "b", "dialect": "v3", "redirect_uris": ["https://b.test/"]}]}`
		locked = head + `, "status": [{"group": "nurse", "verified": true}]}, {"uuid": "noah", "email": "noah@example.com", "disabled": true}],
			"remove_statuses": true,
			"clients": [{"client_id": "a", "dialect": "v3", "redirect_uris": ["https://a.test/"], "disabled": true}, {"client_id": "b", "dialect": "v3", "redirect_uris": ["https://b.test/"]}]}`
		board = head + `, "status": [{"group": "nurse", "verified": true}]}], "developer": {},
			"clients": [{"client_id": "b", "dialect": "v3", "redirect_uris": ["https://b.test/"]}]}`
		last = head + `, "status": [{"group": "nurse", "verified": true}]}, {"uuid": "ada", "email": "ada@example.com"}],
			"sample_client": {"listen": "127.0.0.1:0", "base_url": "http://localhost:8081"},
			"clients": [{"client_id": "b", "dialect": "v3", "redirect_uris": ["https://b.test/"]}]}`
	)
	folder := t.TempDir()
	signUp := func(s *service) { // who was in no file is not missed in one
		_, err := s.providers[0].Accounts().Save(t.Context(), provider.Account{Email: "guest@example.com"})
		if err != nil {
			t.Error(err)
		}
	}
	for i, step := range []struct {
		text string
		want []string
	}{
		{all, nil},
		{some, []string{"users [ada noah]", "clients [a sample-standard sample-v3]", "statuses [maria student]"}},
		{some, []string{"users [ada noah]", "clients [a sample-standard sample-v3]", "statuses [maria student]"}},
		{locked, []string{"users [ada]", "clients [sample-standard sample-v3]"}},
		{board, []string{"users [ada]"}}, // developers look after their own
		{last, nil},
	} {
		told := startAndStop(t, folder, step.text, signUp)
		if diff := cmp.Diff(step.want, told); diff != "" {
			t.Errorf("start %d (-want +got):\n%s", i, diff)
		}
	}
}

// statusesOf returns the statuses that are recorded for a user.
func statusesOf(t *testing.T, e *environment, id string) map[string]time.Time {
	t.Helper()
	store := must(e.openStore(t.Context(), serving))(t)
	defer store.Close()
	person := must(store.Person(t.Context(), id))(t)
	found := map[string]time.Time{}
	for _, s := range person.Statuses {
		found[s.Group] = s.VerifiedAt
	}
	return found
}

func TestStatusesThatWereTakenOutAreRemovedWhenTheFileSaysSo(t *testing.T) {
	folder := t.TempDir()
	text := func(status, more string) string {
		return `{"listen": "127.0.0.1:0", "base_url": "http://localhost:8080",
			"users": [{"uuid": "maria", "email": "maria@example.com", "status": [` + status + `]}]` + more + `}`
	}
	var at map[string]time.Time
	for _, step := range []struct {
		text   string
		groups string
	}{
		{text(`{"group": "nurse", "verified": true}, {"group": "student", "verified": true}`, ""), "nurse student"},
		{text(`{"group": "nurse", "verified": true}`, ""), "nurse student"},
		{text(`{"group": "nurse", "verified": true}`, `, "remove_statuses": true`), "nurse"},
	} {
		var found map[string]time.Time
		startAndStop(t, folder, step.text, func(s *service) { found = statusesOf(t, &s.cfg.environment, "maria") })
		for group := range found {
			if !strings.Contains(step.groups, group) {
				t.Errorf("%s is still there", group)
			}
		}
		if len(found) != len(strings.Fields(step.groups)) {
			t.Errorf("found %v, want %s", found, step.groups)
		}
		if at != nil && !at["nurse"].Equal(found["nurse"]) {
			t.Errorf("a restart has verified maria again, at %v and not %v", found["nurse"], at["nurse"])
		}
		at = found
	}
}

func TestDisabledLocksAUser(t *testing.T) {
	user := `{"listen": "` + providertest.FreeAddress(t) + `", "users": [{"email": "maria@example.com", "password": "` + mariaPassword + `"`
	folder := t.TempDir()
	for _, step := range []struct {
		key string
		can bool
	}{{"", true}, {`, "disabled": true`, false}, {"", false}, {`, "disabled": false`, true}} {
		s := startService(t, folder, user+step.key+`}]}`)
		if got := canSignIn(t, s.cfg.BaseURL, "maria@example.com", mariaPassword); got != step.can {
			t.Errorf("with %q she can sign in: %v", step.key, got)
		}
		ok(t, s.stop())
	}
}
