package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/bonafide-id/bonafide/examples/quickstart/sampleclient"
	"github.com/bonafide-id/bonafide/provider"
)

// service is what runs: one or two providers behind one listener, and perhaps the
// sample client site behind another.
type service struct {
	cfg       config
	log       *slog.Logger
	providers []opened // production, then the sandbox if there is one
	sites     []site

	// rehearsing is a service on an empty database, which never serves, and demonstrating one on
	// that of the service, which makes what there is to look at.
	rehearsing, demonstrating bool
}

// site is an HTTP server and where it listens.
type site struct {
	listener net.Listener
	server   *http.Server
}

// open makes everything that cfg asks for. It listens and rehearses before it opens a database, so
// that a second process on the same port changes nothing, and neither does what cannot start. Call
// serve or close.
func open(ctx context.Context, cfg config, out io.Writer, log *slog.Logger) (*service, error) {
	s := &service{cfg: cfg, log: log}
	if err := s.open(ctx, out); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *service) open(ctx context.Context, out io.Writer) error {
	at, err := s.listenAll(ctx)
	if err != nil {
		return err
	}
	switch err := s.cfg.rehearse(ctx); {
	case errors.Is(err, errNoScratch): // as in a container whose disk is read-only
		s.log.WarnContext(ctx, "the config file is not tried before the database is opened", slog.Any("error", err))
	case err != nil:
		return err
	}
	return s.openAt(ctx, at, out)
}

// servers are those of the provider, and of probes and sample client, if there are some.
type servers struct{ main, probes, sample *http.Server }

// listenAll listens at every address: one that is taken is said before anything is written.
func (s *service) listenAll(ctx context.Context) (at servers, err error) {
	if at.main, err = s.listen(ctx, s.cfg.Listen, &s.cfg.BaseURL); err != nil {
		return at, fmt.Errorf("listen: %w", err)
	}
	if s.cfg.ProbeListen != "" {
		var unused string
		if at.probes, err = s.listen(ctx, s.cfg.ProbeListen, &unused); err != nil {
			return at, fmt.Errorf("probe_listen: %w", err)
		}
	}
	if c := s.cfg.SampleClient; c != nil {
		if at.sample, err = s.listen(ctx, c.Listen, &c.BaseURL); err != nil {
			return at, fmt.Errorf("sample_client.listen: %w", err)
		}
	}
	s.cfg.completeURLs()
	return at, s.cfg.separate()
}

// openAt opens the databases, and builds what answers.
func (s *service) openAt(ctx context.Context, at servers, out io.Writer) error {
	for i, e := range s.cfg.environments() {
		if err := e.recognize(ctx); err != nil {
			return inSandbox(err, i > 0)
		}
	}
	return s.build(ctx, at, out)
}

// build makes what answers at the servers.
func (s *service) build(ctx context.Context, at servers, out io.Writer) error {
	router, desks := s.routers()
	at.main.Handler = desks
	var metrics []http.Handler
	if at.probes != nil {
		for _, e := range s.cfg.environments() {
			metrics = append(metrics, e.measure())
		}
	}
	production, err := s.mount(ctx, router, &s.cfg.environment, nil, out)
	if err != nil {
		return err
	}
	dashboard := s.cfg.Developer.prepare(production)
	if s.cfg.Sandbox != nil {
		if dashboard.sandbox, err = s.mount(ctx, router, s.cfg.Sandbox, dashboard.testing(), out); err != nil {
			return inSandbox(err, true)
		}
	}
	if at.probes != nil {
		s.openProbes(at.probes, metrics)
	}
	if s.cfg.SampleClient != nil {
		if err := s.openSampleClient(ctx, at.sample); err != nil {
			return err
		}
	}
	applications, err := s.openDashboard(ctx, router, dashboard)
	if err != nil {
		return err
	}
	if err := s.openDesk(ctx, desks, &s.cfg.environment, production, applications); err != nil {
		return err
	}
	if err := s.demonstrate(ctx, production, router); err != nil {
		// What is only shown keeps no service from starting.
		s.log.ErrorContext(ctx, "what there is to look at could not be made; will retry at the next start", slog.Any("error", err))
	}
	if s.cfg.Sandbox == nil {
		return nil
	}
	return inSandbox(s.openDesk(ctx, desks, s.cfg.Sandbox, dashboard.sandbox, applications), true)
}

// routers returns the router of everything, and that of the desks, which answers: they are one
// unless this process serves the desks alone.
func (s *service) routers() (all, desks *router) {
	all = &router{log: s.log}
	if s.cfg.deskOnly() {
		return all, &router{log: s.log}
	}
	return all, all
}

// brandPath is where a sandbox shows what its brand makes of the screens.
const brandPath = "/brand"

// completeURLs fills in the base URL of a sandbox; that of production is there.
func (c *config) completeURLs() {
	if c.Sandbox != nil && c.Sandbox.BaseURL == "" {
		c.Sandbox.BaseURL = c.BaseURL + "/sandbox"
	}
}

