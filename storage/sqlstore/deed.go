package sqlstore

import (
	"context"
	"errors"
	"slices"

	"github.com/bonafide-id/bonafide/storage"
)

// withDeed returns a step that carries out a deed as well: what the deed rests on and what may
// be done once goes first, so that who is late writes nothing and is told why; its events go
// last, since they keep the audit log from being closed until the commit. Rows are locked in
// the order accounts, matters, plans, organizations, so that no two steps wait for each other.
func withDeed[T any](d *storage.Deed, step func(*tx) (T, error)) func(*tx) (T, error) {
	if d == nil {
		return step
	}
	return func(tx *tx) (result T, err error) {
		for _, part := range [...]func(*deed) error{
			(*deed).accounts, (*deed).matter, (*deed).target, (*deed).madeAlone, (*deed).answer, (*deed).organizations,
		} {
			if err := part(&deed{tx, d}); err != nil {
				return result, err
			}
		}
		if result, err = step(tx); err != nil || d.IfChanged && foundNothing(result) {
			return result, err
		}
		for _, c := range d.Changes {
			if err := appendChange(tx, c); err != nil && !errors.Is(err, storage.ErrNotFound) {
				return result, err
			}
		}
		for _, e := range d.Events {
			if err := appendEvent(tx, e); err != nil {
				return result, err
			}
		}
		return result, addDeliveries(tx, d.Deliveries)
	}
}

// foundNothing reports whether a write says that there was nothing to change.
func foundNothing(result any) bool {
	switch result := result.(type) {
	case bool:
		return !result
	case int:
		return result == 0
	}
	return false
}

// unmet is the error of a deed of which a part does not hold.
func unmet(err error) error { return &storage.DeedError{Err: err} }

// deed is a storage.Deed in a step.
type deed struct {
	tx *tx
	*storage.Deed
}

// accounts locks the accounts of a deed and compares the one that it rests on. That of the
// person of a matter is locked before the matter, as a step does that deletes the person.
func (d *deed) accounts() error {
	on, ids := d.On, []string{d.On.Account}
	if on.Matter != "" {
		ids = append(ids, on.Subject)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if id == "" {
			continue
		}
		current, err := d.lockAccount(id)
		missing := errors.Is(err, storage.ErrNotFound)
		switch {
		case err != nil && !missing:
			return err
		case id != on.Account: // the person of the matter, who may be a user of the host
		case missing:
			return unmet(err)
		case current.epoch != on.Epoch, current.factors != on.FactorsVersion:
			return unmet(storage.ErrChanged)
		}
	}
	return nil
}

func (d *deed) lockAccount(id string) (versions, error) {
	return one(d.tx, scanVersions, `SELECT epoch, factors_version FROM main.accounts WHERE id = ?1 `+d.tx.store.dialect.ForUpdate, id)
}

// matter compares the matter. The lock makes who closes it go before, or wait.
func (d *deed) matter() error {
	on := d.On
	if on.Matter == "" {
		if on.Proof > storage.NoProof {
			return unmet(storage.ErrProof) // which only a matter has
		}
		return nil
	}
	proved, err := one(d.tx, scanInt, `SELECT CASE WHEN proved_until > ?4 THEN proof ELSE 0 END FROM main.matters
		WHERE id = ?1 AND staff = ?2 AND subject = ?3 AND ends_at > ?4 AND closed_at IS NULL `+d.tx.store.dialect.ForShare,
		on.Matter, on.Staff, on.Subject, micros(on.At))
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return unmet(storage.ErrEnded)
	case err != nil:
		return err
	case proved < int(on.Proof):
		return unmet(storage.ErrProof)
	}
	return nil
}

