package developer_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestStrangersReadWhatThereIsForDevelopers(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.newBrowser()
	p := b.open("/developer/")
	says(t, p, http.StatusOK, "Let people sign in with", `href="/developer/docs"`, `href="/developer/start"`)
	if strings.Contains(p.body, "Your organizations") {
		t.Error("a stranger has organizations")
	}
	if p := b.open("/developer/start"); p.Request.URL.Path == "/developer/start" || p.StatusCode != http.StatusOK {
		t.Errorf("%s at %s, want the sign-in", p.Status, p.Request.URL)
	}
	says(t, w.as(dev).open("/developer/start"), http.StatusOK, "Your organizations")
	says(t, w.as(nobody).open("/developer/start"), http.StatusOK, "Create an organization", `name="name"`)
}

func TestErrorsLeadBackToTheDashboard(t *testing.T) {
	t.Parallel()
	b := newFixture(t).as(dev)
	for _, path := range []string{"/developer/nowhere", "/developer/o/nobody/sandbox", "/developer/review"} {
		p := b.open(path)
		if p.StatusCode != http.StatusNotFound && p.StatusCode != http.StatusForbidden || !strings.Contains(p.body, `href="/developer/">Back to the start page`) {
			t.Errorf("%s: %s leads elsewhere", path, p.Status)
		}
	}
}
