package provider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/audit"
	"github.com/bonafide-id/bonafide/provider/internal/federation"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/picture"
	"github.com/bonafide-id/bonafide/provider/internal/web"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
)

// Upstream is a provider at which people have an account with which they sign in here. Who
// somebody is there says nothing of who that is here: an identity signs in to the account whose
// owner has connected it. An address connects nothing by itself: if an account has it, its owner
// signs in to connect the identity; if none has, a new one begins with it.
//
// What an upstream says is believed as far as AuthoritativeFor, Classes and Groups say, and no
// further. The second step of an account is asked for after an upstream as after a password.
type Upstream struct {
	// ID names it in addresses and in the database: 1 to 32 lower-case letters, digits and
	// hyphens. The redirect URI to register there is BaseURL + "/signin/with/ID/callback". An
	// ID that is no longer among Config.Upstreams signs nobody in; its connections stay.
	ID string

	// Title is what people call it, such as Google.
	Title string

	// Look is the mark of a provider that has rules for its buttons: google, microsoft, apple
	// or github.
	// Defaults to Logo, or the first letter of the Title.
	Look string

	// Logo is a picture as those of Brand, for one without such a mark.
	// Defaults to none.
	Logo []byte

	// Connector speaks to it: one of packages upstream/openid and upstream/github, or the
	// host's own.
	Connector upstream.Connector

	// Domains are domains of addresses, such as uni.example, whose owners are sent there by
	// their address alone. Those of public mailboxes, such as gmail.com, are refused.
	// Defaults to none.
	Domains []string

	// AuthoritativeFor are domains of addresses of which the upstream gives out the mailboxes,
	// so that an address there which it has verified needs no code of this provider. Those of
	// which the connector knows it, as of gmail.com with Google, need not be listed.
	// Defaults to none.
	AuthoritativeFor []string

	// Classes are what an authentication there is worth, by its class (acr), beyond one
	// factor: for example {"https://refeds.org/profile/mfa": TwoFactors}.
	// Defaults to none: it is one factor, whatever it says.
	Classes map[string]Assurance

	// Groups returns the memberships that the upstream vouches for, from what it says at each
	// sign-in. They are recorded as verified by the issuer, and end when they are missing or
	// the identity is disconnected; ExpiresAt ends one earlier. A membership that others have
	// verified stays as it is.
	// Defaults to none.
	Groups func(upstream.Identity) []Status

	// LinkByEmail connects an identity to the account with its address without asking, if the
	// upstream is authoritative for the address and has verified it, the owner of the account
	// has verified it as well, and the account has a password at most. Whoever gets into that
	// mailbox's provider then gets into the account.
	// Defaults to false: its owner signs in to connect it.
	LinkByEmail bool

	// NoSignUp creates no accounts for people whom nobody here knows.
	// Defaults to false.
	NoSignUp bool

	// Clients are the IDs of the applications for which it is offered.
	// Defaults to all, and the provider's own pages.
	Clients []string
}

var upstreamID = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// validateUpstreams returns an error for the first invalid field of Upstreams.
func (c Config) validateUpstreams() error {
	if len(c.Upstreams) > 0 && !c.hasAccounts() {
		return wrongField("Upstreams", "are for the embedded accounts, which Users replaces")
	}
	ids, domains := map[string]bool{}, map[string]bool{}
	for i, u := range c.Upstreams {
		at := fmt.Sprintf("Upstreams[%d]", i)
		switch {
		case !upstreamID.MatchString(u.ID) || u.ID == "remove":
			return wrongField(at+".ID", "%q is not 1 to 32 lower-case letters, digits and hyphens between them, or is taken", u.ID)
		case ids[u.ID]:
			return wrongField(at+".ID", "%q is given more than once", u.ID)
		}
		ids[u.ID] = true
		if err := u.validate(at); err != nil {
			return err
		}
		for _, d := range u.Domains {
			if domains[d] {
				return wrongField(at+".Domains", "%q is given more than once: it can have one home", d)
			}
			domains[d] = true
		}
	}
	return nil
}

