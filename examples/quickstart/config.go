package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
)

// config is what the process runs. Every field has a default.
type config struct {
	// Version is the form of this file. A program refuses a file of a later form.
	// Defaults to 1.
	Version int `json:"version"`

	// Listen is the address of the provider and its sandbox. Port 0 takes a free one.
	// Defaults to 127.0.0.1:8080.
	Listen string `json:"listen"`

	// ProbeListen is the address of the probes /live and /ready and of /metrics, those of the sandbox below /sandbox. It needs no
	// outside access.
	// Defaults to none.
	ProbeListen string `json:"probe_listen"`

	environment

	// SampleClient runs the sample client site, and registers it.
	SampleClient *sampleClient `json:"sample_client"`

	// Sandbox runs a second provider at listen, with all of these keys but version, listen, probe_listen, sample_client, developer
	// and sandbox.
	Sandbox *environment `json:"sandbox"`

	// Developer mounts the dashboard for client developers at BaseURL + /developer/; {} is enough.
	Developer *dashboard `json:"developer"`

	// demo says that this is the quickstart without a config file, whose passwords are
	// known to everybody.
	demo bool
}

// environment is one provider: its Config, what it keeps, and whom it knows. A sandbox
// has users and clients of its own, and what it leaves out of the Config, but for the
// addresses, as in production.
type environment struct {
	// BaseURL is http://localhost with the port of Listen when empty; for the
	// sandbox, that of production followed by /sandbox.
	provider.Config

	// Brand is the look of the screens and mails. Pictures, fonts and stylesheet are paths of files.
	Brand brand `json:"brand"`

	// Texts is the path of a folder with texts of your own for screens and mails, such as de.json.
	// Defaults to none.
	Texts string `json:"texts"`

	// Sandbox is no key: an environment is one by its place.
	Sandbox noKey `json:"-"`

	// Data is the folder of secret, secret.previous (former ones) and database, made with mode 0700.
	// Defaults to data.
	Data string `json:"data"`

	// Evidence is the folder of what people send as evidence, encrypted; several machines share a disk.
	// Defaults to evidence in data.
	Evidence string `json:"evidence"`

	// Database is a PostgreSQL address, postgres://…, or database_file the path of a file with it. The secret stays in data.
	// Defaults to a SQLite file in data.
	Database     string `json:"database"`
	DatabaseFile string `json:"database_file"`

	// SMTP is the server that takes mails, each at once and for at most five seconds: use one with a queue.
	// Defaults to none: mails are printed, with their codes.
	SMTP      *smtp `json:"smtp"`
	dropsMail bool

	// RemoveStatuses makes the file the full list of statuses of each of users: others go when that list has changed, not those
	// that somebody records later.
	// Defaults to false.
	RemoveStatuses bool `json:"remove_statuses"`

	// Verification lets people become verified members of groups, at BaseURL + /verification/.
	Verification *verified `json:"verification"`

	// Wallet lets people put verified groups into wallet apps, at BaseURL + /vci/.
	Wallet *wallet `json:"wallet"`

	// Desk is where the staff looks after people, applications and cases, at BaseURL + /desk/. Give your staff passkeys.
	Desk *staffed `json:"desk"`

	// Upstreams are the providers at which people have an account to sign in with, each openid, google, microsoft, apple or
	// github.
	// Defaults to none.
	Upstreams []upstreamProvider `json:"upstreams"`

	// Users are embedded accounts.
	// Defaults to none.
	Users []user `json:"users"`

	// Clients are applications, by the names of RFC 7591.
	// Defaults to none.
	Clients []client `json:"clients"`
}

// noKey takes the place of a field that is embedded, so that a file cannot set it.
type noKey struct{}

type sampleClient struct {
	// Listen is its address.
	// Defaults to 127.0.0.1:8081.
	Listen string `json:"listen"`

	// BaseURL is where browsers reach it.
	// Defaults to http://localhost: and the port.
	BaseURL string `json:"base_url"`
}

