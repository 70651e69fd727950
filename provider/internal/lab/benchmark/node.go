package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// nodeDir is relative to the folder of this module, where the benchmark runs.
const nodeDir = "node"

// nodeAvailable looks for Node and for what its server needs.
func nodeAvailable() error {
	if _, err := exec.LookPath("node"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(nodeDir, "node_modules")); err != nil {
		return errors.New("run npm ci in the folder node first")
	}
	return nil
}

// nodeServer runs oidc-provider. It is one process with one thread for its
// JavaScript, as its authors run it.
func nodeServer() *exec.Cmd {
	command := exec.Command("node", "--no-warnings", filepath.Join(nodeDir, "server.mjs"))
	command.Env = append(os.Environ(), "NODE_ENV=production",
		"CLIENT_ID="+clientID, "CLIENT_SECRET="+clientSecret, "REDIRECT_URI="+redirectURI)
	return command
}
