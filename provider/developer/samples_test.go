package developer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

const samplesPath = "/developer/o/river/sandbox/shop/samples"

func TestSamplesAreFilledWithTheApplication(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) {
		c.RedirectURIs = append(c.RedirectURIs, "http://localhost:8123/cb")
	})
	b := w.as(viewer)
	for query, wants := range map[string][]string{
		"":                                {"shop", "widget/v1.js"},
		"?language=go":                    {"main.go", callbackURI, w.sandbox.Issuer(), "export BONAFIDE_CLIENT_SECRET=&#39;YOUR_CLIENT_SECRET&#39;", "go run .", "127.0.0.1:8080"},
		"?language=go&redirect_uri=1":     {"main.go", "localhost:8123", `href="http://localhost:8123/"`},
		"?language=python&redirect_uri=9": {"server.py", callbackURI},
		"?language=nonsense":              {"button.html"},
		"?language=curl&redirect_uri=-1":  {"sign-in.sh", callbackURI},
		"?language=%3Cscript%3Ealert(1)":  {"button.html"},
	} {
		p := b.open(samplesPath + query)
		if p.StatusCode != http.StatusOK || strings.Contains(p.body, "<script>alert") {
			t.Fatalf("%s: %s\n%s", query, p.Status, p.body)
		}
		if policy := p.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "/assets/ http") || !strings.Contains(policy, "/widget/;") {
			t.Errorf("%q may not load the button: %s", query, policy)
		}
		for _, want := range wants {
			if !strings.Contains(p.body, want) {
				t.Errorf("%q without %q:\n%s", query, want, p.body)
			}
		}
	}
}

func TestSamplesNeverHaveTheSecret(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	secret, err := w.sandbox.Clients().Secret(t.Context(), "shop")
	w.ok(err)
	b := w.as(owner)
	for _, language := range []string{"button", "curl", "go", "node", "python", "php", "ruby", "java", "csharp"} {
		p := b.open(samplesPath + "?language=" + language)
		if p.StatusCode != http.StatusOK || !strings.Contains(p.body, "language="+language) || strings.Contains(p.body, secret) {
			t.Errorf("%s: %s", language, p.Status)
		}
	}
}

func TestAttackReadSamplesOfAnotherOrganization(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop")
	for _, user := range []string{lakeOwner, nobody} {
		if p := w.as(user).open(samplesPath); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s reads samples: %s", user, p.Status)
		}
		if p := w.as(user).open(strings.Replace(samplesPath, river, lake, 1)); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s reads samples below lake: %s", user, p.Status)
		}
	}
}

func TestSamplesOfTheDialectV3AskForAScopeOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) {
		c.Dialect, c.Scopes = provider.V3, []string{"openid", "profile", "email", "military"}
	})
	p := w.as(dev).open(shopPath + "/samples?language=curl")
	if !strings.Contains(p.body, "scope=&#39;military&#39;") && !strings.Contains(p.body, "scope=military") {
		t.Errorf("%s", p.body)
	}
}

func TestSamplesSayWhichProveAKey(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.DPoPBoundAccessTokens = true })
	b := w.as(dev)
	const unproven = "send the proofs of a key (DPoP)"
	for language, want := range map[string]string{"go": "dpop+jwt", "node": "getDPoPHandle", "python": unproven, "curl": unproven, "button": "widget/v1.js"} {
		p := b.open(samplesPath + "?language=" + language)
		says(t, p, http.StatusOK, want)
		if proves := want != unproven; proves == strings.Contains(p.body, unproven) {
			t.Errorf("%s proves a key: %t", language, proves)
		}
	}
}
