package backchannel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/engine/registry"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
	"github.com/bonafide-id/bonafide/provider/internal/outbound"
	"github.com/bonafide-id/bonafide/provider/internal/random"
	"github.com/bonafide-id/bonafide/storage"
)

// retryAfter is the pause after each attempt; the last one is final. In some three hours an
// application can be redeployed, and later a notice is no news.
var retryAfter = []time.Duration{
	10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	10 * time.Minute, 20 * time.Minute, 40 * time.Minute, time.Hour, time.Hour,
}

// tell makes one attempt and records its result.
func (n *Notifier) tell(ctx context.Context, c storage.ClientSession) {
	client, err := n.Client(ctx, c.ClientID)
	switch {
	case errors.Is(err, registry.ErrNoClient), err == nil && client.BackchannelLogoutURI == "":
		n.settle(ctx, c, time.Time{}) // the client no longer has an address
		return
	case err != nil:
		return // the turn ends, and another begins
	}
	status, err := n.send(ctx, client, c)
	if ctx.Err() != nil {
		n.settle(ctx, c, n.AgreedTime())
		return
	}
	of := activity.Party{ClientID: c.ClientID, UserID: c.Subject}
	mistake := judge(status, err)
	if mistake == diagnosis.LogoutNotDelivered {
		n.leaveAlone(c.ClientID)
	}
	switch {
	case mistake == "":
		n.Activity.Succeeded(ctx, activity.BackchannelLogout, of)
		n.settle(ctx, c, time.Time{})
		return
	case mistake == diagnosis.LogoutNotDelivered && c.Attempts <= len(retryAfter):
		n.settle(ctx, c, n.AgreedTime().Add(retryAfter[c.Attempts-1]))
	case mistake == diagnosis.LogoutNotDelivered:
		mistake = diagnosis.LogoutGivenUp
		fallthrough
	default:
		n.settle(ctx, c, time.Time{})
	}
	refused := &protocol.Error{Diagnosis: mistake, Details: details(client, c, status, err)}
	_ = errors.As(err, &refused) // of a token that cannot be signed
	n.Activity.Refused(ctx, activity.BackchannelLogout, of, refused)
}

// details describe a failed attempt.
func details(client *registry.Client, c storage.ClientSession, status int, err error) map[string]string {
	all := map[string]string{
		"backchannel_logout_uri": diagnosis.Address(client.BackchannelLogoutURI), "attempt": strconv.Itoa(c.Attempts),
	}
	if err != nil {
		all["reason"] = outbound.Reason(err)
	} else {
		all["status"] = strconv.Itoa(status)
	}
	return all
}

// settle records the result of an attempt, even if Run has ended: when another is due, or that there
// is none.
func (n *Notifier) settle(ctx context.Context, c storage.ClientSession, due time.Time) {
	if err := n.Store.SettleClientSession(context.WithoutCancel(ctx), c, due); err != nil {
		n.Logger.ErrorContext(ctx, "result of a logout token could not be recorded; it may be sent again",
			slog.String("client", c.ClientID), slog.Any("error", err))
	}
}

// judge returns what is wrong with a response; "" if the application has been told.
func judge(status int, err error) diagnosis.Name {
	switch {
	case errors.Is(err, outbound.ErrForbiddenAddress):
		return diagnosis.LogoutAddressForbidden
	case errors.Is(err, outbound.ErrTooLarge):
		return diagnosis.LogoutRejected
	case err != nil, status >= 500, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout:
		return diagnosis.LogoutNotDelivered
	case status >= 200 && status < 300:
		return ""
	default:
		return diagnosis.LogoutRejected
	}
}

// send makes a logout token and sends it (section 2.5).
func (n *Notifier) send(ctx context.Context, client *registry.Client, c storage.ClientSession) (status int, err error) {
	token, err := n.token(ctx, client, c)
	if err != nil {
		return 0, err
	}
	return n.Post(ctx, client.BackchannelLogoutURI, url.Values{"logout_token": {token}})
}

// tokenLife is the life of a logout token, which is new for each attempt: the clock of an
// application may be wrong.
const tokenLife = 2 * time.Minute

// event is the event of a logout token.
const event = "http://schemas.openid.net/event/backchannel-logout"

// logoutToken are the claims of a logout token (section 2.4).
type logoutToken struct {
	Issuer    string              `json:"iss"`
	Subject   string              `json:"sub"`
	Audience  string              `json:"aud"`
	IssuedAt  int64               `json:"iat"`
	ExpiresAt int64               `json:"exp"`
	ID        string              `json:"jti"`
	SID       string              `json:"sid,omitempty"`
	Events    map[string]struct{} `json:"events"`
}

func (n *Notifier) token(ctx context.Context, client *registry.Client, c storage.ClientSession) (string, error) {
	now := n.Clock()
	claims, err := json.Marshal(logoutToken{
		Issuer: n.Issuer, Subject: c.Subject, Audience: c.ClientID, SID: c.SID, ID: random.Text(16),
		IssuedAt: now.Unix(), ExpiresAt: now.Add(tokenLife).Unix(), Events: map[string]struct{}{event: {}},
	})
	if err != nil {
		return "", fmt.Errorf("encode logout token: %w", err)
	}
	n.Refresh(ctx)
	token, err := n.Sign(keyring.TypeLogoutToken, client.IDTokenSigning(), claims)
	if err != nil {
		return "", fmt.Errorf("sign logout token: %w", registry.Unsigned(client.IDTokenSigning(), err))
	}
	return token, nil
}
