package openid

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/bonafide-id/bonafide/provider/internal/clientkeys"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/upstream"
	"github.com/bonafide-id/bonafide/provider/upstream/internal/reply"
)

const (
	// fresh is how long a configuration is good for without being read again.
	fresh = 24 * time.Hour
	// pause is how long nobody asks again after a configuration could not be read, or although an
	// ID token is not signed as it says: the upstream may have begun to sign by another algorithm, or
	// moved its keys.
	pause = 5 * time.Second
)

// metadata is the configuration of an upstream (OpenID Connect Discovery 1.0 section 3).
type metadata struct {
	issuer               string
	authorization, token string
	userinfo             string
	algorithms           []string
	keys                 *clientkeys.Remote

	// byHeader means that the client authenticates by HTTP Basic.
	byHeader bool

	// namesItself means that every response has iss (RFC 9207 section 3).
	namesItself bool
}

// discovery reads the configuration of an upstream once a day, and earlier where an ID token does not
// fit it. While a new one cannot be read, the old one holds.
type discovery struct {
	flight singleflight.Group

	mu     sync.Mutex
	known  *metadata
	since  time.Time
	failed error
	at     time.Time // of the failure
}

// metadata returns the configuration, at most of an age. However many ask at a time, it is read once.
func (d *discovery) metadata(ctx context.Context, c *Connector, client *http.Client, now time.Time, age time.Duration) (*metadata, error) {
	if m, err := d.remembered(now, age); m != nil || err != nil {
		return m, err
	}
	read := d.flight.DoChan("", func() (any, error) {
		// The flight before may have landed since.
		if m, err := d.remembered(now, age); m != nil || err != nil {
			return m, err
		}
		calls, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxFinish)
		defer cancel()
		m, err := c.discover(calls, client)
		return d.remember(m, err, now)
	})
	select {
	case result := <-read:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*metadata), nil
	case <-ctx.Done():
		return nil, reply.Unavailable(ctx.Err())
	}
}

func (d *discovery) remembered(now time.Time, age time.Duration) (*metadata, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	recent := d.failed != nil && within(now.Sub(d.at), pause)
	switch {
	case d.known != nil && (recent || within(now.Sub(d.since), age)):
		return d.known, nil
	case recent:
		return nil, d.failed
	default:
		return nil, nil
	}
}

// within reports whether an age is below a limit. A clock that was put back makes old.
func within(age, limit time.Duration) bool { return age < limit && age > -limit }

func (d *discovery) remember(m *metadata, err error, now time.Time) (*metadata, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.failed, d.at = err, now
		if d.known != nil {
			return d.known, nil
		}
		return nil, err
	}
	d.known, d.since, d.failed = m, now, nil
	return m, nil
}

// discover reads the configuration.
func (c *Connector) discover(ctx context.Context, client *http.Client) (*metadata, error) {
	named := cmp.Or(c.dialect.named, c.options.Issuer)
	var said struct {
		Issuer        string   `json:"issuer"`
		Authorization string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		UserInfo      string   `json:"userinfo_endpoint"`
		Keys          string   `json:"jwks_uri"`
		Algorithms    []string `json:"id_token_signing_alg_values_supported"`
		Methods       []string `json:"token_endpoint_auth_methods_supported"`
		NamesItself   bool     `json:"authorization_response_iss_parameter_supported"`
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.options.Issuer, "/")+"/.well-known/openid-configuration", http.NoBody)
	if err != nil {
		return nil, errors.New("openid: the issuer is no address")
	}
	switch err := reply.JSON(client, r, &said); {
	case errors.Is(err, upstream.ErrUnavailable):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: there is no configuration below %s", upstream.ErrUnavailable, c.options.Issuer)
	case said.Issuer != named:
		return nil, fmt.Errorf("openid: the configuration below %s is that of another issuer", c.options.Issuer)
	}
	m := &metadata{
		issuer: named, authorization: said.Authorization, token: said.Token, userinfo: said.UserInfo, namesItself: said.NamesItself,
		keys: clientkeys.NewRemote(said.Keys),
	}
	m.byHeader = byHeader(said.Methods, c.options.Secret != "" || c.dialect.secret != nil)
	if m.algorithms, err = believed(said.Algorithms); err != nil {
		return nil, err
	}
	// People are sent to the first of them: it is an address, and no script.
	for _, address := range []string{m.authorization, m.token, said.Keys} {
		if outbound.ValidateURL(address, true) != nil {
			return nil, fmt.Errorf("openid: the configuration below %s has an endpoint that may not be called", c.options.Issuer)
		}
	}
	return m, nil
}

// byHeader is how the client authenticates at the token endpoint: as the first of these that
// the upstream takes, and by the header if it says nothing (OpenID Connect Discovery 1.0
// section 3). It is never tried out, for a code is redeemed once.
func byHeader(methods []string, secret bool) bool {
	return secret && (len(methods) == 0 || slices.Contains(methods, "client_secret_basic"))
}

// believed returns the algorithms of an upstream's signatures that can be believed: those that
// only the upstream can make, and RS256 if it names none. Of HS256 the secret of the client would
// be the key, and "none" has no key.
func believed(named []string) ([]string, error) {
	if len(named) == 0 {
		return []string{"RS256"}, nil
	}
	known := slices.DeleteFunc(slices.Clone(named), func(a string) bool { return !slices.Contains(clientkeys.Algorithms, a) })
	if len(known) == 0 {
		return nil, errors.New("openid: the upstream signs with no algorithm that can be believed")
	}
	return known, nil
}
