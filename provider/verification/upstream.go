package verification

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/upstream"
)

// UpstreamConfig configures Upstream. Only the field Upstream is required.
type UpstreamConfig struct {
	// Upstream is the upstream provider, of Config.Upstreams or not: its ID, Title, Connector
	// and Groups count here. The ID, with _ for a hyphen, is the name of the verifier.
	Upstream provider.Upstream

	// Asks, Takes and Keeps are those of the verifier.
	Asks  Text
	Takes time.Duration
	Keeps Text

	// Level is that of the Proof.
	// Defaults to 3.
	Level int

	// Accept decides what an identity proves: an Accept, Refuse or Review. An Accept proves the
	// identity itself, too, so that it verifies one person only.
	// Defaults to membership as Upstream.Groups says.
	Accept func(ctx context.Context, c *Case, who upstream.Identity) (Result, error)

	// CanReview reports that Accept can return a Review.
	CanReview bool

	// AnySession takes the session that a person has there already. Federations need it that
	// do not say when somebody has authenticated.
	// Defaults to false: the person authenticates there now.
	AnySession bool

	// Egress is how the upstream provider is called.
	// Defaults to 10 seconds and 1 MiB for a call.
	Egress Egress
}

// Upstream verifies members at an upstream provider, such as a university or a federation: the
// person authenticates there, now, and is a member of the group if Upstream.Groups says so, until
// the ExpiresAt that it says, or as Accept says. It signs nobody in and connects no account, nor
// does the account need a connection. One identity there, an issuer and subject, verifies one
// person here.
//
// At the upstream provider, the address BASE/verification/return/NAME is registered as a further
// redirect URI. The response has to come in it: one that is posted as a form, as Apple's is, does
// not arrive.
func Upstream(cfg UpstreamConfig) Verifier {
	o := outbound.ForUpstreams(cfg.Egress.AllowPrivate)
	o.Timeout, o.RootCAs = cmp.Or(cfg.Egress.Timeout, o.Timeout), cfg.Egress.RootCAs
	u := &upstreamVerifier{UpstreamConfig: cfg, client: outbound.New(o).HTTP()}
	if cfg.Accept == nil && cfg.Upstream.Groups != nil {
		u.Accept = u.byGroups
	}
	return Verifier{
		Name:  strings.ReplaceAll(cfg.Upstream.ID, "-", "_"),
		Title: english(cfg.Upstream.Title), Asks: cfg.Asks, Takes: cmp.Or(cfg.Takes, 2*time.Minute), Keeps: cfg.Keeps,
		Proof: Proof{EvidenceType: "electronic_record", CheckMethod: "auth", Level: cmp.Or(cfg.Level, 3)},
		Next:  u.next,
		check: u.check, CanReview: cfg.CanReview,
	}
}

// IdentityFact returns the fact that a person has an identity at another provider: a subject is
// unique within its issuer only.
func IdentityFact(issuer, subject string) Fact {
	sum := sha256.Sum256([]byte(url.QueryEscape(issuer) + " " + subject))
	return Fact{Kind: "upstream", Value: base64.RawURLEncoding.EncodeToString(sum[:])}
}

// upstreamLife is how long a person may stay at an upstream provider, and upstreamSkew how much
// earlier than the visit it may say that the authentication was, with a clock that is slow.
const (
	upstreamLife = 10 * time.Minute
	upstreamSkew = time.Minute
)

type upstreamVerifier struct {
	UpstreamConfig
	client *http.Client
}

// visit is one of an upstream provider, as the case remembers it.
type visit struct {
	State   string    `json:"state"`
	Address string    `json:"address"`
	Keep    []byte    `json:"keep,omitempty"`
	Made    time.Time `json:"made"`
}

func (v visit) goTo() GoTo { return GoTo{URL: v.Address, Until: v.Made.Add(upstreamLife)} }

