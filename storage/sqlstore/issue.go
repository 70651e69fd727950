package sqlstore

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// consentUseInterval is how old consents.last_used_at may get before a grant renews it, so
// that a user who signs in all day costs one write a minute.
const consentUseInterval = time.Minute

// Every sign-in runs the statements of this file. Their texts are made once: a driver finds a
// prepared statement by its text.
const (
	insertGrantColumns = `INSERT INTO main.grants (id, flow, client_id, subject, scopes, attributes, group_names,
		redirect_uri, redirect_sent, response_type, nonce, eid, claims, resources, sid, code_challenge,
		auth_time, amr, created_at, expires_at, revoked_at, assurance, enrolled_at)`

	grantValues = `?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23`

	insertGrant = insertGrantColumns + ` VALUES (` + grantValues + `)`

	ifNotDisabled = insertGrantColumns + ` SELECT ` + grantValues + `
		WHERE NOT EXISTS (SELECT 1 FROM main.accounts WHERE id = ?4 AND (disabled <> 0 OR delete_at IS NOT NULL))`
	andSession  = ` AND EXISTS (SELECT 1 FROM main.sessions WHERE account_id = ?4 AND digest = `
	andDecision = ` AND EXISTS (SELECT 1 FROM main.consents WHERE subject = ?4 AND client_id = ?3 AND decision = `

	insertGrantOnSession  = ifNotDisabled + andSession + `?24)`
	insertGrantOnDecision = ifNotDisabled + andDecision + `?24)`
	insertGrantOnBoth     = ifNotDisabled + andSession + `?24)` + andDecision + `?25)`

	standingDecision          = ` WHERE subject = ?1 AND client_id = ?2 AND decision = ?3`
	standingDecisionOfSession = standingDecision + ` AND EXISTS (SELECT 1 FROM main.sessions WHERE digest = ?4 AND account_id = ?1)`

	renewDecision = `UPDATE main.consents SET last_used_at = CASE WHEN last_used_at >= ?4 THEN last_used_at ELSE ?5 END` +
		standingDecision
	renewDecisionOfSession = `UPDATE main.consents SET last_used_at = CASE WHEN last_used_at >= ?5 THEN last_used_at ELSE ?6 END` +
		standingDecisionOfSession
)

// CreateGrant implements storage.Grants.
func (s *Store) CreateGrant(ctx context.Context, g storage.Grant, on storage.Basis, issued ...storage.Token) error {
	return s.change(ctx, "create grant", func(tx *tx) error {
		if s.dialect.ForShare == "" {
			if err := insertGrantAlone(tx, g, on, issued); err != nil {
				return err
			}
		} else if err := insertGrantAmongOthers(tx, g, on, issued); err != nil {
			return err
		}
		return insertClientSession(tx, g, on)
	})
}

// insertGrantAlone is for a database with one write at a time: the basis of the grant is a
// condition of the statement that records it.
func insertGrantAlone(tx *tx, g storage.Grant, on storage.Basis, issued []storage.Token) error {
	statement, args := ifNotDisabled, grantArgs(g)
	session, decision := on.Session, on.Consent.Decision
	switch {
	case !session.IsZero() && !decision.IsZero():
		statement, args = insertGrantOnBoth, append(args, session[:], decision[:])
	case !session.IsZero():
		statement, args = insertGrantOnSession, append(args, session[:])
	case !decision.IsZero():
		statement, args = insertGrantOnDecision, append(args, decision[:])
	}
	recorded, err := tx.exec(statement, args...)
	if err != nil {
		return err
	}
	if recorded == 0 {
		return whyNoGrant(tx, g, issued)
	}
	if err := insertTokens(tx, false, issued); err != nil {
		return err
	}
	if !decision.IsZero() && isUseStale(g, on) {
		_, err = renewUse(tx, g, on)
	}
	return err
}

// whyNoGrant returns why a grant failed. As among others, an answered flow and a deleted
// client come before the basis of the grant, but not before its user.
func whyNoGrant(tx *tx, g storage.Grant, issued []storage.Token) error {
	if err := refuseDisabled(tx, g.Subject); err != nil {
		return err
	}
	if _, err := tx.exec(insertGrant, grantArgs(g)...); err != nil {
		return err
	}
	if err := insertTokens(tx, false, issued); err != nil {
		return err
	}
	return storage.ErrEnded // which undoes it
}

// insertGrantAmongOthers is for a database with concurrent writes: it locks the basis of the
// grant.
func insertGrantAmongOthers(tx *tx, g storage.Grant, on storage.Basis, issued []storage.Token) error {
	if err := refuseDisabled(tx, g.Subject); err != nil {
		return err
	}
	if _, err := tx.expect(insertGrant, grantArgs(g)...); err != nil {
		return err
	}
	if err := insertTokens(tx, false, issued); err != nil {
		return err
	}
	return requireBasis(tx, g, on)
}

func grantArgs(g storage.Grant) []any {
	args := make([]any, 0, 25) // with room for a basis
	return append(args,
		g.ID[:], g.Flow[:], g.ClientID, g.Subject, listText(g.Scopes), listText(g.Attributes), listText(g.Groups),
		g.RedirectURI, flag(g.RedirectSent), g.ResponseType, g.Nonce, g.EID, g.Claims, listText(g.Resources), g.SID, g.Challenge,
		micros(g.AuthTime), listText(g.AMR), micros(g.CreatedAt), micros(g.ExpiresAt), micros(g.RevokedAt), int64(g.Assurance), micros(g.EnrolledAt))
}

