package sqlstore

import (
	"context"
	"errors"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

const applicationColumns = `environment, client_id, organization_id, name, kind, review, document, picture_bytes,
	halt, deleting, created_by, created_at, updated_at, version`

// listedColumns leave out the document, of which a list could hold many megabytes.
var listedColumns = strings.Replace(applicationColumns, "document", "CAST(NULL AS TEXT)", 1)

// CreateApplication implements storage.Applications.
func (s *Store) CreateApplication(ctx context.Context, a storage.Application, most int) error {
	return s.change(ctx, "create application", func(tx *tx) error {
		if err := lockRunning(tx, a.OrganizationID); err != nil {
			return err
		}
		return createApplication(tx, a, most)
	})
}

// createApplication creates an application of an organization that is locked.
func createApplication(tx *tx, a storage.Application, most int) error {
	has, err := one(tx, scanInt, `SELECT count(*) FROM main.applications
		WHERE organization_id = ?1 AND environment = ?2`, a.OrganizationID, a.Environment)
	if err != nil {
		return err
	}
	if has >= most {
		return storage.ErrLimit
	}
	_, err = tx.exec(`INSERT INTO main.applications (`+applicationColumns+`, sort_name)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, '', 0, ?9, ?10, ?11, ?12, ?13)`,
		a.Environment, a.ClientID, a.OrganizationID, a.Name, a.Kind, a.Review, textOrNull(a.Document), a.PictureBytes,
		a.CreatedBy, micros(a.CreatedAt), micros(a.UpdatedAt), newVersion(), sortName(a.Name))
	return err
}

// Application implements storage.Applications.
func (s *Store) Application(ctx context.Context, environment, clientID string) (storage.Application, error) {
	return read(ctx, s, "read application", func(tx *tx) (storage.Application, error) {
		return one(tx, scanApplication, `SELECT `+applicationColumns+` FROM main.applications
			WHERE environment = ?1 AND client_id = ?2`, environment, clientID)
	})
}

// Applications implements storage.Applications.
func (s *Store) Applications(ctx context.Context, match storage.ApplicationFilter) ([]storage.Application, error) {
	var filter where
	filter.andApplications(match)
	query := `SELECT ` + listedColumns + ` FROM main.applications` + filter.String() +
		` ORDER BY sort_name, client_id, environment LIMIT ` + filter.param(page(match.Limit))
	return read(ctx, s, "list applications", func(tx *tx) ([]storage.Application, error) {
		return all(tx, scanApplication, query, filter.args...)
	})
}

// andApplications adds the conditions of a filter of applications. One that is the
// condition of an index stands in the query as in the index: of a parameter no database
// knows that it is the same.
func (w *where) andApplications(match storage.ApplicationFilter) {
	if match.OrganizationID != "" {
		w.and("organization_id = ?", match.OrganizationID)
	} else if match.Review != storage.ReviewAsked && !match.Halting && !match.Deleting {
		w.conditions = append(w.conditions, "organization_id <> '"+deletedOrganization+"'")
	}
	if match.Environment != "" {
		w.and("environment = ?", match.Environment)
	}
	switch match.Review {
	case storage.ReviewNone:
	case storage.ReviewAsked:
		w.conditions = append(w.conditions, "review = 'asked'")
	default:
		w.and("review = ?", match.Review)
	}
	if match.Halting {
		w.conditions = append(w.conditions, "halt IN ('asked', 'begun', 'over', 'alone')")
	}
	if match.Deleting {
		w.conditions = append(w.conditions, "deleting = 1")
	}
	if match.Stopped {
		w.conditions = append(w.conditions, "organization_id IN (SELECT o.id FROM main.organizations o WHERE o.stopped_at IS NOT NULL)")
	}
	if match.Ownerless {
		w.conditions = append(w.conditions, "organization_id IN (SELECT o.id FROM main.organizations o WHERE "+ownerless+")")
	}
	if match.Search != "" {
		w.andSearch(match.Search)
	}
	if match.After != "" {
		after := w.param(sortName(match.AfterName)) + ", " + w.param(match.After)
		if match.Environment == "" {
			w.conditions = append(w.conditions, "(sort_name, client_id, environment) > ("+after+", "+w.param(match.AfterEnvironment)+")")
		} else {
			w.conditions = append(w.conditions, "(sort_name, client_id) > ("+after+")")
		}
	}
}

// maxSearch limits a search for a part of a name, in bytes. SQLite refuses far longer
// patterns.
const maxSearch = 200

var likeEscaper = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func (w *where) andSearch(search string) {
	whole := "client_id = " + w.param(search)
	if len(search) <= maxSearch {
		part := w.param("%" + likeEscaper.Replace(sortName(search)) + "%")
		whole = "(sort_name LIKE " + part + ` ESCAPE '\' OR ` + whole + ")"
	}
	w.conditions = append(w.conditions, whole)
}

// SaveApplication implements storage.Applications.
func (s *Store) SaveApplication(ctx context.Context, a storage.Application, mostPictureBytes ...int64) error {
	return s.change(ctx, "save application", func(tx *tx) error {
		for _, most := range mostPictureBytes {
			return saveWithin(tx, a, most)
		}
		return saveApplication(tx, a)
	})
}

func saveWithin(tx *tx, a storage.Application, mostPictureBytes int64) error {
	err := lockOrganization(tx, a.OrganizationID)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.ErrChanged // and the application is gone with it
	}
	if err != nil {
		return err
	}
	before, err := one(tx, scanInt, `SELECT picture_bytes FROM main.applications
		WHERE environment = ?1 AND client_id = ?2`, a.Environment, a.ClientID)
	if errors.Is(err, storage.ErrNotFound) {
		return storage.ErrChanged
	}
	if err != nil {
		return err
	}
	if err := saveApplication(tx, a); err != nil || a.PictureBytes <= int64(before) {
		return err
	}
	all, err := one(tx, scanInt, `SELECT CAST(sum(picture_bytes) AS BIGINT) FROM main.applications
		WHERE organization_id = ?1`, a.OrganizationID)
	if err == nil && int64(all) > mostPictureBytes {
		return storage.ErrLimit
	}
	return err
}

