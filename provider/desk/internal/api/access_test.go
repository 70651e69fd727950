package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/desk/internal/api"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

func TestAccess(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	files := w.token("robot")
	_, tokens := w.NewBrowser().Redeem("shared", "client_credentials", []string{w.Server.URL + root})
	_, twice := w.NewBrowser().Redeem("shared", "client_credentials", []string{w.Server.URL + root, lab.FilesURI})
	assertion := lab.ClientKeys()["ES256"].Sign(t, w.Assertion("robot"))
	p, own := w.NewBrowser().Asserted(lab.TokenPath, assertion, "grant_type", "client_credentials")
	ownToken := lab.Granted(t, p, own)
	for name, c := range map[string]struct {
		token  string
		status int
		code   string
	}{
		"AdmitsAClientThatSigns":           {files, http.StatusOK, ""},
		"RefusesNoToken":                   {"", http.StatusUnauthorized, "token_missing"},
		"RefusesAnUnknownToken":            {"nonsense", http.StatusUnauthorized, "invalid_token"},
		"RefusesATokenOfAUser":             {lab.Member(t, w.Alice().TokensFor("std", []string{lab.FilesURI}, []string{lab.FilesURI}), "access_token"), http.StatusUnauthorized, "invalid_token"},
		"RefusesATokenForTheProvider":      {ownToken, http.StatusUnauthorized, "invalid_token"},
		"RefusesATokenThatIsGoodElsewhere": {lab.Member(t, twice, "access_token"), http.StatusUnauthorized, "invalid_token"},
		"RefusesAClientWithASecret":        {lab.Member(t, tokens, "access_token"), http.StatusUnauthorized, "invalid_token"},
		"RefusesATokenWithoutTheScope":     {w.token("robot", "scope", api.ScopePeopleRead), http.StatusForbidden, "insufficient_scope"},
		"RefusesTwoTokens":                 {files + ", Bearer " + files, http.StatusBadRequest, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			a := client{w, c.token, http.Header{}}.get("/applications").is(t, c.status, c.code)
			challenge := a.Header.Get("WWW-Authenticate")
			switch c.status {
			case http.StatusUnauthorized, http.StatusForbidden:
				if !strings.Contains(challenge, `Bearer resource_metadata="`+w.Server.URL+root+`/metadata.json"`) {
					t.Errorf("WWW-Authenticate: %s", challenge)
				}
			}
			if c.code == "insufficient_scope" && !strings.Contains(challenge, `scope="desk.applications.read"`) {
				t.Errorf("WWW-Authenticate: %s", challenge)
			}
			if a.Header.Get("Cache-Control") != "no-store" {
				t.Error("caches may keep it")
			}
		})
	}
	t.Run("IsNotGivenToOthers", func(t *testing.T) {
		assertion := lab.ClientKeys()["ES256"].Sign(t, w.Assertion("stranger"))
		p, _ := w.NewBrowser().Asserted(lab.TokenPath, assertion, "grant_type", "client_credentials", "resource", w.Server.URL+root)
		lab.Refused(t, p, http.StatusBadRequest, "invalid_target")
	})
	t.Run("EndsWithTheClient", func(t *testing.T) {
		rival := w.as("rival")
		rival.get("/applications").is(t, http.StatusOK, "")
		w.OK(w.Clients().SetDisabled(t.Context(), "rival", true, 0))
		rival.get("/applications").is(t, http.StatusUnauthorized, "invalid_token")
	})
	t.Run("HasMetadata", func(t *testing.T) {
		a := client{w, "", http.Header{}}.get("/metadata.json").is(t, http.StatusOK, "")
		if a.json["resource"] != w.Server.URL+root || a.json["authorization_servers"].([]any)[0] != w.Issuer() {
			t.Error(a.text)
		}
	})
	t.Run("HasNoTokenInTheAddress", func(t *testing.T) {
		client{w, "", http.Header{}}.get("/applications?access_token="+files).is(t, http.StatusUnauthorized, "token_missing")
		client{w, files, http.Header{}}.get("/applications?access_token="+files).is(t, http.StatusBadRequest, "invalid_request")
	})
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	robot := newPlace(t).as("robot")
	robot.get("/nothing").is(t, http.StatusNotFound, "not_found")
	robot.get("/people/alice/lock").is(t, http.StatusMethodNotAllowed, "method_not_allowed")
	robot.post("/people/alice/show_value", "{}").is(t, http.StatusNotFound, "not_found")   // it is withheld
	robot.post("/people/alice/change_email", "{}").is(t, http.StatusNotFound, "not_found") // two of the staff do it
	a := robot.send(http.MethodDelete, "/applications", "").is(t, http.StatusMethodNotAllowed, "method_not_allowed")
	if a.Header.Get("Allow") != "GET, HEAD" {
		t.Error(a.Header)
	}
}
