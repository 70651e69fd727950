package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Authenticators implements storage.Authenticators. One query reads one state of the
// database, as that of Person: each authenticator is a row, after the account.
func (s *Store) Authenticators(ctx context.Context, accountID string) (storage.AuthenticatorSet, error) {
	return read(ctx, s, "read authenticators", func(tx *tx) (storage.AuthenticatorSet, error) {
		rows, err := all(tx, scanAuthenticator, `
			SELECT `+accountColumns+`, x.kind, x.id, x.secret, x.aaguid, x.name, x.place, x.transports,
				x.flags, x.n, x.discoverable, x.created_at, x.until, x.used_at, x.issuer, x.subject
			FROM main.accounts a LEFT JOIN (
				SELECT 1 AS kind, id, sealed_key AS secret, aaguid, sealed_name AS name, rp_id AS place, transports,
					flags, sign_count AS n, discoverable, created_at, last_used_at AS until, last_used_at AS used_at,
					NULL AS issuer, NULL AS subject
				FROM main.passkeys WHERE account_id = ?1
				UNION ALL
				SELECT 2, NULL, sealed_secret, NULL, NULL, NULL, NULL, misses, step, NULL, created_at, NULL, last_used_at, NULL, NULL
				FROM main.totp WHERE account_id = ?1
				UNION ALL
				SELECT 3, NULL, sealed_salt, NULL, NULL, NULL, NULL, NULL, NULL, NULL, created_at, NULL, NULL, NULL, NULL
				FROM main.recovery_code_sets WHERE account_id = ?1
				UNION ALL
				SELECT 4, digest, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
				FROM main.recovery_codes WHERE account_id = ?1
				UNION ALL
				SELECT 5, digest, NULL, NULL, user_agent, address, NULL, NULL, NULL, NULL, created_at, expires_at, NULL, NULL, NULL
				FROM main.trusted_devices WHERE account_id = ?1
				UNION ALL
				SELECT 6, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ready_at, NULL, started_at, ends_at, approved_at, NULL, NULL
				FROM main.recoveries WHERE account_id = ?1 AND epoch = (SELECT epoch FROM main.accounts WHERE id = ?1)
				UNION ALL
				SELECT 7, digest, NULL, NULL, sealed_name, upstream, NULL, NULL, NULL, NULL, created_at, NULL, last_used_at, issuer, sealed_subject
				FROM main.links WHERE account_id = ?1
			) x ON 1 = 1
			WHERE a.id = ?1 ORDER BY x.kind, x.created_at, x.id`, accountID)
		if err != nil {
			return storage.AuthenticatorSet{}, err
		}
		return authenticatorSet(rows)
	})
}

// authenticatorRow is one authenticator, as each kind fills it.
type authenticatorRow struct {
	account                storage.Account
	kind                   optionalInt
	id, secret, aaguid     []byte
	name, place            text
	issuer, subject        text
	transports             list
	flags, n, discoverable optionalInt
	createdAt, until, used instant
}

func scanAuthenticator(row scanner) (r authenticatorRow, err error) {
	err = row.Scan(append(accountFields(&r.account), &r.kind, &r.id, &r.secret, &r.aaguid, &r.name, &r.place, &r.transports,
		&r.flags, &r.n, &r.discoverable, &r.createdAt, &r.until, &r.used, &r.issuer, &r.subject)...)
	return r, err
}

// authenticatorSet collects the rows of an account.
func authenticatorSet(rows []authenticatorRow) (storage.AuthenticatorSet, error) {
	if len(rows) == 0 {
		return storage.AuthenticatorSet{}, storage.ErrNotFound
	}
	set := storage.AuthenticatorSet{Account: rows[0].account}
	for _, r := range rows {
		if err := r.addTo(&set); err != nil {
			return storage.AuthenticatorSet{}, err
		}
	}
	slices.Reverse(set.Devices)
	return set, nil
}

// addTo adds a row to the set of its account; one of an account without authenticators is
// of no kind.
func (r authenticatorRow) addTo(set *storage.AuthenticatorSet) error {
	created, until, used := time.Time(r.createdAt), time.Time(r.until), time.Time(r.used)
	switch r.kind {
	case 1:
		p := storage.Passkey{
			ID: r.id, AccountID: set.Account.ID, UserHandle: set.Account.UserHandle, RPID: string(r.place), Name: string(r.name), PublicKey: r.secret,
			Flags: byte(r.flags), SignCount: uint32(r.n), Transports: r.transports, Discoverable: r.discoverable != 0, CreatedAt: created, LastUsedAt: used,
		}
		if err := scanBytes(p.AAGUID[:], r.aaguid); err != nil {
			return err
		}
		set.Passkeys = append(set.Passkeys, p)
	case 2:
		set.TOTP = storage.TOTP{Secret: r.secret, Step: int64(r.n), Misses: int(r.flags), CreatedAt: created, LastUsedAt: used}
	case 3:
		set.Recovery.Salt, set.Recovery.CreatedAt = r.secret, created
	case 4:
		var code storage.Digest
		if err := scanBytes(code[:], r.id); err != nil {
			return err
		}
		set.Recovery.Digests = append(set.Recovery.Digests, code)
	case 5:
		d := storage.TrustedDevice{AccountID: set.Account.ID, UserAgent: string(r.name), Address: string(r.place), CreatedAt: created, ExpiresAt: until}
		if err := scanBytes(d.Digest[:], r.id); err != nil {
			return err
		}
		set.Devices = append(set.Devices, d)
	case 6:
		set.Running = storage.Recovery{
			AccountID: set.Account.ID, StartedAt: created, ReadyAt: time.UnixMicro(int64(r.n)).UTC(), EndsAt: until, ApprovedAt: used,
		}
	case 7:
		l := storage.Link{
			AccountID: set.Account.ID, Upstream: string(r.place), Issuer: string(r.issuer), Subject: string(r.subject), Name: string(r.name),
			CreatedAt: created, LastUsedAt: used,
		}
		if err := scanBytes(l.Digest[:], r.id); err != nil {
			return err
		}
		set.Links = append(set.Links, l)
	}
	return nil
}

