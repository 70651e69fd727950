package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestConfigOfTheContainerIsValid(t *testing.T) {
	t.Setenv("BASE_URL", "https://id.example.com")
	t.Setenv("DATABASE_PASSWORD", "0123456789abcdef")
	cfg, err := loadConfig("deploy/service.json")
	ok(t, err)
	cfg.Data = t.TempDir() // that of the container may be in use here
	out := &output{}
	ok(t, cfg.check(t.Context(), out))
	if !strings.Contains(out.String(), "postgres://db/bonafide\n") {
		t.Errorf("it would do:\n%s", out)
	}
	container, err := os.ReadFile("deploy/Dockerfile")
	ok(t, err)
	for _, path := range []string{"/etc/bonafide/service.json", "/var/lib/bonafide\n"} {
		if !strings.Contains(string(container), path) {
			t.Errorf("the container has no %s", path)
		}
	}
}

// TestContainerHasWhatItIsBuiltFrom fails when the program imports a folder that the
// container's build does not get.
func TestContainerHasWhatItIsBuiltFrom(t *testing.T) {
	ignore, err := os.ReadFile("deploy/Dockerfile.dockerignore")
	ok(t, err)
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	ok(t, err)
	own := 0
	for _, path := range strings.Fields(string(out)) {
		folder, ok := strings.CutPrefix(path, "github.com/bonafide-id/bonafide/")
		if !ok {
			continue
		}
		own++
		got := false
		for _, line := range strings.Fields(string(ignore)) {
			if given, ok := strings.CutPrefix(line, "!"); ok && (folder == given || strings.HasPrefix(folder, given+"/")) {
				got = true
			}
		}
		if !got {
			t.Errorf("the build does not get %s", folder)
		}
	}
	if own < 10 {
		t.Errorf("the program has %d packages of ours", own)
	}
}