// mount opens the provider of an environment and puts it where its base URL says. A
// sandbox has testing.
func (s *service) mount(ctx context.Context, r *router, e *environment, testing *testbed, out io.Writer) (opened, error) {
	demo := testing != nil || s.cfg.demo
	p, err := e.open(ctx, opening{
		why: serving, sandbox: testing != nil, testing: testing, demo: demo, others: s.cfg.Developer != nil, sample: s.cfg.SampleClient != nil, strict: s.rehearsing, out: out,
		log: s.log.With("base_url", e.BaseURL),
	})
	if err != nil {
		return opened{}, err
	}
	s.providers = append(s.providers, p)
	r.add(e.BaseURL, s.cfg.BaseURL, p, "/account", p.MetadataPaths()...)
	if e.FedCM.On { // beside the base URL, at which the provider comes first
		r.add(e.BaseURL, s.cfg.BaseURL, p.Pages().WellKnown(), "", webIdentity)
	}
	if demo {
		r.add(e.BaseURL+demoPath, s.cfg.BaseURL, demoHandler(p.Provider), "/verify")
	}
	if p.cases, err = s.openVerification(r, e, p); err != nil {
		return opened{}, err
	}
	s.providers[len(s.providers)-1] = p
	if err := s.openWallet(ctx, r, e, p); err != nil {
		return opened{}, inKeys(err, "wallet", nil)
	}
	if testing != nil { // nobody in a sandbox is real, and its brand is on its sign-in page
		r.add(e.BaseURL+brandPath, s.cfg.BaseURL, p.Pages().BrandPreview(func(*http.Request) bool { return true }), "")
	}
	return p, nil
}

func (s *service) openSampleClient(ctx context.Context, server *http.Server) (err error) {
	c := s.cfg.SampleClient
	cfg := sampleclient.Config{BaseURL: c.BaseURL}
	for _, r := range s.cfg.Resources {
		if slices.Contains(r.Introspectors, sampleStandard) {
			cfg.API = r.URI
		}
	}
	for i, p := range s.providers {
		registered, err := registerSample(ctx, p, c.BaseURL)
		if err != nil {
			return inKeys(err, "sample_client", provider.Client{})
		}
		e := &s.cfg.environment
		registered.Key, registered.Name = "live", "Live"
		if i > 0 {
			e = s.cfg.Sandbox
			registered.Key, registered.Name = "sandbox", "Sandbox"
		}
		registered.BaseURL, registered.Brand = e.BaseURL, e.Brand.Name
		if s.cfg.demo {
			registered.People = e.people()
		}
		cfg.Services = append(cfg.Services, registered)
	}
	server.Handler, err = sampleclient.New(cfg)
	return err
}

// people are those whom anybody may sign in as.
func (e *environment) people() []sampleclient.Person {
	people := make([]sampleclient.Person, len(e.Users))
	for i, u := range e.Users {
		people[i] = sampleclient.Person{Email: u.Email, Password: u.Password}
		for _, s := range u.Status {
			if s.Verified {
				people[i].Groups = append(people[i].Groups, s.Group)
			}
		}
	}
	return people
}

// The names under which the sample client site is registered.
const (
	sampleV3       = "sample-v3"
	sampleStandard = "sample-standard"
)

// registerSample registers the sample client site, once in each dialect.
func registerSample(ctx context.Context, p opened, base string) (sampleclient.Service, error) {
	var s sampleclient.Service
	for _, r := range []struct {
		id, dialect string
		to          *sampleclient.Credentials
	}{
		{sampleV3, provider.V3, &s.V3},
		{sampleStandard, provider.Standard, &s.Standard},
	} {
		err := p.own(ctx, provider.Client{
			ID: r.id, Name: sampleclient.Name, Logo: sampleclient.Logo, ButtonColor: sampleclient.Color,
			Dialect: r.dialect, RedirectURIs: []string{base + sampleclient.RedirectPath},
			PostLogoutRedirectURIs: []string{base + "/"}, ResponseTypes: []string{"code"},
		})
		if err != nil {
			return s, err
		}
		secret, err := p.Clients().Secret(ctx, r.id)
		if err != nil {
			return s, err
		}
		*r.to = sampleclient.Credentials{ID: r.id, Secret: secret}
	}
	return s, nil
}

// listen opens an address and prepares its server. An empty base URL becomes that of
// localhost with the port.
func (s *service) listen(ctx context.Context, address string, base *string) (*http.Server, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, s.taken(address, err)
	}
	if err != nil {
		return nil, err
	}
	if *base == "" {
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		*base = "http://localhost:" + port
	}
	server := &http.Server{
		// A client that sends its headers byte by byte would hold a connection
		// for as long as it likes.
		ReadHeaderTimeout: 5 * time.Second,
		// The largest request is a form of a few kilobytes.
		ReadTimeout: 15 * time.Second,
		// From the end of the headers to the end of the answer: more than the
		// slowest password hash under load, less than a stuck reader wants.
		WriteTimeout: 30 * time.Second,
		// What a browser keeps open between two clicks.
		IdleTimeout: 2 * time.Minute,
		// Cookies and authorization requests fit many times over.
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	s.sites = append(s.sites, site{l, server})
	return server, nil
}

