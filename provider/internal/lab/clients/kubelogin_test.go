package clients

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// TestKubelogin signs a user of kubectl in on a machine without a browser, with kubelogin, and
// again from its cache, which it refreshes.
func TestKubelogin(t *testing.T) {
	once(t)
	program, cache := tool(t, "kubelogin", "kubelogin"), t.TempDir()
	i := newInstallation(t, func(c *provider.Config) { c.DeviceAuthorization.On = true })
	testkit.OK(t, i.Clients().Save(t.Context(), provider.Client{
		ID: clientID, Name: "A Cluster", Dialect: provider.Standard, Public: true,
		GrantTypes: []string{"urn:ietf:params:oauth:grant-type:device_code", "refresh_token"},
	}))
	kubelogin := func(more ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), program, append([]string{
			"get-token", "--oidc-issuer-url=" + i.Issuer(), "--oidc-client-id=" + clientID, "--oidc-extra-scope=offline_access",
			"--grant-type=device-code", "--skip-open-browser", "--token-cache-dir=" + cache,
		}, more...)...)
	}
	c, printed, says := kubelogin(), &testkit.Output{}, &testkit.Output{}
	c.Stdout, c.Stderr = printed, says
	testkit.OK(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	i.newBrowser(t).allowDevice(waitFor(t, says, `in your browser: (http\S+)`), waitFor(t, says, `in your browser: ([A-Z]{4}-[A-Z]{4})`), "A Cluster")
	if err := <-ended; err != nil {
		t.Fatalf("%v: %s", err, says)
	}
	first := idTokenFor(t, printed.String())
	i.verifies(t, first)

	again, err := kubelogin("--force-refresh").Output()
	if err != nil || !i.refreshed() {
		t.Fatalf("it has not refreshed its tokens: %v", err)
	}
	i.verifies(t, idTokenFor(t, string(again)))
}

// idTokenFor reads what kubelogin prints for kubectl.
func idTokenFor(t *testing.T, printed string) string {
	t.Helper()
	var credential struct {
		Status struct {
			Token string `json:"token"`
		} `json:"status"`
	}
	if err := json.Unmarshal([]byte(printed), &credential); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	return credential.Status.Token
}

// waitFor waits for what a program prints.
func waitFor(t *testing.T, o *testkit.Output, pattern string) string {
	t.Helper()
	looked := regexp.MustCompile(pattern)
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if found := looked.FindStringSubmatch(o.String()); found != nil {
			return found[1]
		}
	}
	t.Fatalf("it does not print %s: %s", pattern, o)
	return ""
}