func (u *upstreamVerifier) check(field string) error {
	switch {
	case u.Upstream.Connector == nil:
		return wrongField(field+".Upstream.Connector", "is missing")
	case u.Accept == nil:
		return wrongField(field+".Upstream.Groups", "is missing; it says who is a member")
	}
	if checked, ok := u.Upstream.Connector.(interface{ Check() error }); ok {
		return within(field+".Upstream.Connector", checked.Check())
	}
	return nil
}

// next sends the person to the upstream provider and reads the response with which they come
// back: that of this visit, to the person whose case it is.
func (u *upstreamVerifier) next(ctx context.Context, c *Case, e Event) (Result, error) {
	if e.Kind != Returned || len(c.Memory) == 0 {
		return u.send(ctx, c, e)
	}
	var v visit
	if err := json.Unmarshal(c.Memory, &v); err != nil {
		return nil, fmt.Errorf("decode visit: %w", err)
	}
	switch age := e.At.Sub(v.Made); {
	case age >= upstreamLife || age < 0:
		return u.send(ctx, c, e)
	case subtle.ConstantTimeCompare([]byte(e.Query["state"]), []byte(v.State)) != 1:
		// Of a visit that somebody else has begun, or that was given up.
		return v.goTo(), nil
	}
	values := url.Values{}
	for name, value := range e.Query {
		values.Set(name, value)
	}
	who, err := u.Upstream.Connector.Finish(ctx, upstream.Callback{Values: values, Keep: v.Keep, Address: c.RedirectURI, HTTP: u.client, Now: e.At})
	switch {
	case errors.Is(err, upstream.ErrDenied), err == nil && !u.AnySession && !who.AuthTime.IsZero() && who.AuthTime.Before(v.Made.Add(-upstreamSkew)):
		return Refuse{[]Reason{ReasonNotNow}}, nil
	case err != nil:
		return nil, fmt.Errorf("finish: %w", err)
	case who.Issuer == "" || who.Subject == "":
		return nil, errors.New("the connector names nobody")
	}
	return u.judge(ctx, c, who)
}

// judge is what an identity proves: itself, too.
func (u *upstreamVerifier) judge(ctx context.Context, c *Case, who upstream.Identity) (Result, error) {
	result, err := u.Accept(ctx, c, who)
	if err != nil {
		return nil, err
	}
	switch result := result.(type) {
	case Accept:
		result.Proved = append(slices.Clip(result.Proved), IdentityFact(who.Issuer, who.Subject))
		return result, nil
	case Refuse, Review:
		return result, nil
	default:
		return nil, errors.New("UpstreamConfig.Accept returns an Accept, Refuse or Review")
	}
}

// byGroups is the Accept of a host that has none.
func (u *upstreamVerifier) byGroups(_ context.Context, c *Case, who upstream.Identity) (Result, error) {
	said := u.Upstream.Groups(who)
	i := slices.IndexFunc(said, func(s provider.Status) bool { return s.Group == c.Group })
	if i < 0 {
		return Refuse{[]Reason{ReasonNotInGroup}}, nil
	}
	return Accept{Subgroups: said[i].Subgroups, Until: said[i].ExpiresAt, Source: u.Upstream.Title}, nil
}

// send begins a visit. Its state names the case, and nobody else can make it.
func (u *upstreamVerifier) send(ctx context.Context, c *Case, e Event) (Result, error) {
	secret := c.Digest("upstream state", c.Key)[0]
	v := visit{State: c.ID + "." + base64.RawURLEncoding.EncodeToString(secret[:]), Made: e.At}
	asked := upstream.Request{State: v.State, Callback: c.RedirectURI, Afresh: !u.AnySession, HTTP: u.client, Now: e.At}
	if c.Language != "" {
		asked.Languages = []string{c.Language}
	}
	var err error
	if v.Address, v.Keep, err = u.Upstream.Connector.Start(ctx, asked); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	if c.Memory, err = json.Marshal(v); err != nil {
		return nil, fmt.Errorf("encode visit: %w", err)
	}
	return v.goTo(), nil
}
