package clients

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

// nimbusVerifiedClaims has the OpenID Connect library of Spring, which is in the jar of a program,
// ask for verified_claims, and read what is announced and answered.
func nimbusVerifiedClaims(t *testing.T, jar string) {
	w := lab.NewVerified(t)
	program := command(t, "java", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(libraries(t, jar), "*"), "testdata/nimbus/VerifiedClaims.java",
		`{"trust_framework":{"value":"`+lab.MilitaryRules+`"},"time":null,"evidence":[{"type":{"value":"document"}}]}`, "group_military")
	program.Stderr = os.Stderr
	in := testkit.Must(program.StdinPipe())(w.T)
	out, err := program.StdoutPipe()
	w.OK(err)
	w.OK(program.Start())
	lines := bufio.NewScanner(out)
	lines.Scan()
	b := w.Alice()
	_, _, tokens := b.Verified(b.Allow(lab.AskFor(lines.Text())...).Get("code"))
	_, err = fmt.Fprintf(in, "%s\n%s\n", b.Get(lab.DiscoveryPath).Text, b.Bearer(lab.UserinfoPath, lab.Member(t, tokens, "access_token")).Text)
	w.OK(err)
	w.OK(in.Close())
	for _, want := range []string{
		"true [" + lab.MilitaryRules + ", " + lab.StudentRules + "] [group_military, group_student] [document, electronic_record, vouch]",
		lab.MilitaryRules + " " + w.VerifiedAt().UTC().Format("2006-01-02") + `T00:00:00Z document {"group_military":["Veteran"]}`,
	} {
		if lines.Scan(); lines.Text() != want {
			t.Errorf("it reads %q, want %q", lines.Text(), want)
		}
	}
	w.OK(program.Wait())
}

// libraries unpacks what a program of Spring Boot was built with, and returns its folder.
func libraries(t *testing.T, jar string) string {
	t.Helper()
	r := testkit.Must(zip.OpenReader(jar))(t)
	defer func() { _ = r.Close() }()
	folder := t.TempDir()
	for _, f := range r.File {
		if !strings.HasPrefix(f.Name, "BOOT-INF/lib/") || f.FileInfo().IsDir() {
			continue
		}
		packed := testkit.Must(f.Open())(t)
		content, err := io.ReadAll(packed)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, path.Base(f.Name)), content, 0o600)
		}
		testkit.OK(t, err)
	}
	return folder
}
