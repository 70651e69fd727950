package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/verification"
)

// tellWays says how a stranger becomes a verified member of each group, if there is something to
// look at: who asks for a group must be able to show it. Elsewhere than on this machine it makes no
// codes: what is printed there is kept in a log, and makes anybody a member who reads that.
func (s *service) tellWays(ctx context.Context, out io.Writer) {
	production := s.providers[0]
	if production.cases == nil || !s.cfg.demonstrates() || !isOwnMachine(s.cfg.BaseURL) {
		return
	}
	_, _ = fmt.Fprintf(out, "  Verify    %s/verification/   by an address, whose mail is printed here; by a code; or by any picture\n", s.cfg.BaseURL)
	_, _ = fmt.Fprintf(out, "            as the document, which %s approves at %s/desk/\n", cmp.Or(s.cfg.reviewer(), "a reviewer"), s.cfg.deskURL())
	domains := s.cfg.Verification.domains()
	for _, group := range production.cases.CodeGroups() {
		code, err := production.demoCode(ctx, group)
		if err != nil {
			s.log.ErrorContext(ctx, "an invitation code could not be made; will retry at the next start", slog.String("group", group), slog.Any("error", err))
		}
		address := ""
		if domain := domains[group]; domain != "" {
			address = "you@" + domain
		}
		_, _ = fmt.Fprintf(out, "            %-12s %-22s %s\n", group, address, code)
	}
	_, _ = fmt.Fprintln(out)
}

// demoCode returns the invitation code of a group that everybody may redeem, for a year. The
// database keeps it, encrypted, so that each start prints the same one.
func (p opened) demoCode(ctx context.Context, group string) (string, error) {
	const kind, handle = "invitation code", "code of "
	marks, err := p.store.Person(ctx, demoSubject)
	if err != nil {
		return "", err
	}
	var kept struct {
		Sealed []byte    `json:"sealed"`
		Ends   time.Time `json:"ends"`
	}
	if text := marks.Attributes[handle+group]; text != nil && json.Unmarshal(text, &kept) == nil && time.Now().Before(kept.Ends) {
		if code, err := p.Keys().Open(kind+" "+group, kept.Sealed); err == nil {
			return string(code), nil
		}
	}
	kept.Ends = time.Now().AddDate(1, 0, 0)
	codes, _, err := p.cases.IssueCodes(ctx, verification.Codes{Group: group, Uses: 1000, ExpiresAt: kept.Ends, IssuedBy: "Quickstart"})
	if err != nil {
		return "", err
	}
	kept.Sealed = p.Keys().Seal(kind+" "+group, []byte(codes[0]))
	return codes[0], mark(ctx, p.store, demoSubject, handle+group, kept)
}

// domains are those of the first address that is a way into each group.
func (v *verified) domains() map[string]string {
	var policies []struct {
		Group string `json:"group"`
		Rule  struct {
			AnyOf []json.RawMessage `json:"any_of"`
		} `json:"rule"`
	}
	_ = json.Unmarshal(v.Policies.RawMessage, &policies) // was read before
	domains := map[string]string{}
	for _, p := range policies {
		for _, way := range slices.Backward(p.Rule.AnyOf) {
			var name string
			if json.Unmarshal(way, &name) != nil {
				continue
			}
			if d := v.Verifiers[name].EmailDomain; d != nil && len(d.Domains) > 0 {
				domains[p.Group] = d.Domains[0]
			}
		}
	}
	return domains
}

// reviewer is the address of the first of the staff who decides cases, empty for none.
func (e *environment) reviewer() string {
	if e.Desk == nil {
		return ""
	}
	for _, m := range e.Desk.Staff {
		if slices.Contains(m.Roles, desk.RoleReviewer) {
			return m.Email
		}
	}
	return ""
}
