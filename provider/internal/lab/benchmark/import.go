package main

import (
	"context"
	"crypto/rand"
	"debug/buildinfo"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// importCost is what Bonafide adds to a program: the smallest that has it.
type importCost struct {
	StrippedMiB float64 `json:"stripped_mib"`
	Modules     int     `json:"modules"`

	Starts []start `json:"starts"`
}

// start is one of the minimal program, until its first answer.
type start struct {
	Took time.Duration `json:"took_ns"`
	CPU  time.Duration `json:"cpu_ns"`
	Idle memory        `json:"idle_mib"`
}

func (s start) milliseconds() float64 { return micros(s.Took) / 1000 }
func (s start) cpu() float64          { return micros(s.CPU) }
func (s start) resident() float64     { return s.Idle.total() }

// measureImport builds the minimal program and starts it, on a database that exists,
// until it answers.
func measureImport(ctx context.Context, dir string, starts int) (cost importCost, err error) {
	home := filepath.Join(dir, "minimal")
	if err := os.Mkdir(home, 0o700); err != nil {
		return cost, err
	}
	path, err := filepath.Abs(filepath.Join(home, "program"))
	if err != nil {
		return cost, err
	}
	if err := buildMinimal(ctx, checkout, path); err != nil {
		return cost, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return cost, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return cost, err
	}
	cost.StrippedMiB, cost.Modules = float64(file.Size())/(1<<20), len(info.Deps)
	minimal, err := newProgram(path)
	if err != nil {
		return cost, err
	}
	for i := range starts + 1 {
		once, err := minimal.start(ctx)
		if err != nil {
			return cost, err
		}
		if i > 0 { // the first one makes the database
			cost.Starts = append(cost.Starts, once)
		}
	}
	return cost, nil
}

// checkout is the root of the repository.
var checkout = filepath.Join("..", "..", "..", "..")

// buildMinimal builds the minimal program of a checkout, stripped.
func buildMinimal(ctx context.Context, of, path string) error {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./examples/minimal")
	// The program has the module's own dependencies, not those of this one.
	build.Dir, build.Stderr = of, os.Stderr
	return build.Run()
}

// program is a minimal program with its settings, which are the same at each start.
type program struct{ path, address, secret string }

func newProgram(path string) (program, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return program{}, err
	}
	return program{path, listener.Addr().String(), rand.Text() + rand.Text()}, listener.Close()
}

// start measures one start, from its beginning to the first answer.
func (p program) start(ctx context.Context) (once start, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	process := exec.CommandContext(ctx, p.path)
	process.Dir, process.Stderr = filepath.Dir(p.path), os.Stderr
	process.Env = append(process.Environ(), "ADDRESS="+p.address, "SECRET="+p.secret)
	begin := time.Now()
	if err := process.Start(); err != nil {
		return once, err
	}
	defer func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		once.CPU = process.ProcessState.UserTime() + process.ProcessState.SystemTime()
	}()
	for {
		response, err := http.Get("http://" + p.address + "/id/oidc/.well-known/openid-configuration")
		if err == nil {
			once.Took, once.Idle = time.Since(begin), memoryOf(process.Process.Pid)
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return once, fmt.Errorf("it answers %s", response.Status)
			}
			return once, nil
		}
		if ctx.Err() != nil {
			return once, errors.Join(ctx.Err(), err)
		}
		time.Sleep(time.Millisecond)
	}
}