// target uses up or begins a target of a plan, whose row makes its targets be done one at a time.
func (d *deed) target() error {
	t := d.Target
	if t == (storage.TargetID{}) {
		return nil
	}
	state, done, begun := storage.TargetDone, 1, any(nil)
	if d.InParts {
		state, done, begun = storage.TargetWaiting, 0, micros(d.On.At)
	}
	err := orSpent(d.tx.exec(`UPDATE main.plans SET done = done + ?2 WHERE id = ?1 AND state = 'running'`, t.Plan, done))
	if err == nil {
		err = orSpent(d.tx.exec(`UPDATE main.plan_targets SET state = ?3, begun_at = ?4
			WHERE plan_id = ?1 AND number = ?2 AND state = 'waiting' AND coalesce(begun_at, 0) = ?5`,
			t.Plan, t.Number, string(state), begun, d.again()))
	}
	if errors.Is(err, storage.ErrSpent) {
		return unmet(err)
	}
	return err
}

// again is the mark of the attempt before, zero for none.
func (d *deed) again() int64 {
	if d.Again.IsZero() {
		return 0
	}
	return storage.UnixMicro(d.Again)
}

// madeAlone records the break.
func (d *deed) madeAlone() error {
	b := d.Break
	if b == nil {
		return nil
	}
	recorded, err := d.tx.exec(`INSERT INTO main.breaks (`+breakColumns+`)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (id) DO NOTHING`,
		b.ID, b.Staff, b.Action, b.Target, nonNil(b.Sentence), micros(b.At), flag(!d.InParts), flag(b.Told), optional(b.SignedOffBy), micros(b.SignedOffAt))
	return orTaken(recorded, err)
}

// answer records the answer. One that has expired at the time of the deed makes room, and so does
// one that was only begun, once for each time that it is read.
func (d *deed) answer() error {
	a := d.Answer
	if a == nil {
		return nil
	}
	status := a.Status
	if d.InParts {
		status = 0
	}
	recorded, err := d.tx.exec(`INSERT INTO main.answers (client, key, body, status, content, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT (client, key) DO UPDATE SET body = excluded.body, status = excluded.status, content = excluded.content,
			expires_at = excluded.expires_at
		WHERE answers.expires_at <= ?7 OR answers.status = 0 AND answers.body = excluded.body AND answers.expires_at = ?8`,
		a.Client, a.Key[:], a.Body[:], status, bytesOrNull(a.Content), micros(a.ExpiresAt), micros(d.On.At), d.again())
	return orTaken(recorded, err)
}

// organizations locks those of the changes, as every step does first that changes one. A step may
// make one, or end it.
func (d *deed) organizations() error {
	var ids []string
	for _, c := range d.Changes {
		ids = append(ids, c.OrganizationID)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if err := lockOrganization(d.tx, id); err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
	}
	return nil
}

// FinishDeed implements storage.Deeds. The row of the plan comes first, as everywhere.
func (s *Store) FinishDeed(ctx context.Context, d *storage.Deed) error {
	return s.change(ctx, "finish deed", func(tx *tx) (err error) {
		if t := d.Target; t != (storage.TargetID{}) {
			if err := orSpent(tx.exec(`UPDATE main.plans SET done = done + 1 WHERE id = ?1`, t.Plan)); err != nil {
				return err
			}
			err = orSpent(tx.exec(`UPDATE main.plan_targets SET state = 'done', begun_at = NULL
				WHERE plan_id = ?1 AND number = ?2 AND state = 'waiting' AND begun_at IS NOT NULL`, t.Plan, t.Number))
		}
		if err == nil && d.Break != nil {
			err = orSpent(tx.exec(`UPDATE main.breaks SET done = 1 WHERE id = ?1 AND done = 0`, d.Break.ID))
		}
		if a := d.Answer; err == nil && a != nil {
			err = orSpent(tx.exec(`UPDATE main.answers SET status = ?4 WHERE client = ?1 AND key = ?2 AND body = ?3 AND status = 0`,
				a.Client, a.Key[:], a.Body[:], a.Status))
		}
		return err
	})
}

// orTaken turns a record that was not made into storage.ErrConflict.
func orTaken(recorded int, err error) error {
	if err == nil && recorded == 0 {
		return unmet(storage.ErrConflict)
	}
	return err
}
