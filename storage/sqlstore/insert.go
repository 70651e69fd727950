package sqlstore

import (
	"strconv"
	"strings"
	"sync"

	"github.com/bonafide-id/bonafide/storage"
)

// Grants and tokens have many columns, of which a sign-in fills half. A statement names these, and
// writes what it can as a literal: each argument is a call into C for SQLite.

// texts are statements by their form. There are few: what a stranger sends decides only which columns
// are NULL.
type texts[F comparable] struct {
	write func(F) string
	mu    sync.RWMutex
	known map[F]string
}

func (t *texts[F]) of(form F) string {
	t.mu.RLock()
	text, known := t.known[form]
	t.mu.RUnlock()
	if known {
		return text
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	text = t.write(form)
	if t.known == nil {
		t.known = make(map[F]string)
	}
	t.known[form] = text
	return text
}

// columns is a set of the columns of a list.
type columns uint32

func (c columns) has(i int) bool { return c&(1<<i) != 0 }

// given removes those of arguments that are NULL, and returns which are left.
func given(args []any) (columns, []any) {
	var which columns
	left := args[:0]
	for i, arg := range args {
		if arg != nil {
			which |= 1 << i
			left = append(left, arg)
		}
	}
	return which, left
}

// grantForm is the form of the statement that records a grant.
type grantForm struct {
	given columns

	// based reports that the basis of the grant is a condition of the statement: that the account,
	// and the session and the decision if there are any, stand. lock has them stay as they are until
	// the end of the step (Dialect.ForShare): each is found as it is when that has been awaited.
	based, session, decision bool
	lock                     string
}

var grantTexts = &texts[grantForm]{write: grantForm.text}

// grantFields are the columns of the arguments that grantArgs makes. Client and subject are always ?3
// and ?4: what is before them is never NULL.
var grantFields = [...]string{
	"id", "flow", "client_id", "subject", "scopes", "attributes", "group_names",
	"redirect_uri", "redirect_sent", "response_type", "nonce", "eid", "claims", "resources", "sid", "code_challenge",
	"auth_time", "amr", "created_at", "expires_at", "revoked_at", "assurance", "enrolled_at",
}

// grantArgs returns the columns of a grant that are not NULL, with room for a basis.
func grantArgs(g storage.Grant) (grantForm, []any) {
	which, args := given(append(make([]any, 0, len(grantFields)+2),
		g.ID[:], g.Flow[:], g.ClientID, g.Subject, listText(g.Scopes), listText(g.Attributes), listText(g.Groups),
		g.RedirectURI, flag(g.RedirectSent), g.ResponseType, g.Nonce, g.EID, g.Claims, listText(g.Resources), g.SID, g.Challenge,
		micros(g.AuthTime), listText(g.AMR), micros(g.CreatedAt), micros(g.ExpiresAt), micros(g.RevokedAt), int64(g.Assurance), micros(g.EnrolledAt)))
	return grantForm{given: which}, args
}

func (f grantForm) text() string {
	var fields, values []string
	for i, field := range grantFields {
		if f.given.has(i) {
			fields = append(fields, field)
			values = append(values, "?"+strconv.Itoa(len(fields)))
		}
	}
	insert := `INSERT INTO main.grants (` + strings.Join(fields, ", ") + `)`
	if !f.based {
		return insert + ` VALUES (` + strings.Join(values, ", ") + `)`
	}
	condition := ` WHERE NOT EXISTS (` + disabledAccount("?4", f.lock) + `)`
	next := len(fields)
	stands := func(query string) {
		next++
		condition += ` AND EXISTS (` + query + ` = ?` + strconv.Itoa(next) + ` ` + f.lock + `)`
	}
	if f.session {
		stands(`SELECT 1 FROM main.sessions WHERE account_id = ?4 AND digest`)
	}
	if f.decision {
		stands(`SELECT 1 FROM main.consents WHERE subject = ?4 AND client_id = ?3 AND decision`)
	}
	return insert + ` SELECT ` + strings.Join(values, ", ") + condition
}

// maxTokens is the maximum number of tokens in one statement: a code, or the tokens for it.
const maxTokens = 3

// tokensForm is the form of the statement that records some tokens of one grant.
type tokensForm struct {
	siblings bool
	n        int
	rows     [maxTokens]tokenForm // the first n
}

// tokenForm is the form of a token in it.
type tokenForm struct {
	kind  storage.TokenKind
	given columns
}

var tokenTexts = &texts[tokensForm]{write: tokensForm.text}

// tokenFields are the columns of the arguments that tokenArgs makes for each token.
var tokenFields = [...]string{"digest", "parent", "scopes", "resources", "expires_at", "spent_at", "jkt", "actors"}

// tokenArgs returns what tokens of one grant and time have in common, and the columns of each that are
// not NULL.
func tokenArgs(siblings bool, tokens []storage.Token) (tokensForm, []any) {
	form := tokensForm{siblings: siblings, n: len(tokens)}
	args := append(make([]any, 0, 2+len(tokens)*len(tokenFields)), tokens[0].GrantID[:], micros(tokens[0].CreatedAt))
	for i := range tokens {
		t, begin := &tokens[i], len(args)
		which, left := given(append(args[begin:], t.Digest[:], digestOrNull(t.Parent), listText(t.Scopes), listText(t.Resources),
			micros(t.ExpiresAt), micros(t.SpentAt), digestOrNull(t.JKT), listText(t.Actors)))
		form.rows[i], args = tokenForm{t.Kind, which}, args[:begin+len(left)]
	}
	return form, args
}

func (f tokensForm) text() string {
	var named columns // by any of the tokens
	for _, row := range f.rows {
		named |= row.given
	}
	fields := []string{"grant_id", "created_at", "siblings", "kind"}
	for i, field := range tokenFields {
		if named.has(i) {
			fields = append(fields, field)
		}
	}
	var rows []string
	next := 2
	for _, row := range f.rows[:f.n] {
		values := []string{"?1", "?2", strconv.FormatInt(flag(f.siblings), 10), strconv.Itoa(int(row.kind))}
		for i := range tokenFields {
			switch {
			case row.given.has(i):
				next++
				values = append(values, "?"+strconv.Itoa(next))
			case named.has(i):
				values = append(values, "NULL")
			}
		}
		rows = append(rows, "("+strings.Join(values, ", ")+")")
	}
	return `INSERT INTO main.tokens (` + strings.Join(fields, ", ") + `) VALUES ` + strings.Join(rows, ", ")
}
