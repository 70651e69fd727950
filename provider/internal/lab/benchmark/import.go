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

	Starts []time.Duration `json:"starts_ns"`

	// Idle is its memory after each start and one answer.
	Idle []memory `json:"idle_mib"`
}

// measureImport builds the minimal program and starts it, on a database that exists,
// until it answers.
func measureImport(ctx context.Context, dir string, starts int) (cost importCost, err error) {
	home := filepath.Join(dir, "minimal")
	if err := os.Mkdir(home, 0o700); err != nil {
		return cost, err
	}
	program, err := filepath.Abs(filepath.Join(home, "program"))
	if err != nil {
		return cost, err
	}
	if cost.StrippedMiB, err = buildMinimal(ctx, program); err != nil {
		return cost, err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return cost, err
	}
	cost.Modules = len(info.Deps)
	secret := rand.Text() + rand.Text()
	for i := range starts + 1 {
		took, idle, err := startOnce(ctx, program, secret)
		if err != nil {
			return cost, err
		}
		if i > 0 { // the first one makes the database
			cost.Starts, cost.Idle = append(cost.Starts, took), append(cost.Idle, idle)
		}
	}
	return cost, nil
}

// buildMinimal builds the minimal program, stripped, and returns its size in MiB.
func buildMinimal(ctx context.Context, program string) (float64, error) {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./examples/minimal")
	// The program has the module's own dependencies, not those of this one.
	build.Dir, build.Stderr = filepath.Join("..", "..", "..", ".."), os.Stderr
	if err := build.Run(); err != nil {
		return 0, err
	}
	file, err := os.Stat(program)
	if err != nil {
		return 0, err
	}
	return float64(file.Size()) / (1 << 20), nil
}

// startOnce measures one start, from its beginning to the first answer, and the
// memory at its end.
func startOnce(ctx context.Context, program, secret string) (took time.Duration, idle memory, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, idle, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return 0, idle, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	process := exec.CommandContext(ctx, program)
	process.Dir, process.Stderr = filepath.Dir(program), os.Stderr
	process.Env = append(process.Environ(), "ADDRESS="+address, "SECRET="+secret)
	begin := time.Now()
	if err := process.Start(); err != nil {
		return 0, idle, err
	}
	defer func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	}()
	for {
		response, err := http.Get("http://" + address + "/id/oidc/.well-known/openid-configuration")
		if err == nil {
			took = time.Since(begin)
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return 0, idle, fmt.Errorf("it answers %s", response.Status)
			}
			return took, memoryOf(process.Process.Pid), nil
		}
		if ctx.Err() != nil {
			return 0, idle, errors.Join(ctx.Err(), err)
		}
		time.Sleep(time.Millisecond)
	}
}
