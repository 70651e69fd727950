package developer

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// proposal is a change that developers want to a reviewed application, and that no operator
// has approved. An empty field proposes nothing, and lists have only additions: whatever is
// registered meanwhile, a proposal removes nothing.
type proposal struct {
	// At is the time of the last change, and By are its contributors.
	At time.Time `json:"at,omitzero"`
	By []string  `json:"by,omitempty"`

	Name      string `json:"name,omitempty"`
	TermsURL  string `json:"tos_uri,omitempty"`
	PolicyURL string `json:"policy_uri,omitempty"`

	RedirectURIs           []string `json:"redirect_uris,omitempty"`
	PostLogoutRedirectURIs []string `json:"post_logout_redirect_uris,omitempty"`
	InitiateLoginURI       string   `json:"initiate_login_uri,omitempty"`
	Origins                []string `json:"origins,omitempty"`
	ResponseTypes          []string `json:"response_types,omitempty"`

	// Webhooks are hosts that no registration has: of webhooks and streams.
	Webhooks []string `json:"webhooks,omitempty"`

	// Pictures are by field name, as picture.ToPNG draws them.
	Pictures map[string][]byte `json:"pictures,omitempty"`
}

func (p *proposal) put(field string, picture []byte) {
	if p.Pictures == nil {
		p.Pictures = map[string][]byte{}
	}
	p.Pictures[field] = picture
}

// onto returns a registration with the proposal applied; without one, the registration
// itself.
func (p *proposal) onto(c provider.Client) provider.Client {
	if p == nil {
		return c
	}
	c.Name, c.TermsURL, c.PolicyURL = cmp.Or(p.Name, c.Name), cmp.Or(p.TermsURL, c.TermsURL), cmp.Or(p.PolicyURL, c.PolicyURL)
	c.RedirectURIs = union(c.RedirectURIs, p.RedirectURIs)
	c.PostLogoutRedirectURIs = union(c.PostLogoutRedirectURIs, p.PostLogoutRedirectURIs)
	c.InitiateLoginURI = cmp.Or(p.InitiateLoginURI, c.InitiateLoginURI)
	c.Origins = union(c.Origins, p.Origins)
	if len(p.ResponseTypes) > 0 {
		c.ResponseTypes = union(responseTypesOf(c), p.ResponseTypes)
	}
	wants := brandOf(c)
	for field, picture := range p.Pictures {
		if has := wants.picture(field); has != nil {
			*has = picture
		}
	}
	return brandedClient(c, wants)
}

// union returns a list with what it lacks of another.
func union(list, more []string) []string {
	all := slices.Clone(list)
	for _, s := range more {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// webhooks are the proposed hosts of webhooks.
func (p *proposal) webhooks() []string {
	if p == nil {
		return nil
	}
	return p.Webhooks
}

// changes are the fields of a registration that the proposal changes, with what is beside it.
func (p *proposal) changes(c provider.Client) []storage.ChangedField {
	return append(changesOf(c, p.onto(c)), changedList(screens.FieldWebhook, nil, p.webhooks())...)
}

// changesOf returns the fields in which two registrations differ, with their pictures.
func changesOf(before, after provider.Client) []storage.ChangedField {
	return append(differences(before, after), brandOf(before).changes(brandOf(after))...)
}

// wanted returns a registration of an application as its developers want it.
func (d *drafts) wanted(a storage.Application, now provider.Client) (provider.Client, error) {
	kept, err := readDocument(a)
	if err != nil || !d.forms.vouched(a.Environment, now) {
		return now, err
	}
	return kept.Changes.onto(now), nil
}

// save saves the wanted registration, and records it. For a reviewed application it
// publishes what needs no review, and keeps the rest for an operator. That is the first
// write: after an interruption nothing is lost, and the same form, whose version is still that of
// the registration, publishes what is not.
func (d *drafts) save(ctx context.Context, a act, what string, now, wanted provider.Client) (served provider.Client, waits bool, err error) {
	served = wanted
	var rest proposal
	vouched := d.forms.vouched(a.app.Environment, now)
	if vouched {
		served, rest = d.forms.split(now, wanted)
	}
	if vouched {
		if waits, err = d.keep(ctx, a, served, rest); err != nil {
			return provider.Client{}, false, err
		}
	}
	write := func(ctx context.Context) error { return d.provider(a.app.Environment).Clients().Save(ctx, served) }
	if fields := changesOf(now, served); len(fields) > 0 {
		return served, waits, d.registered(ctx, a, what, fields, write)
	}
	return served, waits, write(ctx)
}

// keep replaces the pending changes.
func (d *drafts) keep(ctx context.Context, a act, served provider.Client, rest proposal) (waits bool, err error) {
	// A caller that disconnects cannot leave half a change.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	former, err := readDocument(a.app)
	if err != nil {
		return false, err
	}
	rest.Webhooks = former.Changes.webhooks() // no form of a registration has them
	what, fields, before := "changes.ask", rest.changes(served), former.Changes.changes(served)
	edit := func(app *storage.Application, kept *document) {
		rest.At, rest.By = d.Clock(), []string{a.by}
		if kept.Changes != nil {
			rest.By, rest.Webhooks = union(kept.Changes.By, rest.By), kept.Changes.Webhooks
		}
		if kept.Changes = nil; len(fields) > 0 {
			kept.Changes = &rest
		}
		app.Review = standingOf(*app, *kept)
	}
	write := func(ctx context.Context) error { return d.editApplication(ctx, a.app, edit) }
	if reflect.DeepEqual(fields, before) {
		return len(fields) > 0, write(ctx)
	}
	entry := fields
	if len(fields) == 0 {
		what, entry = "changes.withdraw", before
	}
	if err := d.recorded(ctx, a, what, entry, write); err != nil {
		return false, err
	}
	if len(fields) > 0 {
		d.announce()
	}
	return len(fields) > 0, nil
}

// mostHosts limits the hosts of webhooks and streams that an application waits for.
const mostHosts = 10

// askHost proposes a host of a webhook or stream, beside what waits already. storage.ErrLimit if too many do.
func (d *drafts) askHost(ctx context.Context, a act, host string) error {
	kept, err := readDocument(a.app)
	if err != nil || slices.Contains(kept.Changes.webhooks(), host) {
		return err
	}
	if len(kept.Changes.webhooks()) >= mostHosts {
		return storage.ErrLimit
	}
	err = d.recorded(ctx, a, "changes.ask", changedList(screens.FieldWebhook, nil, []string{host}), func(ctx context.Context) error {
		return d.editApplication(ctx, a.app, func(app *storage.Application, kept *document) {
			if kept.Changes == nil {
				kept.Changes = &proposal{}
			}
			kept.Changes.At, kept.Changes.By = d.Clock(), union(kept.Changes.By, []string{a.by})
			if hosts := union(kept.Changes.Webhooks, []string{host}); len(hosts) <= mostHosts {
				kept.Changes.Webhooks = hosts
			}
			app.Review = standingOf(*app, *kept)
		})
	})
	if err == nil {
		d.announce()
	}
	return err
}

// standingOf is the review state of a production application: a stopped one stays so,
// whatever is pending.
func standingOf(a storage.Application, kept document) storage.Review {
	switch {
	case stopped(a):
		return a.Review
	case kept.Changes != nil:
		return storage.ReviewAsked
	case a.Review == storage.ReviewAsked:
		return storage.ReviewApproved
	default:
		return a.Review
	}
}
