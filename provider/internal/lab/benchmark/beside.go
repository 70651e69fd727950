package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// folders are where this benchmark is, or was, below the root of the repository.
var folders = []string{"provider/internal/lab/benchmark", "examples/benchmark"}

// pairing is this checkout beside another commit: the same servers of both, in turn.
type pairing struct {
	Machine string    `json:"machine"`
	When    time.Time `json:"when"`
	Workers int       `json:"workers"`
	Commit  string    `json:"commit"`
	Beside  string    `json:"beside"`
	Pairs   []*pair   `json:"pairs"`

	// MyStarts and TheirStarts are of the minimal programs, in turn.
	MyStarts    []start `json:"my_starts"`
	TheirStarts []start `json:"their_starts"`
}

func (*pairing) section() string { return "beside" }

// compareBeside builds the other commit's benchmark from a worktree of its own, and
// measures both.
func compareBeside(ctx context.Context, o options, dir string) (*pairing, error) {
	other := server{}
	var err error
	if other.program, err = filepath.Abs(filepath.Join(dir, "beside")); err != nil {
		return nil, err
	}
	p := &pairing{Machine: machine(dir), When: time.Now().UTC().Truncate(time.Second), Workers: o.workers, Commit: commit(ctx)}
	if p.Beside, err = buildCommit(ctx, o.beside, &other); err != nil {
		return nil, fmt.Errorf("build %s: %w", o.beside, err)
	}
	if names(o.only, minimal) {
		if err := p.start(ctx, o, dir, other); err != nil {
			return nil, fmt.Errorf("%s: %w", minimal, err)
		}
	}
	for _, of := range matches {
		if !names(o.only, of.server) {
			continue
		}
		found, err := of.measure(ctx, o, dir, other)
		if reason := new(unavailableError); errors.As(err, &reason) {
			progress("leaving out %s: %v", of.title(), err)
			continue
		}
		if err != nil {
			return nil, err
		}
		p.Pairs = append(p.Pairs, found)
	}
	return p, nil
}

// secretOf finds the secret of the application in a benchmark's flow.go: it has not been
// the same in all commits.
var secretOf = regexp.MustCompile(`clientSecret\s*=\s*"([^"]+)"`)

// buildCommit builds the benchmark of a commit, and returns the commit's hash.
func buildCommit(ctx context.Context, of string, into *server) (hash string, err error) {
	if hash, err = git(ctx, "rev-parse", "--verify", "--short", of+"^{commit}"); err != nil {
		return "", err
	}
	tree := into.program + "-source"
	if _, err := git(ctx, "worktree", "add", "--detach", tree, hash); err != nil {
		return "", err
	}
	defer func() {
		_, removed := git(context.WithoutCancel(ctx), "worktree", "remove", "--force", tree)
		err = errors.Join(err, removed)
	}()
	i := slices.IndexFunc(folders, func(folder string) bool {
		_, err := os.Stat(filepath.Join(tree, folder, "child.go"))
		return err == nil
	})
	if i < 0 {
		return "", errors.New("it has no benchmark")
	}
	source, err := os.ReadFile(filepath.Join(tree, folders[i], "flow.go"))
	if err != nil {
		return "", err
	}
	if found := secretOf.FindSubmatch(source); found != nil {
		into.secret = string(found[1])
	}
	progress("building %s", hash)
	build := exec.CommandContext(ctx, "go", "-C", filepath.Join(tree, folders[i]), "build", "-trimpath", "-o", into.program, ".")
	build.Stderr = os.Stderr
	return hash, errors.Join(build.Run(), buildMinimal(ctx, tree, into.program+"-"+minimal))
}

// commit names the commit of this checkout, with a mark when it has been changed since.
func commit(ctx context.Context) string {
	hash, err := git(ctx, "describe", "--always", "--dirty", "--exclude=*", "--abbrev=9")
	if err != nil {
		return "no commit"
	}
	return hash
}

func git(ctx context.Context, args ...string) (string, error) {
	var problem strings.Builder
	command := exec.CommandContext(ctx, "git", args...)
	command.Stderr = &problem
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return strings.TrimSpace(string(out)), nil
}
