package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// strangers are applications that nobody has registered: the document of one has changed, one
// is a program on the device of its user, and the host of the last is denied.
func (s settlers) strangers(ctx context.Context) error {
	helper := documented("https://assistant.example/client.json", "Paper Helper", s.now,
		map[string]any{"redirect_uris": []string{"https://assistant.example/callback"}},
		map[string]any{"redirect_uris": []string{"https://assistant.example/callback", "http://localhost/callback"}})
	coupons := documented("https://app.coupons.example/client.json", "Free Coupons", s.now, nil, map[string]any{"redirect_uris": []string{"https://coupons.example/go"}})
	editor := documented("https://editor.example/client.json", "Desk Editor", s.now, nil, map[string]any{"redirect_uris": []string{"http://localhost/callback"}})
	for i, c := range []storage.Client{helper, coupons, editor} {
		c.Dialect, c.Public, c.AuthMethod, c.Unreviewed, c.RequirePKCE = provider.Standard, true, "none", true, true
		c.ResponseTypes, c.GrantTypes, c.Scopes = []string{"code"}, []string{"authorization_code"}, []string{"openid"}
		c.CreatedAt = s.now.AddDate(0, 0, -9*i-3)
		c.UpdatedAt, c.ExpiresAt = c.CreatedAt, s.now.AddDate(0, 0, 90)
		if err := unlessThere(s.store.SaveClient(ctx, c)); err != nil {
			return err
		}
		err := unlessThere(s.store.SaveConsent(ctx, storage.Consent{
			Subject: "mika", ClientID: c.ID, Scopes: []string{"openid"}, ClientName: c.Name, Decision: storage.Digest(random(32)),
			CreatedAt: c.CreatedAt, DecidedAt: c.CreatedAt, LastUsedAt: s.now.AddDate(0, 0, -i),
		}, storage.ConsentBasis{}))
		if err != nil {
			return err
		}
	}
	otto := provider.By(ctx, storage.Actor{Name: "staff:otto"})
	return s.Rooms().Hosts.Deny(otto, "coupons.example", "Its pages ask for the passwords of mailboxes.")
}

// documented is a client with a document, which was another one before.
func documented(address, name string, now time.Time, before, members map[string]any) storage.Client {
	text := func(members map[string]any) []byte {
		if members == nil {
			return nil
		}
		members["client_id"], members["client_name"] = address, name
		content, _ := json.Marshal(members) // of strings
		return content
	}
	d := &storage.ClientDocument{
		Name: name, FetchedAt: now.Add(-time.Hour), LookedAt: now.Add(-time.Hour), FreshUntil: now.Add(23 * time.Hour), Text: text(members), Previous: text(before),
	}
	d.Digest = sha256.Sum256(d.Text)
	if before != nil {
		d.ChangedAt = now.AddDate(0, 0, -2)
	}
	return storage.Client{
		ID: address, Origin: storage.OriginDocument, Name: strings.TrimSuffix(strings.TrimPrefix(address, "https://"), "/client.json"), Document: d, RedirectURIs: members["redirect_uris"].([]string),
	}
}
