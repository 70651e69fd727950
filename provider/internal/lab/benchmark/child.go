package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// server is one that can be measured.
type server struct {
	name  string
	store string

	// start makes the handler. dir is a folder for its files.
	start func(ctx context.Context, base, dir string) (http.Handler, func(*http.Client) (target, error), error)

	// command runs a server that is no Go program; it is used in place of
	// start. Such a server prints the same line as serve.
	command func() *exec.Cmd

	// program is the benchmark that the server is started with; this one when empty.
	program string

	// secret is that of the application there; clientSecret when empty.
	secret string

	// database is the URL of a PostgreSQL of its own, and owns what runs that; the one
	// that all others use when empty.
	database string
	owns     *cluster

	// telling says whom the server tells, and of what; nil for one that tells nobody.
	telling *telling

	// available reports why a server cannot run here; nil when it can.
	available func() error
}

// greeting is the one line that a server prints when it is ready.
type greeting struct {
	Addr   string `json:"addr"`
	Target target `json:"target"`
}

// serve is the child process: one server, until its standard input ends.
func serve(ctx context.Context, s server, dir string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	base := "http://" + listener.Addr().String()
	handler, prepare, err := s.start(ctx, base, dir)
	if err != nil {
		return err
	}
	var down atomic.Bool
	h := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		down.Store(true)
		_ = h.Close()
	}()
	failed := make(chan error, 1)
	go func() {
		t, err := prepare(&http.Client{Timeout: answerTimeout})
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(greeting{listener.Addr().String(), t})
		}
		if err != nil {
			failed <- err
			_ = h.Close()
		}
	}()
	err = h.Serve(listener)
	select {
	case err := <-failed:
		return err
	default:
	}
	if down.Load() && errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// profileEnv names the file for the CPU profile of a child process.
const profileEnv = "BENCHMARK_PROFILE"

// profiled runs f under the CPU profiler when the parent asks for it.
func profiled(f func() error) error {
	path := os.Getenv(profileEnv)
	if path == "" {
		return f()
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return f()
}

// running is a server in a process of its own.
type running struct {
	greeting
	server
	process *exec.Cmd
	stdin   io.Closer
}

// launch starts a server and waits until it is ready.
func launch(s server, dir string, o options) (*running, error) {
	command := exec.Command(cmp.Or(s.program, os.Args[0]), "-serve", s.name, "-dir", dir)
	if s.command != nil {
		command = s.command()
	}
	command.Env = append(command.Environ(), "GOMAXPROCS="+strconv.Itoa(o.procs))
	if s.database != "" {
		command.Env = append(command.Env, postgresEnv+"="+s.database)
	}
	if s.telling != nil {
		command.Env = append(command.Env, s.telling.variable())
	}
	if o.profiles != "" {
		name := strings.ReplaceAll(s.name, "/", "-") + ".pprof"
		command.Env = append(command.Env, profileEnv+"="+filepath.Join(o.profiles, name))
	}
	command.Stderr = os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	r := &running{server: s, process: command, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r.greeting)
	}
	if err != nil {
		r.stop()
		return nil, fmt.Errorf("start %s: %w", s.name, err)
	}
	return r, nil
}

// cpu returns the processor time that it has used, with that of a database of its own.
func (r *running) cpu() time.Duration {
	total := cpuTime(r.process.Process.Pid)
	if r.owns != nil {
		total += familyTime(r.owns.Process.Pid)
	}
	return total
}

func (r *running) stop() {
	_ = r.stdin.Close()
	done := make(chan struct{})
	go func() { _ = r.process.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		_ = r.process.Process.Kill()
		<-done
	}
}