// brand has the paths of what is in files.
type brand struct {
	provider.Brand
	Logo         string `json:"logo"`
	LogoDark     string `json:"logo_dark"`
	Wordmark     string `json:"wordmark"`
	WordmarkDark string `json:"wordmark_dark"`
	Favicon      string `json:"favicon"`
	Background   string `json:"background"`
	Stylesheet   string `json:"stylesheet"`
	Font         font   `json:"font"`
}

type font struct {
	provider.Font
	Regular string `json:"regular"`
	Bold    string `json:"bold"`
}

// brandFile is a file of a brand: its key, its path, and where its content goes.
type brandFile struct {
	key     string
	path    *string
	content *[]byte
}

func (b *brand) files() []brandFile {
	return []brandFile{
		{"logo", &b.Logo, &b.Brand.Logo}, {"logo_dark", &b.LogoDark, &b.Brand.LogoDark},
		{"wordmark", &b.Wordmark, &b.Brand.Wordmark}, {"wordmark_dark", &b.WordmarkDark, &b.Brand.WordmarkDark},
		{"favicon", &b.Favicon, &b.Brand.Favicon}, {"background", &b.Background, &b.Brand.Background},
		{"stylesheet", &b.Stylesheet, &b.Brand.Stylesheet},
		{"font.regular", &b.Font.Regular, &b.Brand.Font.Regular}, {"font.bold", &b.Font.Bold, &b.Brand.Font.Bold},
	}
}

func (c *client) files() []brandFile {
	return []brandFile{
		{"logo", &c.Logo, &c.Client.Logo}, {"logo_dark", &c.LogoDark, &c.Client.LogoDark},
		{"wordmark", &c.Wordmark, &c.Client.Wordmark}, {"wordmark_dark", &c.WordmarkDark, &c.Client.WordmarkDark},
	}
}

// read returns the brand with the content of its files.
func (b brand) read() (provider.Brand, error) {
	b.Brand.Font.Name = b.Font.Name
	for _, f := range b.files() {
		content, err := readImage(*f.path)
		if err != nil {
			return provider.Brand{}, fmt.Errorf("brand.%s: %w", f.key, err)
		}
		*f.content = content
	}
	return b.Brand, nil
}

// user is an account, and what is known about its owner.
type user struct {
	provider.Account
	PasswordFile string `json:"password_file"`

	// EmailVerified says whether the address is verified.
	// Defaults to true.
	EmailVerified *bool `json:"email_verified"`

	// Disabled locks the user out and ends their sessions; false unlocks.
	// Defaults to what is recorded.
	Disabled *bool `json:"disabled"`

	// Attributes are values by handle, in the types of the catalogue; null removes one, and others stay.
	// Defaults to none.
	Attributes map[string]any `json:"attributes"`

	// Status is what is known of memberships; times are of RFC 3339.
	// Defaults to none.
	Status []status `json:"status"`
}

type status struct {
	provider.Status
	Revision noKey `json:"-"`
	Origin   noKey `json:"-"`
}

// client is a registration with the paths of its pictures and its secret.
type client struct {
	provider.Client
	Logo         string `json:"logo"`
	LogoDark     string `json:"logo_dark"`
	Wordmark     string `json:"wordmark"`
	WordmarkDark string `json:"wordmark_dark"`

	// SecretFile is the path of a file with the secret.
	SecretFile string `json:"client_secret_file"`

	// Disabled makes the application unknown to every endpoint.
	// Defaults to what is recorded, false for a new one.
	Disabled *bool `json:"disabled"`
}

// quickstart is what runs when no file is named.
//
//go:embed quickstart.json
var quickstart []byte

// loadConfig reads a file, or what the quickstart runs when path is empty. Relative
// paths in a file start from the folder of the file; without a file, from the
// working directory.
func loadConfig(path string) (config, error) {
	if path == "" {
		cfg, err := parseConfig(quickstart, ".")
		cfg.demo = true
		return cfg, err
	}
	text, err := readFile(path, 16<<20)
	if err != nil {
		return config{}, fmt.Errorf("read config: %w", err)
	}
	cfg, err := parseConfig(text, filepath.Dir(path))
	if err != nil {
		return config{}, fmt.Errorf("%s: %w", path, err)
	}
	return cfg, nil
}