// taken says what to do about an address that another program has.
func (s *service) taken(address string, err error) error {
	remedy := "choose another address in the config file"
	if s.cfg.demo {
		remedy = "copy examples/quickstart/quickstart.json, choose other addresses in it, and start with -config and its name"
	}
	return fmt.Errorf("another program has %s; stop it, or %s: %w", address, remedy, err)
}

// serve answers requests until ctx ends or a server fails, then stops and closes
// everything.
func (s *service) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var background sync.WaitGroup
	for _, p := range s.providers {
		background.Go(func() { _ = p.Run(ctx) }) // always nil
	}
	for _, e := range s.cfg.environments() {
		background.Go(func() { s.tryWebIdentity(ctx, e) })
	}
	failed := make(chan error, len(s.sites))
	for _, site := range s.sites {
		go func() {
			if err := site.server.Serve(site.listener); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	cancel()
	background.Wait()
	return errors.Join(err, s.close())
}

// patience is how long requests in flight may take to finish when the process stops.
const patience = 3 * time.Second

// close lets requests in flight finish, cuts off what takes too long, and closes the
// databases.
func (s *service) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var stopping sync.WaitGroup
	for _, site := range s.sites {
		stopping.Go(func() {
			// Browsers open connections on suspicion and send nothing; Shutdown
			// waits for those, too.
			if site.server.Shutdown(ctx) != nil {
				_ = site.server.Close()
			}
			_ = site.listener.Close() // Shutdown does it once Serve has begun
		})
	}
	stopping.Wait()
	var err error
	for _, p := range s.providers {
		err = errors.Join(err, p.Close())
	}
	return err
}

// introduce tells a person who has just started the quickstart what to do with it.
func (s *service) introduce(out io.Writer) {
	demo, staff := s.cfg.Users[0], s.cfg.Users[len(s.cfg.Users)-1]
	_, _ = fmt.Fprintf(out, `
Bonafide is running.

  Open      %s      the sample site: sign in there, see what comes back
  Sign in   %s          password: %s

  Provider  %s      its account page is %s/account
  Secure    %s/account/security      a passkey, an app for codes, recovery codes
  Register  %s/developer/      applications of your own, as the same person or a new one
  Desk      %s/desk/      sam@example.com helps people, ruth@ reviews, olga@ and otto@ operate,
            ada@ reads the audit log; password of each: %s
  Sandbox   %s      sign in as a persona, or as %s, password: %s;
            production has it as an upstream provider: Continue with Sandbox
  API       %s/api      for access tokens; docs/resources.md calls it
  Tools     %s/mcp      for assistants that nobody has registered; tokens are the sandbox's
  Brand     %s      every screen by day and by night, in each language

`, s.cfg.SampleClient.BaseURL, demo.Email, demo.Password, s.cfg.BaseURL, s.cfg.BaseURL, s.cfg.BaseURL, s.cfg.BaseURL,
		s.cfg.BaseURL, staff.Password,
		s.cfg.Sandbox.BaseURL, s.cfg.Sandbox.Users[0].Email, s.cfg.Sandbox.Users[0].Password,
		s.cfg.SampleClient.BaseURL, s.cfg.SampleClient.BaseURL, s.cfg.Sandbox.BaseURL+brandPath)
	s.tellWays(context.Background(), out)
	_, _ = fmt.Fprintf(out, "  Data is in %s, mails are printed here, Ctrl-C stops.\n\n", s.cfg.Data)
}

// announce says where everything is, for an operator's log.
func (s *service) announce(out io.Writer) {
	_, _ = fmt.Fprintf(out, "provider %s\n", s.cfg.BaseURL)
	if s.cfg.Sandbox != nil {
		_, _ = fmt.Fprintf(out, "sandbox %s\n", s.cfg.Sandbox.BaseURL)
		_, _ = fmt.Fprintf(out, "brand %s\n", s.cfg.Sandbox.BaseURL+brandPath)
	}
	if s.cfg.Developer != nil {
		_, _ = fmt.Fprintf(out, "dashboard %s/developer/\n", s.cfg.BaseURL)
	}
	if s.cfg.Desk != nil {
		_, _ = fmt.Fprintf(out, "desk %s/desk/\n", s.cfg.deskURL())
	}
	if s.cfg.SampleClient != nil {
		_, _ = fmt.Fprintf(out, "sample client %s\n", s.cfg.SampleClient.BaseURL)
	}
	s.tellWays(context.Background(), out)
	if s.cfg.SMTP == nil {
		_, _ = fmt.Fprintln(out, "mails are printed here, with their codes; smtp in the config file sends them")
	}
}
