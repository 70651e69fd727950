package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// unpublished refuses the passwords and secrets of quickstart.json, which everybody can read, in production at an
// address that others reach: whoever copies that file has to choose new ones.
func (c *config) unpublished() error {
	if isOwnMachine(c.BaseURL) {
		return nil
	}
	var file any
	if err := json.Unmarshal(quickstart, &file); err != nil {
		return err
	}
	known := map[string]bool{}
	collect(file, known)
	for i, u := range c.Users {
		if known[u.Password] {
			return fmt.Errorf("users[%d].password: is that of quickstart.json, which everybody can read; choose another", i)
		}
	}
	for i, cl := range c.Clients {
		if known[cl.Secret] {
			return fmt.Errorf("clients[%d].client_secret: is that of quickstart.json, which everybody can read; choose another", i)
		}
	}
	return nil
}

// collect finds the passwords and secrets in a tree of JSON.
func collect(tree any, found map[string]bool) {
	switch node := tree.(type) {
	case map[string]any:
		for key, value := range node {
			if text, ok := value.(string); ok && (key == "password" || key == "client_secret") {
				found[text] = true
			}
			collect(value, found)
		}
	case []any:
		for _, value := range node {
			collect(value, found)
		}
	}
}

// isOwnMachine reports whether an address leads to the machine that names it.
func isOwnMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