// DecideApplication implements storage.Applications.
func (s *Store) DecideApplication(ctx context.Context, a storage.Application, userID string) error {
	return s.change(ctx, "decide about application", func(tx *tx) error {
		// With the lock nobody becomes a member before the decision is made.
		organization, err := one(tx, scanString, `SELECT organization_id FROM main.applications
			WHERE environment = ?1 AND client_id = ?2`, a.Environment, a.ClientID)
		if err == nil {
			err = lockRunning(tx, organization)
		}
		if errors.Is(err, storage.ErrNotFound) {
			return storage.ErrChanged // it is gone
		}
		if err != nil {
			return err
		}
		_, err = member(tx, organization, userID)
		switch {
		case err == nil:
			return storage.ErrConflict
		case !errors.Is(err, storage.ErrNotFound):
			return err
		}
		return saveApplication(tx, a)
	})
}

// saveApplication replaces the application with a version. One of production that is refused is
// stopped: its registration follows.
func saveApplication(tx *tx, a storage.Application) error {
	saved, err := tx.exec(`UPDATE main.applications SET name = ?4, sort_name = ?5, kind = ?6, review = ?7, document = ?8,
			picture_bytes = ?9, created_by = ?10, created_at = ?11, updated_at = ?12, version = ?13,
			halt = CASE WHEN environment <> 'production' THEN halt
				WHEN ?7 = 'refused' AND halt IN ('', 'over') THEN 'alone'
				WHEN ?7 <> 'refused' AND (halt = 'alone' OR halt = '' AND review = 'refused') THEN 'over'
				ELSE halt END
		WHERE environment = ?1 AND client_id = ?2 AND version = ?3 AND deleting = 0`,
		a.Environment, a.ClientID, a.Version, a.Name, sortName(a.Name), a.Kind, a.Review, textOrNull(a.Document),
		a.PictureBytes, a.CreatedBy, micros(a.CreatedAt), micros(a.UpdatedAt), newVersion())
	if err == nil && saved == 0 {
		return storage.ErrChanged
	}
	return err
}

// DeleteApplication implements storage.Applications.
func (s *Store) DeleteApplication(ctx context.Context, environment, clientID string) error {
	return s.change(ctx, "delete application", func(tx *tx) error {
		if _, err := tx.exec(`INSERT INTO main.organizations (id, name, created_at, version)
			VALUES ('` + deletedOrganization + `', '', 0, 0) ON CONFLICT (id) DO NOTHING`); err != nil {
			return err
		}
		_, err := tx.exec(`UPDATE main.applications SET organization_id = '`+deletedOrganization+`', client_id = '`+deletedClient+`' || number,
				name = '', sort_name = '', kind = '', review = '', document = NULL, picture_bytes = 0, created_by = '', halt = '', deleting = 0, fault = ''
			WHERE environment = ?1 AND client_id = ?2`, environment, clientID)
		return err
	})
}

// A deleted application leaves a row that its log entries refer to, until Trim has
// removed them. It belongs to an organization without members, and no client has its name:
// a client_id has no space.
const (
	deletedOrganization = "deleted"
	deletedClient       = "deleted "
)

// sortName is the form of a name for sorting and searching.
func sortName(name string) string { return strings.ToLower(name) }

func scanApplication(row scanner) (a storage.Application, err error) {
	err = row.Scan(&a.Environment, &a.ClientID, &a.OrganizationID, &a.Name, &a.Kind, &a.Review, &a.Document, &a.PictureBytes,
		&a.Halt, &a.Deleting, &a.CreatedBy, (*instant)(&a.CreatedAt), (*instant)(&a.UpdatedAt), &a.Version)
	return a, err
}