func (u Upstream) validate(at string) error {
	looks := []string{"", string(ui.MarkGoogle), string(ui.MarkMicrosoft), string(ui.MarkApple), string(ui.MarkGitHub)}
	connector := reflect.ValueOf(u.Connector)
	switch {
	case !isLabel(u.Title) || u.Title == "":
		return wrongField(at+".Title", "must be 1 to 64 bytes of text that can be seen")
	case !slices.Contains(looks, u.Look):
		return wrongField(at+".Look", "%q is none of google, microsoft, apple and github", u.Look)
	case u.Look != "" && len(u.Logo) > 0:
		return wrongField(at+".Logo", "must be empty beside Look, which has a mark of its own")
	case !connector.IsValid() || connector.Kind() == reflect.Pointer && connector.IsNil():
		return wrongField(at+".Connector", "is missing; for example openid.New")
	}
	if checked, ok := u.Connector.(interface{ Check() error }); ok {
		if err := checked.Check(); err != nil {
			return &FieldError{at + ".Connector", asFieldError(err)}
		}
	}
	for i, d := range u.Domains {
		if err := checkDomain(d); err != nil {
			return &FieldError{fmt.Sprintf("%s.Domains[%d]", at, i), err}
		}
		if err := federation.CheckRealm(d); err != nil {
			return wrongField(fmt.Sprintf("%s.Domains[%d]", at, i), "%q %w", d, err)
		}
	}
	for i, d := range u.AuthoritativeFor {
		if err := checkDomain(d); err != nil {
			return &FieldError{fmt.Sprintf("%s.AuthoritativeFor[%d]", at, i), err}
		}
	}
	for _, class := range slices.Sorted(maps.Keys(u.Classes)) {
		if level := u.Classes[class]; class == "" || level < OneFactor || level > PhishingResistant {
			return wrongField(fmt.Sprintf("%s.Classes[%q]", at, class), "must be the name of a class, with a level")
		}
	}
	return nil
}

// checkDomain refuses what no address ends with as it is compared: in lower case and ASCII.
func checkDomain(d string) error {
	if d != strings.ToLower(d) || !strings.Contains(strings.Trim(d, "."), ".") || strings.ContainsFunc(d, func(r rune) bool {
		return r != '.' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}) {
		return fmt.Errorf("%q is not a domain such as uni.example, in lower case", d)
	}
	return nil
}

// newUpstreams returns the upstreams as the pages offer them.
func (p *Provider) newUpstreams(site *web.Site) (*federation.Upstreams, error) {
	key, err := p.vault.Derive("upstream identities")
	if err != nil {
		return nil, err
	}
	o := federation.Options{Site: site, Key: key, Store: p.store, Clock: p.cfg.Clock}
	if len(p.cfg.Upstreams) > 0 {
		o.HTTP = outbound.New(outbound.ForUpstreams(p.cfg.AllowPrivateNetworks)).HTTP()
	}
	for i, u := range p.cfg.Upstreams {
		one := federation.Upstream{
			ID: u.ID, Title: u.Title, Mark: ui.UpstreamMark(u.Look), Connector: u.Connector,
			Domains: u.Domains, AuthoritativeFor: u.AuthoritativeFor, Classes: u.Classes, Groups: u.Groups,
			LinkByEmail: u.LinkByEmail, SignsUp: !u.NoSignUp, Clients: u.Clients,
		}
		if len(u.Logo) > 0 {
			png, _, err := picture.ToPNG(context.Background(), u.Logo)
			if err != nil {
				return nil, &FieldError{fmt.Sprintf("Upstreams[%d].Logo", i), err}
			}
			one.Logo = site.AddPicture(png)
		}
		o.Offered = append(o.Offered, one)
	}
	return federation.New(o), nil
}

// upstreamTitle returns what people call an upstream; its ID if it is no longer configured.
func (p *rooms) upstreamTitle(id string) string {
	for _, u := range p.cfg.Upstreams {
		if u.ID == id {
			return u.Title
		}
	}
	return id
}

