package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// separate refuses a sandbox that would take the place of production: its users have
// passwords that everybody knows, and its applications belong to nobody. Base URLs
// have been filled in. It refuses such passwords in production, too.
func (c *config) separate() error {
	if err := c.unpublished(); err != nil {
		return err
	}
	if s := c.Sandbox; s != nil {
		if err := separateData(&c.environment, s); err != nil {
			return fmt.Errorf("sandbox.%w", err)
		}
		if err := separateURLs(c.BaseURL, s.BaseURL); err != nil {
			return fmt.Errorf("sandbox.base_url: %w", err)
		}
		// Whoever is told that a database belongs to the other may follow the advice
		// to name it here, which would hand the database over.
		if slices.Contains(s.PreviousBaseURLs, c.BaseURL) {
			return errors.New("sandbox.previous_base_urls: has the address of production; a sandbox never becomes production, give it a database of its own")
		}
		if slices.Contains(c.PreviousBaseURLs, s.BaseURL) {
			return errors.New("previous_base_urls: has the address of the sandbox; production never was one, give it a database of its own")
		}
	}
	if err := errors.Join(c.separateFedCM(), c.separateSample()); err != nil {
		return err
	}
	if err := c.separateDesks(); err != nil {
		return err
	}
	return c.separateListeners()
}

// separateDesks refuses a desk of its own host that has another provider or site there, which
// would read and set its cookies. That it is not its provider's own is for the desk to say.
func (c *config) separateDesks() error {
	others := map[string]string{}
	if c.SampleClient != nil {
		others["the sample client"] = c.SampleClient.BaseURL
	}
	if c.Sandbox != nil {
		others["the sandbox"] = c.Sandbox.BaseURL
		if d := c.Sandbox.Desk; d != nil && d.URL != "" {
			others["the desk of the sandbox"] = d.URL
			if sameHost(d.URL, c.BaseURL) {
				return fmt.Errorf("sandbox.desk.url: is at the host of production, %s; it needs one of its own", c.BaseURL)
			}
		}
	}
	if c.Desk == nil {
		return nil
	}
	// Each would take the other's numbers for a log that was put back.
	if s := c.Sandbox; s != nil && s.Desk != nil && c.Desk.Anchor != "" && isSame(c.Desk.Anchor, s.Desk.Anchor) {
		return fmt.Errorf("sandbox.desk.anchor: is the folder of production, %s; a sandbox needs one of its own", c.Desk.Anchor)
	}
	if c.Desk.URL == "" {
		return nil
	}
	for name, address := range others {
		if sameHost(c.Desk.URL, address) {
			return fmt.Errorf("desk.url: is at the host of %s, %s; it needs one of its own", name, address)
		}
	}
	return nil
}

// sameHost reports whether two addresses share their cookies, whatever their ports.
func sameHost(a, b string) bool {
	u, err1 := url.Parse(a)
	v, err2 := url.Parse(b)
	return err1 == nil && err2 == nil && hostname(u.Host) == hostname(v.Host)
}

// separateListeners refuses two listeners on one port, which a check would not notice.
func (c *config) separateListeners() error {
	taken := map[string]string{}
	for _, l := range c.listeners() {
		if strings.HasSuffix(l.address, ":0") {
			continue
		}
		if first, twice := taken[l.address]; twice {
			return fmt.Errorf("%s: %s is that of %s already", l.key, l.address, first)
		}
		taken[l.address] = l.key
	}
	return nil
}

type listener struct{ key, address string }

// listeners are the addresses at which the process listens.
func (c *config) listeners() []listener {
	all := []listener{{"listen", c.Listen}}
	if c.ProbeListen != "" {
		all = append(all, listener{"probe_listen", c.ProbeListen})
	}
	if c.SampleClient != nil {
		all = append(all, listener{"sample_client.listen", c.SampleClient.Listen})
	}
	return all
}

// separateSample refuses a sample client site at the address of a provider: its own
// listener would answer there, or never.
func (c *config) separateSample() error {
	if c.SampleClient == nil {
		return nil
	}
	sample, ok := originOf(c.SampleClient.BaseURL)
	if u, err := url.Parse(c.SampleClient.BaseURL); !ok || err != nil || u.Path != "" {
		return fmt.Errorf("sample_client.base_url: %q is not an address without a path", c.SampleClient.BaseURL)
	}
	bases := []string{c.BaseURL}
	if c.Sandbox != nil {
		bases = append(bases, c.Sandbox.BaseURL)
	}
	for _, base := range bases {
		if provider, ok := originOf(base); ok && provider == sample {
			return fmt.Errorf("sample_client.base_url: is at the address of the provider, %s; it needs one of its own", base)
		}
	}
	return nil
}

