package main

import (
	"os"
	"path/filepath"
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

// The fields of stat that are read.
const (
	parent = 1
	spent  = 11 // the processor time of the process, of the system for it, and of its children that have ended
	ended  = 14
)

// cpuTime returns the processor time that a process has used, in steps of 10 ms;
// zero where the system does not tell.
func cpuTime(pid int) time.Duration { return ticks(stat(pid), spent, spent+1) }

// familyTime is cpuTime of a process and of its children.
func familyTime(pid int) time.Duration {
	total := ticks(stat(pid), spent, ended)
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if fields := stat(id); len(fields) > parent && fields[parent] == strconv.Itoa(pid) {
			total += ticks(fields, spent, spent+1)
		}
	}
	return total
}

// ticks adds up fields of a time.
func ticks(fields []string, first, last int) (total time.Duration) {
	const tick = 10 * time.Millisecond
	for i := first; i <= last && i < len(fields); i++ {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		total += time.Duration(n) * tick
	}
	return total
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
