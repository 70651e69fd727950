package developer_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestAnOrganizationIsMadeAndHasAnOwner(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	b := w.as(nobody)
	p := b.open("/developer/")
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "Let people sign in") {
		t.Fatalf("%s\n%s", p.Status, p.body)
	}
	p = b.submit(b.open("/developer/new"), "name", "Meadow", "contact", "hello@meadow.test")
	if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "No application yet") || !strings.Contains(p.body, "Meadow") {
		t.Fatalf("%s at %s\n%s", p.Status, p.Request.URL, p.body)
	}
}
