package sqlstore

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

// sealedColumn is a column of values under data keys. Key is the primary key of its table, and
// before comes before all keys.
type sealedColumn struct {
	table, column, key string
	before             []any
}

// firstText, firstBytes and firstNumber come before all keys of one column.
var firstText, firstBytes, firstNumber = []any{""}, []any{[]byte{}}, []any{int64(0)}

// sealedColumns are all that have values under data keys.
var sealedColumns = []sealedColumn{
	{"accounts", "email", "id", firstText},
	{"attributes", "sealed_value", "subject, handle", []any{"", ""}},
	{"statuses", "sealed_reason", "subject, group_name", []any{"", ""}},
	{"passkeys", "sealed_name", "id", firstBytes},
	{"passkeys", "sealed_key", "id", firstBytes},
	{"totp", "sealed_secret", "account_id", firstText},
	{"recovery_code_sets", "sealed_salt", "account_id", firstText},
	{"links", "sealed_subject", "digest", firstBytes},
	{"links", "sealed_name", "digest", firstBytes},
	{"organizations", "sealed_contact", "id", firstText},
	{"invitations", "email", "token", firstBytes},
	{"sandbox_mails", "content", "id", firstNumber},
	{"cases", "content", "id", firstText},
	{"case_decisions", "content", "id", firstText},
	{"left_references", "sealed_reference", "id", firstText},
	{"evidence", "sealed_key", "id", firstText},
	{"roster_rows", "content", "generation, digest", []any{int64(0), []byte{}}},
	{"matters", "sealed_note", "id", firstText},
	{"plans", "content", "id", firstText},
	{"breaks", "sealed_sentence", "id", firstText},
	{"answers", "content", "client, key", []any{"", []byte{}}},
	{"receivers", "sealed_record", "id", firstText},
	{"deliveries", "sealed_body", "receiver_id, number", []any{"", int64(math.MinInt64)}},
}

func (c sealedColumn) name() string { return c.table + "." + c.column }

// parameters are those of a key, from a number on.
func (c sealedColumn) parameters(from int) string {
	all := make([]string, len(c.before))
	for i := range all {
		all[i] = fmt.Sprint("?", from+i)
	}
	return strings.Join(all, ", ")
}

// sealedRow is the key of a row. Text tells the types of a column apart.
type sealedRow struct {
	key  []any
	text bool
}

// String names the row in an error.
func (r sealedRow) String() string {
	parts := make([]string, len(r.key))
	for i, part := range r.key {
		parts[i] = fmt.Sprint(part)
		if digest, is := part.([]byte); is {
			parts[i] = hex.EncodeToString(digest)
		}
	}
	return fmt.Sprint(parts)
}

// SealedValues implements storage.SealedValues.
func (s *Store) SealedValues(ctx context.Context, after storage.SealedValue, limit int) ([]storage.SealedValue, error) {
	for _, c := range sealedColumns {
		from := c.before
		switch after.Column {
		case "":
		case c.name():
			from, after = after.Row.(sealedRow).key, storage.SealedValue{}
		default:
			continue
		}
		found, err := read(ctx, s, "read sealed values", func(tx *tx) ([]storage.SealedValue, error) {
			n := len(from)
			return all(tx, c.scan, fmt.Sprintf(`SELECT %s, %s FROM main.%s WHERE (%[1]s) > (%[4]s) AND %[2]s IS NOT NULL ORDER BY %[1]s LIMIT ?%[5]d`,
				c.key, c.column, c.table, c.parameters(1), n+1), append(from[:n:n], limit)...)
		})
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

func (c sealedColumn) scan(row scanner) (storage.SealedValue, error) {
	v, key := storage.SealedValue{Column: c.name()}, make([]any, len(c.before))
	var value any
	into := make([]any, 0, len(key)+1)
	for i := range key {
		into = append(into, &key[i])
	}
	if err := row.Scan(append(into, &value)...); err != nil {
		return v, err
	}
	text, isText := value.(string)
	if v.Value = []byte(text); !isText {
		v.Value, _ = value.([]byte)
	}
	v.Row = sealedRow{key, isText}
	return v, nil
}

// ReplaceSealed implements storage.SealedValues.
func (s *Store) ReplaceSealed(ctx context.Context, values []storage.Resealed) (int, error) {
	return write(ctx, s, "replace sealed values", func(tx *tx) (replaced int, err error) {
		for _, v := range values {
			for _, c := range sealedColumns {
				if c.name() != v.Column {
					continue
				}
				n, err := tx.exec(fmt.Sprintf(`UPDATE main.%s SET %s = ?1 WHERE %[2]s = ?2 AND (%s) = (%s)`, c.table, c.column, c.key, c.parameters(3)), arguments(v)...)
				if err != nil {
					return 0, err
				}
				replaced += n
			}
		}
		return replaced, nil
	})
}

// arguments are the new value, the one that was read, and the key of its row.
func arguments(v storage.Resealed) []any {
	row := v.Row.(sealedRow)
	if row.text {
		return append([]any{string(v.New), string(v.Value)}, row.key...)
	}
	return append([]any{v.New, v.Value}, row.key...)
}
