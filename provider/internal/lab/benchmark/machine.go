package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// machine describes where a run takes place, as far as the system tells.
func machine(dir string) string {
	parts := []string{fmt.Sprintf("%d processors", runtime.NumCPU())}
	if model := fieldOf("/proc/cpuinfo", "model name"); model != "" {
		parts = append(parts, model)
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		parts = append(parts, "Linux "+strings.TrimSpace(string(release)))
	}
	if system := fileSystem(dir); system != "" {
		parts = append(parts, system)
	}
	return strings.Join(append(parts, runtime.Version()), ", ")
}

// fieldOf returns the first value of a name in a file of lines "name : value".
func fieldOf(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// fileSystem returns the type of what is mounted where dir is.
func fileSystem(dir string) (kind string) {
	mounts, err := os.ReadFile("/proc/mounts")
	path, absErr := filepath.Abs(dir)
	if err != nil || absErr != nil {
		return ""
	}
	longest := -1
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		at := fields[1]
		if inside := path == at || strings.HasPrefix(path, strings.TrimSuffix(at, "/")+"/"); inside && len(at) > longest {
			longest, kind = len(at), fields[2]
		}
	}
	return kind
}
