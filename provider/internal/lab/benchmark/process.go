package main

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// stat returns the fields of a process in Linux's /proc after its name, or nothing
// on other systems.
func stat(pid int) []string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	_, after, _ := strings.Cut(string(raw), ") ")
	return strings.Fields(after)
}

// cpuTime returns the processor time that a process has used, in steps of 10 ms;
// zero where the system does not tell.
func cpuTime(pid int) time.Duration {
	const user, system, tick = 11, 12, 10 * time.Millisecond
	fields := stat(pid)
	if len(fields) <= system {
		return 0
	}
	u, _ := strconv.ParseInt(fields[user], 10, 64)
	s, _ := strconv.ParseInt(fields[system], 10, 64)
	return time.Duration(u+s) * tick
}

// memory is the resident memory of a process, in MiB.
type memory struct {
	// Own is what the process has written itself; File is what the system has
	// read from files for it, which is its code.
	Own  float64 `json:"own"`
	File float64 `json:"file"`
}

func (m memory) total() float64 { return m.Own + m.File }

// memoryOf returns the memory of a process; zero where the system does not tell.
func memoryOf(pid int) (m memory) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
		switch name {
		case "RssAnon", "RssShmem":
			m.Own += kib / 1024
		case "RssFile":
			m.File += kib / 1024
		}
	}
	return m
}
