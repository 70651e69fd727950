package clients

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpringSecurity signs in with an application of Spring Boot. It is left out where there
// is no Maven, in CI too: Java is large.
func TestSpringSecurity(t *testing.T) {
	once(t)
	if _, err := exec.LookPath("mvn"); err != nil {
		t.Skip("Maven is missing: apt-get install maven default-jdk-headless")
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/spring")); err != nil {
		t.Fatal(err)
	}
	build(t, folder)
	i, address := newInstallation(t), freeAddress(t)
	s := site{
		installation: i, start: "http://" + address + "/", redirectURI: "http://" + address + "/login/oauth2/code/bonafide",
		signOut: "http://" + address + "/logout", afterwards: "http://" + address + "/bye",
	}
	i.register(t, s.redirectURI, s.afterwards)
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	start(t, s.afterwards, command(t, "java", "-jar", filepath.Join(folder, "target", "example.jar"), "--server.address=127.0.0.1",
		"--server.port="+port, "--issuer="+i.Issuer(), "--client.id="+clientID, "--client.secret="+clientSecret))
	s.test(t)
}

// build makes the jar, with the network only when Maven has not fetched all of it before.
func build(t *testing.T, folder string) {
	t.Helper()
	for _, network := range [][]string{{"--offline"}, {}} {
		c := exec.CommandContext(t.Context(), "mvn", append(network, "--quiet", "--batch-mode", "package")...)
		c.Dir = folder
		out, err := c.CombinedOutput()
		switch {
		case err == nil:
			return
		case len(network) > 0:
		case strings.Contains(string(out), "Could not transfer"):
			t.Skip("Maven cannot fetch Spring")
		default:
			t.Fatalf("mvn: %v\n%s", err, out)
		}
	}
}
