package docs_test

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/providertest"
)

var jsBlock = regexp.MustCompile("(?s)```js\n(.*?)```")

// TestReceiversOfThePageRun starts the receivers of docs/signals.md as their readers would, and
// sends them messages of Standard Webhooks.
func TestReceiversOfThePageRun(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{7}, 24)
	public, private, err := ed25519.GenerateKey(nil)
	ok(t, err)
	page, dir := read(t, "docs/signals.md"), t.TempDir()
	for name, c := range map[string]struct {
		block     *regexp.Regexp
		file, key string
		run       []string
		signs     func(signed []byte) string
	}{
		"Node": {jsBlock, "receiver.mjs", "whsec_" + base64.StdEncoding.EncodeToString(secret), []string{"node", "receiver.mjs"}, func(signed []byte) string {
			mac := hmac.New(sha256.New, secret)
			mac.Write(signed)
			return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		}},
		"Go": {goBlock, "receiver.go", "whpk_" + base64.StdEncoding.EncodeToString(public), []string{"./receiver"}, func(signed []byte) string {
			return "v1a," + base64.StdEncoding.EncodeToString(ed25519.Sign(private, signed))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("node"); err != nil && name == "Node" && os.Getenv("CI") != "true" {
				t.Skip("there is no Node.js")
			}
			found := c.block.FindStringSubmatch(page)
			if found == nil {
				t.Fatal("the page has no receiver")
			}
			write(t, dir, c.file, found[1])
			if name == "Go" {
				build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", "receiver", c.file)
				build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
				if out, err := build.CombinedOutput(); err != nil {
					t.Fatalf("build: %v\n%s", err, out)
				}
			}
			address := providertest.FreeAddress(t)
			program := exec.CommandContext(t.Context(), c.run[0], c.run[1:]...)
			program.Dir, program.Stderr = dir, t.Output()
			program.Env = append(os.Environ(), "KEY="+c.key, "PORT="+address[strings.LastIndexByte(address, ':')+1:])
			out, err := program.StdoutPipe()
			ok(t, err)
			ok(t, program.Start())
			lines := bufio.NewScanner(out)
			t.Cleanup(func() {
				_ = program.Process.Kill()
				_ = program.Wait()
			})
			send := func(id, at, body, signatures string) int {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/", strings.NewReader(body))
				ok(t, err)
				request.Header = http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {at}, "Webhook-Signature": {signatures}}
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					return 0
				}
				ok(t, response.Body.Close())
				return response.StatusCode
			}
			now, old := strconv.FormatInt(time.Now().Unix(), 10), strconv.FormatInt(time.Now().Unix()-3600, 10)
			signed := func(at string) string { return c.signs([]byte("msg_1." + at + ".{}")) }
			for deadline := time.Now().Add(time.Minute); send("msg_1", now, "{}", "v2,AAAA "+signed(now)) != http.StatusNoContent; {
				if time.Now().After(deadline) {
					t.Fatal("the receiver takes no message")
				}
				time.Sleep(20 * time.Millisecond)
			}
			if !lines.Scan() || lines.Text() != "{}" {
				t.Errorf("it prints %q", lines.Text())
			}
			for what, status := range map[string]int{
				"another body":     send("msg_1", now, "{ }", signed(now)),
				"another ID":       send("msg_2", now, "{}", signed(now)),
				"an old timestamp": send("msg_1", old, "{}", signed(old)),
				"no signature":     send("msg_1", now, "{}", ""),
			} {
				if status != http.StatusUnauthorized {
					t.Errorf("%s: %d", what, status)
				}
			}
			if again := send("msg_1", now, "{}", signed(now)); again != http.StatusNoContent {
				t.Errorf("a repeat: %d", again)
			}
		})
	}
}