// changeFactors changes what an account has beside its password, in a step that rests on a
// proof. It begins the next version, ends the trust in devices and, if no passkey and no app
// are left, the second step and the recovery codes.
func (s *Store) changeFactors(ctx context.Context, what, accountID string, on storage.Proof, change func(*tx) error) error {
	return s.change(ctx, what, func(tx *tx) error {
		if err := requireProof(tx, accountID, on, "", tx.store.dialect.ForUpdate); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		return beginVersion(tx, accountID, on.Session)
	})
}

// beginVersion begins the next version of the factors of an account, in a step that has
// locked it and changed them. Of the sessions that end one is left out.
func beginVersion(tx *tx, accountID string, except storage.Digest) error {
	kept, err := countSecondFactors(tx, accountID)
	if err != nil {
		return err
	}
	if kept.none() {
		if err := removeCodes(tx, accountID, except); err != nil {
			return err
		}
	}
	if _, err := tx.exec(`UPDATE main.accounts SET factors_version = factors_version + 1,
		second_step = CASE WHEN ?2 = 0 THEN 0 ELSE second_step END WHERE id = ?1`, accountID, flag(!kept.none())); err != nil {
		return err
	}
	return forgetDevices(tx, accountID)
}

// removeFactorsSince removes, at a time, what an account has got since another, or all of it if
// that is zero, in a step that has locked it.
func removeFactorsSince(tx *tx, accountID string, since, at time.Time) error {
	for _, statement := range []string{
		`DELETE FROM main.passkeys WHERE account_id = ?1 AND created_at >= ?2`,
		`DELETE FROM main.totp WHERE account_id = ?1 AND created_at >= ?2`,
		`DELETE FROM main.recovery_code_sets WHERE account_id = ?1 AND created_at >= ?2`,
	} {
		if _, err := tx.exec(statement, accountID, storage.UnixMicro(since)); err != nil {
			return err
		}
	}
	if _, err := removeLinksSince(tx, accountID, since, at); err != nil {
		return err
	}
	return beginVersion(tx, accountID, storage.Digest{})
}

// secondFactors are the numbers of an account's passkeys and apps.
type secondFactors struct{ passkeys, apps int }

func (n secondFactors) none() bool { return n.passkeys+n.apps == 0 }

func countSecondFactors(tx *tx, accountID string) (secondFactors, error) {
	return one(tx, func(row scanner) (n secondFactors, err error) {
		err = row.Scan(&n.passkeys, &n.apps)
		return n, err
	}, `SELECT (SELECT count(*) FROM main.passkeys WHERE account_id = ?1), (SELECT count(*) FROM main.totp WHERE account_id = ?1)`, accountID)
}

// removeFactors removes everything that an account has beside its password, in a step that
// has locked it and begins its next epoch, with which a recovery ends.
func removeFactors(tx *tx, accountID string, at time.Time) error {
	for _, statement := range []string{
		`UPDATE main.accounts SET factors_version = factors_version + 1, second_step = 0 WHERE id = ?1`,
		`DELETE FROM main.passkeys WHERE account_id = ?1`,
		`DELETE FROM main.totp WHERE account_id = ?1`,
		`DELETE FROM main.recovery_code_sets WHERE account_id = ?1`, // and the codes
	} {
		if _, err := tx.exec(statement, accountID); err != nil {
			return err
		}
	}
	if _, err := removeLinksSince(tx, accountID, time.Time{}, at); err != nil {
		return err
	}
	return forgetDevices(tx, accountID)
}

func forgetDevices(tx *tx, accountID string) error {
	_, err := tx.exec(`DELETE FROM main.trusted_devices WHERE account_id = ?1`, accountID)
	return err
}

// ResetAuthenticators implements storage.Authenticators.
func (s *Store) ResetAuthenticators(ctx context.Context, accountID string, at time.Time) error {
	return s.change(ctx, "reset authenticators", func(tx *tx) error {
		changed, err := tx.exec(`UPDATE main.accounts SET epoch = epoch + 1 WHERE id = ?1`, accountID)
		if err := orNotFound(changed, err); err != nil {
			return err
		}
		if err := removeFactors(tx, accountID, at); err != nil {
			return err
		}
		return endIssued(tx, accountID, at)
	})
}
