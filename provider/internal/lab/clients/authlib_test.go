package clients

import (
	"net"
	"os/exec"
	"testing"
)

// TestAuthlib signs in with the Flask client of Authlib.
func TestAuthlib(t *testing.T) {
	once(t)
	python := ""
	for _, path := range []string{"python3", "/usr/bin/python3"} { // one that has them
		if exec.CommandContext(t.Context(), path, "-c", "import authlib, flask, requests").Run() == nil {
			python = path
			break
		}
	}
	if python == "" {
		need(t, "Authlib is missing: apt-get install python3-authlib python3-flask python3-requests")
	}
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
	start(t, s.afterwards, command(t, python, "testdata/authlib/app.py", i.Issuer(), clientID, clientSecret, host, port))
	s.test(t)
}
