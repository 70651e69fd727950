package providertest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/signals"
)

func TestReceiver(t *testing.T) {
	t.Parallel()
	idp := providertest.New(t, providertest.Config{Change: func(c *provider.Config) {
		c.Signals.Webhooks, c.AllowPrivateNetworks = true, true
	}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- idp.Provider.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	r := idp.NewReceiver(t, idp.ClientID)
	testkit.Must(idp.Provider.Keys().Rotate(t.Context()))(t)
	m := r.Wait(t, func(m providertest.Message) bool { return m.Type == signals.KeysRotated })
	if m.ID == "" || m.Timestamp.IsZero() {
		t.Errorf("%+v", m)
	}
	request := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL, strings.NewReader(`{"type":"account.deleted"}`)))(t)
	request.Header.Set("Webhook-Id", "msg_forged")
	request.Header.Set("Webhook-Signature", "v1,AAAA")
	forged, err := http.DefaultClient.Do(request)
	testkit.OK(t, err)
	_ = forged.Body.Close()
	for _, m := range r.Messages() {
		if forged.StatusCode != http.StatusUnauthorized || m.ID == "msg_forged" {
			t.Errorf("a forged message: %s", forged.Status)
		}
	}
}
