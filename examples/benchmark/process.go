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

// residentMiB returns the resident memory of a process.
func residentMiB(pid int) float64 {
	const resident = 21
	fields := stat(pid)
	if len(fields) <= resident {
		return 0
	}
	pages, _ := strconv.ParseFloat(fields[resident], 64)
	return pages * float64(os.Getpagesize()) / (1 << 20)
}
