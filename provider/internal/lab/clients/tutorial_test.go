package clients

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// fileOfTutorial is a file that a tutorial has its reader write.
var fileOfTutorial = regexp.MustCompile("(?ms)^`([^`\n]+)`:\n\n```\\w+\n(.*?)^```$")

// TestSpringTutorial signs in with the application of docs/tutorials/spring.md as it is printed: Alice is
// greeted, and has the discount only while she is verified.
func TestSpringTutorial(t *testing.T) {
	once(t)
	if _, err := exec.LookPath("mvn"); err != nil {
		need(t, "Maven is missing: apt-get install maven default-jdk-headless")
	}
	folder := t.TempDir()
	writeTutorial(t, "spring.md", folder)
	build(t, folder)
	jars, err := filepath.Glob(filepath.Join(folder, "target", "*.jar"))
	if err != nil || len(jars) != 1 {
		t.Fatalf("built: %q, %v", jars, err)
	}
	i, address := newInstallation(t), freeAddress(t)
	testkit.OK(t, i.Clients().Save(t.Context(), provider.Client{
		ID: clientID, Secret: clientSecret, Name: "An App", Dialect: provider.Standard,
		Scopes: []string{"profile", "email", "military"}, RedirectURIs: []string{"http://" + address + "/login/oauth2/code/bonafide"},
	}))
	_, port, err := net.SplitHostPort(address)
	testkit.OK(t, err)
	program := command(t, "java", "-XX:TieredStopAtLevel=1", "-jar", jars[0], "--server.address=127.0.0.1", "--server.port="+port)
	program.Env = append(os.Environ(), "BONAFIDE_ISSUER="+i.Issuer(), "BONAFIDE_CLIENT_ID="+clientID, "BONAFIDE_CLIENT_SECRET="+clientSecret)
	start(t, "http://"+address+"/", program)

	unverified := i.newBrowser(t)
	if p := unverified.signIn("http://" + address + "/"); !p.shows("Hello, " + fullName) {
		t.Fatalf("nobody is greeted: %s at %s\n%s", p.Status, p.url, p.body)
	}
	if p := unverified.open("http://" + address + "/discount"); p.StatusCode != 403 {
		t.Errorf("the discount of who is not verified: %s\n%s", p.Status, p.body)
	}
	testkit.OK(t, i.People().SetStatus(t.Context(), userID, provider.Status{Group: "military", Verified: true, Subgroups: []string{"Veteran"}}))
	verified := i.newBrowser(t)
	verified.signIn("http://" + address + "/")
	if p := verified.open("http://" + address + "/discount"); !p.shows("You get the military discount.") {
		t.Errorf("the discount of who is verified: %s at %s\n%s", p.Status, p.url, p.body)
	}
	t.Run("VerifiedClaims", func(t *testing.T) { nimbusVerifiedClaims(t, jars[0]) })
}

// build makes the jar, with the network only when Maven has not fetched all of it before.
func build(t *testing.T, folder string) {
	t.Helper()
	for _, network := range [][]string{{"--offline"}, {}} {
		c := exec.CommandContext(t.Context(), "mvn", append(network, "--quiet", "--batch-mode", "package")...)
		c.Dir, c.Env = folder, append(os.Environ(), "MAVEN_OPTS=-XX:TieredStopAtLevel=1") // it runs for seconds only
		out, err := c.CombinedOutput()
		if err == nil {
			return
		}
		if len(network) == 0 {
			t.Fatalf("mvn: %v\n%s", err, out)
		}
	}
}

// writeTutorial writes the files that a tutorial prints.
func writeTutorial(t *testing.T, page, folder string) {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join(repository, "docs", "tutorials", page)))(t)
	for _, found := range fileOfTutorial.FindAllStringSubmatch(string(text), -1) {
		file := filepath.Join(folder, filepath.FromSlash(found[1]))
		testkit.OK(t, os.MkdirAll(filepath.Dir(file), 0o700))
		testkit.OK(t, os.WriteFile(file, []byte(found[2]), 0o600))
	}
}