// vouched returns what records the memberships for which an upstream vouches, and ends those for
// which it does so no longer. What others have recorded stays as it is. Each write rests on the
// account as it was when the identity was found connected to it.
func (p *rooms) vouched(upstreams *federation.Upstreams) func(ctx context.Context, userID string, back federation.Arrival) error {
	return func(ctx context.Context, userID string, back federation.Arrival) error {
		if back.Upstream.Groups == nil {
			return nil
		}
		_, account, err := p.store.LinkedAccount(ctx, upstreams.Digest(back.Who))
		if errors.Is(err, storage.ErrNotFound) || err == nil && account.ID != userID {
			return nil // disconnected meanwhile
		}
		if err != nil {
			return fmt.Errorf("read link: %w", err)
		}
		return p.vouch(ctx, account, back)
	}
}

func (p *rooms) vouch(ctx context.Context, account storage.Account, back federation.Arrival) error {
	person, err := p.store.Person(ctx, account.ID)
	if err != nil {
		return fmt.Errorf("read person: %w", err)
	}
	now := p.cfg.Clock()
	recorded := map[string]Status{}
	for _, s := range person.Statuses {
		recorded[s.Group] = s
	}
	said := map[string]bool{}
	for _, s := range back.Upstream.Groups(back.Who) {
		before, known := recorded[s.Group]
		said[s.Group] = true
		if known && !isOf(before, back.Who.Issuer) && (before.Pending || before.Verified && !hasEnded(before, now)) {
			continue
		}
		s.Verified, s.Pending, s.Reason, s.VerifiedAt = true, false, "", now
		s.VerifiedBy, s.Source, s.Method = back.Who.Issuer, back.Upstream.Title, storage.MethodVouched
		if err := p.recordVouched(audit.OnAccount(ctx, account), account.ID, s, before, known); err != nil {
			return err
		}
	}
	return p.endVouched(ctx, account.ID, person, back.Who.Issuer, said)
}

// endVouched ends the memberships for which an issuer vouches no longer: those of other groups
// than it says. Those of a connection that is removed end in the step that removes it.
func (p *rooms) endVouched(ctx context.Context, userID string, person storage.Person, issuer string, said map[string]bool) error {
	now := p.cfg.Clock()
	for _, before := range person.Statuses {
		if said[before.Group] || !isOf(before, issuer) || !before.Verified || hasEnded(before, now) {
			continue
		}
		ended := before
		ended.ExpiresAt = now
		if err := p.recordVouched(ctx, userID, ended, before, true); err != nil {
			return err
		}
	}
	return nil
}

// isOf reports whether a membership is one that an issuer has vouched for.
func isOf(s Status, issuer string) bool {
	return s.Origin == "" && s.VerifiedBy == issuer && s.Method == storage.MethodVouched
}

func hasEnded(s Status, now time.Time) bool { return !s.ExpiresAt.IsZero() && !now.Before(s.ExpiresAt) }

// recordVouched records a membership in place of the one that was read. One that is not of the
// catalogue, or has changed since, keeps nobody from signing in.
func (p *rooms) recordVouched(ctx context.Context, userID string, s, before Status, known bool) error {
	people := People{p}
	replaced := storage.NoStatus
	if known {
		replaced = before.Revision
	}
	err := people.checkStatus(s)
	if now := p.cfg.Clock(); err == nil {
		var changed []storage.Event // a sign-in that says the same again is none
		if !known || before.Verified != s.Verified || hasEnded(before, now) != hasEnded(s, now) || !slices.Equal(before.Subgroups, s.Subgroups) {
			changed = statusChanged(userID, s.Group)
		}
		err = people.recordStatus(ctx, userID, s, replaced, changed)
	}
	var wrong *FieldError
	if errors.As(err, &wrong) || errors.Is(err, storage.ErrChanged) || errors.Is(err, audit.ErrChanged) || errors.Is(err, ErrNoUser) {
		p.cfg.Logger.WarnContext(ctx, "membership of an upstream was not recorded", slog.String("group", s.Group), slog.Any("error", err))
		return nil
	}
	return err
}
