package samples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// runner is how a sample is run as it is shown.
type runner struct {
	// needs are programs of which all have to be there, and libraries asks one of them
	// whether its libraries are.
	needs     []string
	libraries []string

	// build makes the sample ready in its folder. What is shown says shown for that, in the
	// place of which instead is run, since nothing is installed here.
	build          func(t *testing.T, folder string)
	shown, instead string

	// anyIssuer is set where the library does not check which issuer a response names. It
	// knows one provider, so there is no other to take it for.
	anyIssuer bool
}

// python is one that has the libraries, since there may be several.
var python = sync.OnceValue(func() string {
	for _, path := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(path, "-c", "import authlib, flask, requests").Run() == nil {
			return path
		}
	}
	return "python3"
})

var runners = map[string]map[string]runner{
	"go": {
		provider.Standard: {needs: []string{"go"}, build: buildGo, shown: "go mod init example && go mod tidy && go run .", instead: "./sample"},
		provider.V3:       {needs: []string{"go"}, build: buildGo, shown: "go run main.go", instead: "./sample"},
	},
	"node": {
		provider.Standard: {needs: []string{"node"}, build: linkModules, shown: "npm install && ", instead: ""},
		provider.V3:       {needs: []string{"node"}},
	},
	"python": {
		provider.Standard: {
			needs: []string{"python3"}, libraries: []string{python(), "-c", "import authlib, flask, requests"},
			shown: "pip install -r requirements.txt && python3", instead: python(),
		},
		provider.V3: {needs: []string{"python3"}},
	},
	"php": {
		provider.Standard: {needs: []string{"php"}, libraries: []string{"php", "-r", "curl_init() || exit(1);"}},
		provider.V3:       {needs: []string{"php"}, libraries: []string{"php", "-r", "curl_init() || exit(1);"}},
	},
	"ruby": {
		provider.Standard: {
			needs: []string{"ruby"}, libraries: []string{"ruby", "-rwebrick", "-rjwt", "-e", ""},
			shown: "gem install webrick jwt && ", instead: "",
		},
		provider.V3: {
			needs: []string{"ruby"}, libraries: []string{"ruby", "-rwebrick", "-e", ""},
			shown: "gem install webrick && ", instead: "",
		},
	},
	"java": {
		provider.Standard: {needs: []string{"javac", "mvn"}, build: buildJava, shown: "mvn spring-boot:run", instead: "java " + shortLived + " -jar target/example-1.jar", anyIssuer: true},
	},
}

// commands are what the page has a developer paste, the secret filled in.
func (r runner) commands(t *testing.T, s Sample) string {
	t.Helper()
	if !strings.Contains(s.Run, r.shown) {
		t.Fatalf("%q does not say %q", s.Run, r.shown)
	}
	return strings.Replace(strings.Replace(s.Run, Placeholder, clientSecret, 1), r.shown, r.instead, 1)
}

// buildGo compiles a sample within this module, which has what it imports.
func buildGo(t *testing.T, folder string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(folder, "sample"), filepath.Join(folder, "main.go"))
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
}

// shortLived has a virtual machine compile quickly and well enough for the seconds that it runs.
const shortLived = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

// maven is held by the one build that may write to Maven's own folder.
var maven sync.Mutex

// buildJava makes the jar, with the network only when Maven has not fetched all of it before.
func buildJava(t *testing.T, folder string) {
	t.Helper()
	maven.Lock()
	defer maven.Unlock()
	for _, network := range [][]string{{"--offline"}, {}} {
		build := exec.CommandContext(t.Context(), "mvn", append(network, "--quiet", "--batch-mode", "package")...)
		build.Dir, build.Env = folder, append(os.Environ(), "MAVEN_OPTS="+shortLived)
		output, err := build.CombinedOutput()
		switch {
		case err == nil:
			return
		case len(network) > 0:
		case os.Getenv("CI") != "true" && strings.Contains(string(output), "Could not transfer"):
			t.Skip("Maven cannot fetch Spring")
		default:
			t.Fatalf("mvn: %v\n%s", err, output)
		}
	}
}

// nodeModules names the folder with the libraries of the Node sample.
const nodeModules = "BONAFIDE_NODE_MODULES"

// linkModules gives a sample the libraries that package-lock.json pins; the test of
// Node clients installs them, and runs this one.
func linkModules(t *testing.T, folder string) {
	t.Helper()
	modules := os.Getenv(nodeModules)
	if modules == "" {
		t.Skip("openid-client is not installed: make browser does that, and runs this test")
	}
	testkit.OK(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
}

// require skips the test of a sample on a machine that cannot run it.
func (r runner) require(t *testing.T) {
	t.Helper()
	missing := ""
	for _, name := range r.needs {
		if _, err := exec.LookPath(name); err != nil {
			missing = name
		}
	}
	if missing == "" && r.libraries != nil && exec.CommandContext(t.Context(), r.libraries[0], r.libraries[1:]...).Run() != nil {
		missing = strings.Join(r.libraries, " ")
	}
	switch {
	case missing == "":
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is missing", missing)
	default:
		t.Skipf("%s is missing", missing)
	}
}
