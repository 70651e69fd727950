package sqlstore

import (
	"errors"

	"github.com/bonafide-id/bonafide/storage"
)

// requireProof locks the row of an account, as every step about it does first, and returns nil if
// the account is as the proof says and all other parts of the proof hold; those that can be
// spent are. condition is a further one of the account, or empty; lock is of the dialect.
func requireProof(tx *tx, accountID string, on storage.Proof, condition, lock string) error {
	current, err := one(tx, scanVersions, `SELECT epoch, factors_version FROM main.accounts WHERE id = ?1 `+condition+lock, accountID)
	if err != nil {
		return err
	}
	if current.epoch != on.Epoch || current.factors != on.FactorsVersion {
		return storage.ErrChanged
	}
	return spend(tx, accountID, on)
}

// versions are what a storage.Proof says of an account.
type versions struct{ epoch, factors int64 }

func scanVersions(row scanner) (v versions, err error) {
	err = row.Scan(&v.epoch, &v.factors)
	return v, err
}

// spend returns storage.ErrProof unless the parts of a proof beside the versions of the
// account hold, and spends those that can be spent. The account is locked. All steps go
// through the parts in one order, so that no two wait for each other.
func spend(tx *tx, accountID string, on storage.Proof) error {
	for _, part := range [...]func(*spending) (int, error){
		(*spending).challenge, (*spending).oneTimeCode, (*spending).session, (*spending).device,
		(*spending).passkey, (*spending).link, (*spending).totp, (*spending).recoveryCode,
	} {
		held, err := part(&spending{tx, accountID, on})
		if err != nil {
			return err
		}
		if held == 0 {
			return storage.ErrProof
		}
	}
	return nil
}

// spending is a proof in a step. Each of its methods returns zero if a part does not hold.
type spending struct {
	tx        *tx
	accountID string
	on        storage.Proof
}

// notAsked is the result of a part that a proof does not have.
const notAsked = 1

func (s *spending) challenge() (int, error) {
	switch {
	case s.on.Challenge.IsZero():
		return notAsked, nil
	case !s.on.ChallengeUntil.After(s.on.At):
		return 0, nil // its record would be swept, and the challenge could be used again
	}
	return useID(s.tx, s.on.Challenge, s.on.ChallengeUntil, s.on.At)
}

func (s *spending) oneTimeCode() (int, error) {
	if s.on.OneTimeCode.IsZero() {
		return notAsked, nil
	}
	return s.tx.exec(`DELETE FROM main.tickets WHERE digest = ?1 AND expires_at > ?2`, s.on.OneTimeCode[:], micros(s.on.At))
}

// session locks the session for changes: a step may go on to replace it.
func (s *spending) session() (int, error) {
	if s.on.Session.IsZero() {
		return notAsked, nil
	}
	return s.standing(`SELECT 1 FROM main.sessions WHERE digest = ?2 AND account_id = ?1 `+s.tx.store.dialect.ForUpdate,
		s.accountID, s.on.Session[:])
}

func (s *spending) device() (int, error) {
	if s.on.Device.IsZero() {
		return notAsked, nil
	}
	return s.standing(`SELECT 1 FROM main.trusted_devices WHERE digest = ?2 AND account_id = ?1 AND expires_at > ?3 `+s.tx.store.dialect.ForShare,
		s.accountID, s.on.Device[:], micros(s.on.At))
}

// standing returns the number of rows of a query, zero or one.
func (s *spending) standing(query string, args ...any) (int, error) {
	n, err := one(s.tx, scanInt, query, args...)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, nil
	}
	return n, err
}

func (s *spending) passkey() (int, error) {
	use := s.on.Passkey
	if len(use.ID) == 0 {
		return notAsked, nil
	}
	return s.tx.exec(`UPDATE main.passkeys SET sign_count = ?3, flags = ?4, last_used_at = ?5 WHERE id = ?2 AND account_id = ?1`,
		s.accountID, use.ID, int64(use.SignCount), int64(use.Flags), micros(s.on.At))
}

func (s *spending) link() (int, error) {
	if s.on.Link.IsZero() {
		return notAsked, nil
	}
	return s.tx.exec(`UPDATE main.links SET last_used_at = ?3 WHERE digest = ?2 AND account_id = ?1`,
		s.accountID, s.on.Link[:], micros(s.on.At))
}

func (s *spending) totp() (int, error) {
	if s.on.TOTPStep != 0 {
		return s.tx.exec(`UPDATE main.totp SET step = ?2, last_used_at = ?3, misses = 0 WHERE account_id = ?1 AND step < ?2 AND misses < ?4`,
			s.accountID, s.on.TOTPStep, micros(s.on.At), storage.MaxTOTPMisses)
	}
	if len(s.on.Passkey.ID) == 0 && s.on.RecoveryCode.IsZero() {
		return notAsked, nil
	}
	_, err := s.tx.exec(`UPDATE main.totp SET misses = 0 WHERE account_id = ?1 AND misses > 0`, s.accountID)
	return notAsked, err
}

func (s *spending) recoveryCode() (int, error) {
	if s.on.RecoveryCode.IsZero() {
		return notAsked, nil
	}
	return s.tx.exec(`DELETE FROM main.recovery_codes WHERE account_id = ?1 AND digest = ?2`, s.accountID, s.on.RecoveryCode[:])
}