// requireBasis returns storage.ErrEnded unless the basis of a grant holds, and renews the
// last use of the decision. The account is already locked, and the lock on the decision
// orders this step and the one that revokes it. A decision that is changed is never locked
// for reading first: two such steps would wait for each other.
func requireBasis(tx *tx, g storage.Grant, on storage.Basis) error {
	if on.Consent.Decision.IsZero() {
		return requireSession(tx, g.Subject, on.Session)
	}
	if isUseStale(g, on) {
		return orEnded(renewUse(tx, g, on))
	}
	standing, args := basisOf(g, on)
	return orEnded(tx.find(`SELECT 1 FROM main.consents`+standing+` `+tx.store.dialect.ForShare, args...))
}

// basisOf is the condition that a decision stands, and the session if there is one.
func basisOf(g storage.Grant, on storage.Basis) (condition string, args []any) {
	args = append(make([]any, 0, 6), g.Subject, g.ClientID, on.Consent.Decision[:])
	if on.Session.IsZero() {
		return standingDecision, args
	}
	return standingDecisionOfSession, append(args, on.Session[:])
}

func isUseStale(g storage.Grant, on storage.Basis) bool {
	return on.Consent.LastUsedAt.Before(g.CreatedAt.Add(-consentUseInterval))
}

// renewUse records the last use of a decision, unless another step has, and returns whether it
// stands.
func renewUse(tx *tx, g storage.Grant, on storage.Basis) (int, error) {
	_, args := basisOf(g, on)
	args = append(args, micros(g.CreatedAt.Add(-consentUseInterval)), micros(g.CreatedAt))
	if on.Session.IsZero() {
		return tx.expect(renewDecision, args...)
	}
	return tx.expect(renewDecisionOfSession, args...)
}

// refuseDisabled returns storage.ErrEnded for a subject whose account is locked, or is to
// be removed; a user of the host has none. The row is locked, whatever it holds, so that this
// step and the one that disables the account happen one after the other: a grant that slipped in
// between would outlive it. PostgreSQL carries out apart what locks.
func refuseDisabled(tx *tx, subject string) error {
	return orEnded(tx.find(`WITH account AS (SELECT disabled, delete_at FROM main.accounts WHERE id = ?1 `+tx.store.dialect.ForShare+`)
		SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM account WHERE disabled <> 0 OR delete_at IS NOT NULL)`, subject))
}

// maxTokens is the maximum number of tokens in one statement: a code, or the tokens for it.
const maxTokens = 3

// insertTokenTexts are the statements for so many tokens of one grant, without siblings and
// with; rareTokenTexts are those for tokens that are bound to a key, or were exchanged.
var insertTokenTexts, rareTokenTexts = tokenTexts("", tokenArgs), tokenTexts(", jkt, actors", tokenArgs+rareArgs)

// tokenArgs is the number of arguments of each token of a bearer, rareArgs of those that only a
// rare one has.
const (
	tokenArgs = 7
	rareArgs  = 2
)

func tokenTexts(column string, arguments int) (texts [maxTokens + 1][2]string) {
	for n := range texts {
		for siblings := range texts[n] {
			var rows []string
			for i := range n {
				number := 3 + i*arguments
				row := "(?1, ?2, " + strconv.Itoa(siblings)
				for range arguments {
					row += ", ?" + strconv.Itoa(number)
					number++
				}
				rows = append(rows, row+")")
			}
			texts[n][siblings] = `INSERT INTO main.tokens (grant_id, created_at, siblings, digest, kind, parent, scopes, resources, expires_at, spent_at` + column + `)
				VALUES ` + strings.Join(rows, ", ")
		}
	}
	return texts
}

// insertTokens records tokens; siblings reports that other tokens have replaced the same one.
func insertTokens(tx *tx, siblings bool, tokens []storage.Token) error {
	for len(tokens) > 0 {
		first := tokens[0]
		n := slices.IndexFunc(tokens, func(t storage.Token) bool {
			return t.GrantID != first.GrantID || !t.CreatedAt.Equal(first.CreatedAt)
		})
		if n < 0 {
			n = len(tokens)
		}
		n = min(n, maxTokens)
		texts, rare := &insertTokenTexts, slices.ContainsFunc(tokens[:n], isRare)
		if rare {
			texts = &rareTokenTexts
		}
		args := append(make([]any, 0, 2+maxTokens*(tokenArgs+rareArgs)), first.GrantID[:], micros(first.CreatedAt))
		for i := range tokens[:n] {
			t := &tokens[i]
			args = append(args, t.Digest[:], int64(t.Kind), digestOrNull(t.Parent), listText(t.Scopes), listText(t.Resources),
				micros(t.ExpiresAt), micros(t.SpentAt))
			if rare {
				args = append(args, digestOrNull(t.JKT), listText(t.Actors))
			}
		}
		if _, err := tx.expect(texts[n][flag(siblings)], args...); err != nil {
			return err
		}
		tokens = tokens[n:]
	}
	return nil
}

func isRare(t storage.Token) bool { return !t.JKT.IsZero() || t.Actors != nil }
