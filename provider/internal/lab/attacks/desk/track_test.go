package desk

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
)

// Attack 10: a page of the desk in a frame of another site, where a click is not what it seems.
func TestPagesAreFramedByNobody(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	olga := w.as("olga")
	for address := range pages(w.matterOf("olga", "bob")) {
		p := olga.Get(address)
		if !strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
			continue // a file
		}
		if policy := p.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || p.Header.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s may be framed: %q, %q", address, policy, p.Header.Get("X-Frame-Options"))
		}
	}
}

// Attack 21: who works here deletes their own account to leave no track.
func TestTracksStayOfWhoLeaves(t *testing.T) {
	onBoth(t, func(t *testing.T, w *place) {
		olga, m := w.as("olga"), w.matterOf("olga", "bob")
		do(olga, m, "lock")
		if !w.isLocked("bob") {
			t.Fatal("bob is not locked")
		}
		w.OK(w.Accounts().Delete(t.Context(), "olga"))
		lines := w.lines(provider.EventFilter{Actor: "staff:olga"})
		if !slices.ContainsFunc(lines, func(e provider.RecordedEvent) bool {
			return e.Name == event.AccountDisabled && e.UserID == "bob" && e.Matter == m
		}) {
			t.Errorf("of what olga did there is %v", lines)
		}
	})
}

var nextPage = regexp.MustCompile(`href="([^"]*/applications\?after=[^"&]*)"`)

// Attack 24: somebody who allows more applications than a page has is read by pages.
func TestApplicationsOfAPersonAreReadByPages(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	const many = 60
	for i := range many {
		w.MustExec(fmt.Sprintf(`INSERT INTO clients (id, registration, version) SELECT 'app%[1]d', registration, %[1]d + 1000 FROM clients WHERE id = 'std'`, i))
		w.MustExec(fmt.Sprintf(`INSERT INTO consents (subject, client_id, client_name, created_at, decided_at) VALUES ('bob', 'app%d', 'Lark %d', 1, 1)`, i, i))
	}
	olga := w.as("olga")
	address, seen := "/desk/matters/"+w.matterOf("olga", "bob")+"/applications", 0
	for n := 0; address != ""; n++ {
		p := olga.Get(address)
		is(t, p, http.StatusOK)
		shown := strings.Count(p.Text, "Lark ")
		if seen += shown; shown > 2*25 || n > 3 { // each name is in its heading and in its button
			t.Fatalf("page %d has %d names", n, shown)
		}
		address = ""
		if more := nextPage.FindStringSubmatch(p.Text); more != nil {
			address = html.UnescapeString(more[1])
		}
	}
	if seen != 2*many {
		t.Errorf("%d names of %d applications", seen, many)
	}
}
