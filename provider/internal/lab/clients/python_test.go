package clients

import (
	"net"
	"os/exec"
	"strings"
	"testing"
)

// TestAuthlib signs in with the Flask client of Authlib.
func TestAuthlib(t *testing.T) {
	signInWithPython(t, "testdata/authlib/app.py", "authlib")
}

// TestSocialAuth signs in with the OpenID Connect backend of social-auth, on which the sign-ins of
// Django sites and of Sentry stand. The user name that it makes of nothing elsewhere is the address.
func TestSocialAuth(t *testing.T) {
	s, b := signInWithPython(t, "testdata/socialauth/app.py", "social_core, jose")
	if p := b.signIn(s.start); !p.shows(fullName, email, "as "+email) {
		t.Errorf("the user name does not arrive: %s\n%s", p.Status, p.body)
	}
}

// signInWithPython tests a site of Flask that signs in with a module.
func signInWithPython(t *testing.T, program, module string) (site, *browser) {
	t.Helper()
	once(t)
	python := pythonWith(t, "python3-authlib python3-social-auth-core python3-jose python3-flask python3-requests", "flask", "requests", module)
	i, address := newInstallation(t), freeAddress(t)
	s := site{
		installation: i, start: "http://" + address + "/", redirectURI: "http://" + address + "/callback",
		signOut: "http://" + address + "/sign-out", afterwards: "http://" + address + "/bye",
	}
	i.register(t, s.redirectURI, s.afterwards)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	start(t, s.afterwards, command(t, python, program, i.Issuer(), clientID, clientSecret, host, port))
	s.test(t)
	return s, s.newBrowser(t)
}

// pythonWith returns the Python that has these modules, which are in these packages of Debian.
func pythonWith(t *testing.T, packages string, modules ...string) string {
	t.Helper()
	for _, path := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), path, "-c", "import "+strings.Join(modules, ", ")).Run() == nil {
			return path
		}
	}
	need(t, modules[len(modules)-1]+" is missing: apt-get install "+packages)
	return ""
}
