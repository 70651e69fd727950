package main

import (
	"cmp"
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

	"github.com/bonafide-id/bonafide/provider/opensslsigner"
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
}

// pair is one server of both, and by operation one sample of each per round.
type pair struct {
	Name   string              `json:"name"`
	Mine   map[string][]sample `json:"mine"`
	Theirs map[string][]sample `json:"theirs"`
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
	names := []string{ownServer.name}
	if opensslsigner.Available() == nil {
		names = append(names, "bonafide-openssl")
	}
	for _, name := range names {
		found, err := measurePair(ctx, o, dir, name, other)
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
	return hash, build.Run()
}

// measurePair starts one server of both and lets them take turns; who goes first
// changes with the round.
func measurePair(ctx context.Context, o options, dir, name string, of server) (*pair, error) {
	i := slices.IndexFunc(servers, func(s server) bool { return s.name == name })
	mine, theirs := servers[i], servers[i]
	theirs.program, theirs.secret = of.program, of.secret
	fleet, err := launchAll([]server{mine}, dir, o)
	defer func() { stopAll(fleet) }()
	if err != nil {
		return nil, err
	}
	home, err := newFolder(dir, "beside-"+name)
	if err != nil {
		return nil, err
	}
	other, err := launch(theirs, home, o)
	if err != nil {
		return nil, err
	}
	fleet = append(fleet, other)
	other.Target.Introspect = cmp.Or(other.Target.Introspect, fleet[0].Target.Introspect)
	found := &pair{Name: name, Mine: map[string][]sample{}, Theirs: map[string][]sample{}}
	for round := range o.rounds {
		for _, op := range operations {
			if !names(o.operations, op.name) || op.path(fleet[0].Target) == "" || op.path(other.Target) == "" {
				continue
			}
			for turn := range 2 {
				who, into, label := fleet[0], found.Mine, "this"
				if (turn+round)%2 == 1 {
					who, into, label = other, found.Theirs, o.beside
				}
				m, err := measure(ctx, who, op, o.workers, o.length)
				if err != nil {
					return nil, err
				}
				if m.Errors > 0 {
					return nil, fmt.Errorf("%s: %d errors: %s", op.name, m.Errors, m.FirstError)
				}
				into[op.name] = append(into[op.name], m)
				progress("round %d/%d  %-18s %-9s %s", round+1, o.rounds, name, label, m.line(op))
			}
		}
	}
	return found, nil
}

// markdown renders the ratios: above 1 is better than the other commit.
func (p *pairing) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s beside %s on %s, %s; %d user agents. Medians of the ratios of each round, with their quartiles.\n\n",
		p.Commit, p.Beside, p.When.Format(time.DateOnly), p.Machine, p.Workers)
	fmt.Fprint(&b, "| | per second | by processor time | rounds |\n|---|---:|---:|---:|\n")
	for _, of := range p.Pairs {
		for _, op := range operations {
			mine, theirs := of.Mine[op.name], of.Theirs[op.name]
			if len(mine) == 0 {
				continue
			}
			fmt.Fprintf(&b, "| %s: %s | %s | %s | %d |\n", of.Name, op.title,
				spread(ratios(mine, theirs, perSecond)), spread(ratios(theirs, mine, cpuEach)), len(mine))
		}
	}
	return b.String()
}

// ratios returns the ratio of each round, sorted.
func ratios(over, under []sample, figure func(sample) float64) []float64 {
	var found []float64
	for i := range min(len(over), len(under)) {
		if below := figure(under[i]); below > 0 {
			found = append(found, figure(over[i])/below)
		}
	}
	slices.Sort(found)
	return found
}

// spread renders the median of sorted values, and their quartiles.
func spread(sorted []float64) string {
	if len(sorted) == 0 {
		return "–"
	}
	at := func(quarter int) float64 { return sorted[(len(sorted)-1)*quarter/4] }
	return fmt.Sprintf("%.3f [%.2f–%.2f]", median(sorted, func(v float64) float64 { return v }), at(1), at(3))
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
