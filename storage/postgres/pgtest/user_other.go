//go:build !unix

package pgtest

import (
	"os/exec"
	"testing"
)

func unprivileged(_ *testing.T, command *exec.Cmd, dir string) { command.Dir = dir }