// parseConfig reads a config and fills in what does not depend on the port. Its error has all that is
// wrong with the file by itself.
func parseConfig(text []byte, folder string) (config, error) {
	var cfg config
	if err := checkForm(text); err != nil {
		return config{}, err // what it means by its keys is not known
	}
	wrong := []error{decodeStrict(text, &cfg, os.Getenv)}
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:8080"
	}
	if cfg.Data == "" {
		cfg.Data = "data"
	}
	if cfg.SampleClient != nil && cfg.SampleClient.Listen == "" {
		cfg.SampleClient.Listen = "127.0.0.1:8081"
	}
	if s := cfg.Sandbox; s != nil {
		s.inherit(cfg.environment)
		for _, err := range s.complete(folder, cfg.SampleClient) {
			wrong = append(wrong, inSandbox(err, true))
		}
	}
	if err := errors.Join(append(wrong, cfg.complete(folder, cfg.SampleClient)...)...); err != nil {
		return config{}, err
	}
	return cfg, nil
}

// complete fills in what other files hold, and returns why the rest cannot be meant.
func (e *environment) complete(folder string, sample *sampleClient) []error {
	e.resolve(folder)
	for i, a := range e.Attributes {
		if a.Type == "records" { // what objects were called in files of before
			e.Attributes[i].Type = catalogue.Objects
		}
	}
	_, wrong := e.staff(nil)
	return append(append(e.duplicates(sample), wrong...), e.readSecrets())
}

// inherit gives a sandbox what it leaves out.
func (e *environment) inherit(production environment) {
	if e.Data == "" {
		e.Data = filepath.Join(production.Data, "sandbox")
	}
	inherit(&e.Brand, production.Brand)
	inherit(&e.Scopes, production.Scopes)
	inherit(&e.Attributes, production.Attributes)
	inherit(&e.Groups, production.Groups)
	inherit(&e.TrustedProxies, production.TrustedProxies)
	inherit(&e.PasswordMinLength, production.PasswordMinLength)
	inherit(&e.Texts, production.Texts)
	inherit(&e.Lifetimes, production.Lifetimes)
	inherit(&e.Limits, production.Limits)
	inherit(&e.DPoP, production.DPoP)
	inherit(&e.DeviceAuthorization, production.DeviceAuthorization)
	inherit(&e.RequestURI, production.RequestURI)
	inherit(&e.SignIn, production.SignIn)
	inherit(&e.Verification, production.Verification)
	inherit(&e.Wallet, production.Wallet)
	inherit(&e.Signals, production.Signals)
	e.dropsMail = e.SMTP == nil && production.SMTP != nil
}

// inherit sets what is left out.
func inherit[T any](value *T, inherited T) {
	if reflect.ValueOf(value).Elem().IsZero() {
		*value = inherited
	}
}

// resolve makes the paths of an environment start from a folder.
func (e *environment) resolve(folder string) {
	in := func(path *string) {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(folder, *path)
		}
	}
	in(&e.Data)
	in(&e.Evidence)
	if e.Desk != nil {
		in(&e.Desk.Anchor)
	}
	in(&e.Texts)
	for _, f := range e.Brand.files() {
		in(f.path)
	}
	in(&e.DatabaseFile)
	if e.SMTP != nil {
		in(&e.SMTP.CAFile)
		in(&e.SMTP.PasswordFile)
	}
	for i := range e.Upstreams {
		for _, path := range e.Upstreams[i].paths() {
			in(path)
		}
	}
	for i := range e.Users {
		in(&e.Users[i].PasswordFile)
	}
	for i := range e.Clients {
		for _, f := range e.Clients[i].files() {
			in(f.path)
		}
		in(&e.Clients[i].SecretFile)
	}
}
