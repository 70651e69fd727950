package samples

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestCurlSampleSignsInAsItIsShown(t *testing.T) {
	t.Parallel()
	runner{needs: []string{"bash", "curl", "jq", "openssl"}}.require(t)
	i := newInstallation(t)
	for _, dialect := range []string{provider.Standard, provider.V3} {
		for _, public := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/public=%t", dialect, public), func(t *testing.T) {
				t.Parallel()
				a := i.application(t, dialect, public)
				if out, err := runCurl(t, a, func(response string) string { return response }); err != nil || !strings.Contains(out, "alice@example.com") {
					t.Errorf("%v\n%s", err, out)
				}
				forge := func(response string) string { return strings.Replace(response, "state=", "state=x", 1) }
				if out, err := runCurl(t, a, forge); err == nil || !strings.Contains(out, "not asked for") {
					t.Errorf("another state is accepted: %v\n%s", err, out)
				}
			})
		}
	}
}

// runCurl runs the script and gives it the response, changed.
func runCurl(t *testing.T, a Application, change func(string) string) (string, error) {
	t.Helper()
	folder, s := write(t, a, "curl")
	c, out := shell(t, folder, runner{}.commands(t, s))
	read, stdout, err := os.Pipe()
	testkit.OK(t, err)
	defer read.Close()
	stdin := testkit.Must(c.StdinPipe())(t)
	c.Stdout = stdout
	testkit.OK(t, c.Start())
	stdout.Close()
	lines := bufio.NewReader(read)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("no address: %v\n%s", err, out)
		}
		if address := strings.TrimSpace(line); strings.HasPrefix(address, "http") {
			b := newBrowser(t)
			b.until = a.RedirectURI
			testkit.Must(fmt.Fprintln(stdin, change(b.signIn(address).Header.Get("Location"))))(t)
			break
		}
	}
	rest := testkit.Must(io.ReadAll(lines))(t)
	err = c.Wait()
	return string(rest) + out.String(), err
}
