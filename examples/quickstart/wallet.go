package main

import (
	"context"
	"errors"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/credential"
)

// wallet is what people can put into wallet apps.
type wallet struct {
	// Groups are those of which they can have a credential; an application with the scope credential:student can ask for that of student.
	Groups []string `json:"groups"`

	// AnyWallet is the ID of one of clients that stands for apps that are none of them: public, with the grant pre-authorized_code.
	AnyWallet string `json:"any_wallet"`
}

// kinds are the credentials of an environment; none without a wallet.
func (w *wallet) kinds() (kinds credential.Kinds) {
	if w == nil {
		return nil
	}
	for _, group := range w.Groups {
		kinds = append(kinds, credential.Kind{Group: group})
	}
	return kinds
}

// addTo has a provider let wallets ask for them.
func (w *wallet) addTo(cfg *provider.Config) {
	if kinds := w.kinds(); len(kinds) > 0 {
		cfg.Credentials = kinds
	}
}

// openWallet mounts the pages and endpoints of wallets beside the provider of an environment.
func (s *service) openWallet(ctx context.Context, r *router, e *environment, p opened) error {
	kinds := e.Wallet.kinds()
	if len(kinds) == 0 {
		return nil
	}
	records, ok := p.store.(credential.Store)
	if !ok {
		return errors.New("wallet: this database keeps no credentials")
	}
	issuer, err := credential.New(ctx, credential.Config{
		Provider: p.Provider, Store: records, Kinds: kinds, AnyWallet: e.Wallet.AnyWallet, Logger: s.log.With("base_url", e.BaseURL),
	})
	if err != nil {
		return err
	}
	r.add(e.BaseURL+"/vci", s.cfg.BaseURL, issuer, "/", issuer.WellKnownPaths()...)
	return nil
}