// separateData compares what the two environments keep. A database that has two names
// is found by the provider: it knows its issuer.
func separateData(production, sandbox *environment) error {
	switch {
	case isSame(production.Data, sandbox.Data):
		return fmt.Errorf("data: is the folder of production, %s; a sandbox needs one of its own", production.Data)
	case isSame(production.evidenceFolder(), sandbox.evidenceFolder()): // each deletes what it does not know
		return fmt.Errorf("evidence: is the folder of production, %s; a sandbox needs one of its own", production.evidenceFolder())
	case production.Database != "" && sameDatabase(production.Database, sandbox.Database):
		return errors.New("database: is that of production; a sandbox needs one of its own, or another schema (search_path)")
	case production.Database == "" && sandbox.Database == "" && isSame(production.file(), sandbox.file()):
		return fmt.Errorf("data: %s is the database of production; a sandbox needs one of its own", sandbox.file())
	}
	a, err1 := os.ReadFile(production.secretFile())
	b, err2 := os.ReadFile(sandbox.secretFile())
	if err1 == nil && err2 == nil && bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b)) {
		return fmt.Errorf("data: %s is a copy of the secret of production; a sandbox needs one of its own", sandbox.secretFile())
	}
	return nil
}

// isSame reports whether two paths lead to one place, whether it exists yet or not.
func isSame(a, b string) bool {
	infoA, err1 := os.Stat(a)
	infoB, err2 := os.Stat(b)
	if err1 == nil && err2 == nil {
		return os.SameFile(infoA, infoB)
	}
	return realPath(a) == realPath(b)
}

// realPath follows the links in as much of a path as exists.
func realPath(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if followed, err := filepath.EvalSymlinks(path); err == nil || filepath.Dir(path) == path {
		return followed
	}
	return filepath.Join(realPath(filepath.Dir(path)), filepath.Base(path))
}

// sameDatabase compares what two PostgreSQL addresses name: server, database and
// schema. Who signs in makes no difference.
func sameDatabase(a, b string) bool {
	u, err1 := url.Parse(a)
	v, err2 := url.Parse(b)
	if err1 != nil || err2 != nil || u.Host == "" && u.RawQuery == "" || v.Host == "" && v.RawQuery == "" {
		return strings.TrimSpace(a) == strings.TrimSpace(b)
	}
	name := func(u *url.URL) string {
		port := u.Port()
		if port == "" {
			port = "5432"
		}
		q := u.Query()
		return strings.Join([]string{
			strings.ToLower(u.Hostname()), port, strings.Trim(u.Path, "/"),
			q.Get("host"), q.Get("port"), q.Get("dbname"), q.Get("search_path"), q.Get("options"),
		}, "\x00")
	}
	return name(u) == name(v)
}

// pages are the first parts of the paths at which a provider, or what is mounted beside it, answers
// below its base URL.
var pages = []string{
	".well-known", "account", "api", "assets", "brand", "demo", "desk", "developer", "device", "email", "fedcm", "groups", "images", "oauth", "oidc", "recover", "reset",
	"signin", "signout", "signup", "ssf", "vci", "verification", "verify", "widget",
}

// separateURLs refuses addresses of which one would answer for the other. Those that
// the provider would refuse are left to it.
func separateURLs(production, sandbox string) error {
	p, err1 := url.Parse(production)
	s, err2 := url.Parse(sandbox)
	if err1 != nil || err2 != nil || p.Host == "" || s.Host == "" {
		return nil //nolint:nilerr // the provider says what is wrong with them
	}
	if hostname(p.Host) != hostname(s.Host) {
		return nil
	}
	if originPort(p) != originPort(s) || p.Scheme != s.Scheme {
		return fmt.Errorf("differs from that of production, %s, in its port only; browsers send cookies to every port of a host, "+
			"and proxies drop the port: use another host, or a path such as %s/sandbox", production, production)
	}
	switch outer, inner, ok := nested(p.Path, s.Path); {
	case inner == "" && ok:
		return errors.New("is that of production; use another host, or another path")
	case ok && slices.Contains(pages, strings.SplitN(inner, "/", 2)[0]):
		return fmt.Errorf("%s/%s is taken: a provider has pages of its own there; use another path", strings.TrimSuffix(outer, "/"), inner)
	}
	return nil
}

// nested reports whether one of two paths lies within the other, and how it goes on
// there.
func nested(a, b string) (outer, inner string, ok bool) {
	a, b = strings.TrimSuffix(a, "/")+"/", strings.TrimSuffix(b, "/")+"/"
	if len(a) > len(b) {
		a, b = b, a
	}
	inner, ok = strings.CutPrefix(b, a)
	return a, strings.TrimSuffix(inner, "/"), ok
}

// hostname is the name of a host as it is compared: without port, and in one spelling.
func hostname(host string) string {
	u := url.URL{Host: host}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

func originPort(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

func originOf(address string) (origin string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	return u.Scheme + "://" + hostname(u.Host) + ":" + originPort(u), true
}
