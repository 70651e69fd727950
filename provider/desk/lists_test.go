package desk_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/storage"
)

var laterList = regexp.MustCompile(`href="(\?[^"]*_after=[^"]*)"`)

func TestListsOfOrganizationsGoOnBySealedCursors(t *testing.T) {
	t.Parallel()
	w, _ := logged(t)
	w.hires("olga", desk.RoleOperator)
	w.hires("oleg", desk.RoleOperator)
	store := w.Store.(storage.Developers)
	for i := range 60 {
		id := fmt.Sprintf("lake%02d", i)
		w.OK(store.CreateOrganization(t.Context(), storage.Organization{ID: id, Name: "Lake " + id, CreatedAt: w.Now()}, storage.Member{UserID: "of-" + id, JoinedAt: w.Now()}, 10))
		w.OK(store.EndMemberships(t.Context(), "of-"+id, "gone"))
	}
	olga, oleg := w.reviewer("olga"), w.reviewer("oleg")
	seen, at, cursors := map[string]bool{}, "", url.Values{}
	for range 3 {
		p := olga.Open("/desk/organizations" + at)
		shows(t, p, http.StatusOK)
		for id := range 60 {
			if name := fmt.Sprintf("lake%02d", id); strings.Contains(p.Text, "/desk/organizations/"+name) {
				if seen[name] {
					t.Errorf("%s is there twice", name)
				}
				seen[name] = true
			}
		}
		next := laterList.FindStringSubmatch(p.Text)
		if next == nil {
			break
		}
		at = html.UnescapeString(next[1])
		var err error
		cursors, err = url.ParseQuery(at[1:])
		w.OK(err)
	}
	if len(seen) != 60 {
		t.Errorf("%d organizations are listed", len(seen))
	}
	sealed := cursors.Get("ownerless_after")
	for name, address := range map[string]string{
		"plain": "?ownerless_after=lake30", "altered": "?ownerless_after=" + sealed[1:], "of another list": "?suspended_after=" + sealed,
		"of a search": "?q=lake&found_after=" + sealed,
	} {
		if p := olga.Open("/desk/organizations" + address); p.StatusCode != http.StatusBadRequest {
			t.Errorf("a cursor that is %s: %s", name, p.Status)
		}
	}
	shows(t, oleg.Open("/desk/organizations?ownerless_after="+sealed), http.StatusBadRequest)
}

func TestWhatAnApplicationCallsAPerson(t *testing.T) {
	t.Parallel()
	w, dashboard := logged(t)
	w.hires("sam", desk.RoleSupport)
	w.Bob().Allow("client_id", "std", "scope", "openid")
	sam := w.reviewer("sam")
	p := sam.Open(at(finds(sam, "bob")) + "/applications")
	shows(t, p, http.StatusOK, "Called in its log", dashboard.CalledAs(storage.Production, "std", "bob"))
	if strings.Contains(p.Text, dashboard.CalledAs(storage.Production, "other", "bob")) || strings.Contains(p.Text, dashboard.CalledAs(storage.Production, "std", "alice")) {
		t.Error("the name of another is there")
	}
}
