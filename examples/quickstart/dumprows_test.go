package main

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage/storagetest"
)

// others are rows of which the demonstration has none. Nobody looks at them but a migration: what is
// encrypted in them is no such thing.
var others = []struct{ into, row string }{
	{`tickets (digest, purpose, subject, payload, expires_at)`, `SELECT $digest, 'reset', 'somebody', $id, $now + $years`},
	{`former_recipients (subject, client_id, client_name, redirect_hosts, attributes, group_names, since, until)`, `SELECT 'somebody', 'gone', 'Gone', '["gone.example"]', '["fname"]', '["student"]', 1, 2`},
	{`invitations (token, organization_id, role, email, invited_by, created_at, expires_at, appoints)`, `SELECT $digest, $organization, 'viewer', $id, 'somebody', $now, $now + $years, 0`},
	{`barred (token, user_id)`, `SELECT $digest, 'somebody'`},
	{`changes (organization_id, at, user_id, environment, client_id, what, fields)`, `SELECT $organization, $now, 'somebody', 'production', 'gone', 'application', '["name"]'`},
	{`request_log (application, at, event, outcome, error, cause, details, request_id, pseudonym, address, requests, flow)`, `SELECT $application, $now, 'authorize', 'refused', 'invalid_scope', '', '{}', 'request', 'pseudonym', '192.0.2.0/24', 1, ''`},
	{`log_days (application, day, event, outcome, error, lines)`, `SELECT $application, 20000, 'token', 'refused', 'invalid_grant', 3`},
	{`sandbox_mails (organization_id, at, content)`, `SELECT $organization, $now, $id`},
	{`client_sessions (id, client_id, subject, sid, created_at)`, `SELECT $digest, $client, 'somebody', 'sid', $now`},
	{`pushed_requests (digest, client_id, payload, expires_at)`, `SELECT $digest, $client, $id, $now + $years`},
	{`former_organizations (id, last_change)`, `SELECT 'gone', 7`},
	{`email_returns (account_id, epoch, expires_at, changed_at)`, `SELECT $account, 1000, $now + $years, $now`},
	{`left_references (id, group_name, method, sealed_reference, left_at, next_at)`, `SELECT 'left', 'student', 'office', $id, $now, $now + $years`},
	{`fingerprints (group_name, kind, digest, subject, case_id)`, `SELECT 'student', 'email', $digest, 'somebody', 'case'`},
	{`evidence_leftovers (id)`, `SELECT 'left'`},
	{`rosters (name, generation, previous, imported_at, imported_by)`, `SELECT 'members', 2, 1, $now, 'staff:oleg'`},
	{`roster_generations (name, generation, row_count, skipped, staged_at, used, removed)`, `SELECT 'members', 2, 1, 0, $now, 1, 0`},
	{`roster_rows (generation, digest, content)`, `SELECT (SELECT max(number) FROM roster_generations), $digest, $id`},
	{`code_batches (batch, group_name, issued_by, issued_at)`, `SELECT 'spring', 'student', 'staff:oleg', $now`},
	{`verification_codes (digest, batch, group_name, uses, used, issued_by, issued_at, expires_at)`, `SELECT $digest, 'spring', 'student', 5, 1, 'staff:oleg', $now, $now + $years`},
	{`code_uses (digest, subject)`, `SELECT $digest, 'somebody'`},
	{`trusted_devices (digest, account_id, user_agent, address, created_at, expires_at)`, `SELECT $digest, $account, 'Firefox', '192.0.2.0/24', $now, $now + $years`},
	{`recoveries (account_id, epoch, started_at, ready_at, ends_at)`, `SELECT $account, 1000, $now, $now + $years, $now + $years + 1`},
	{`event_erasures (event_id, subject_mac, address_mac)`, `SELECT 900000000000000000, $digest, $digest`},
	{`caller_codes (account_id, proof, digest, expires_at, tries)`, `SELECT $account, 1, $digest, $now + $years, 0`},
	{`links (digest, account_id, upstream, issuer, sealed_subject, sealed_name, created_at)`, `SELECT $digest, $account, 'campus', 'https://campus.example', 'subject', 'name', $now`},
	{`departed (subject, pseudonym)`, `SELECT 'departed', 'pseudonym'`},
	{`device_codes (digest, user_code, client_id, address, state, created_at, expires_at)`, `SELECT $digest, $other, $client, '192.0.2.0/24', 1, $now, $now + $years`},
	{`registration_tokens (digest, organization_id, environment, name, remaining, made_by, created_at, expires_at)`, `SELECT $digest, $organization, 'sandbox', 'for a program', 3, 'somebody', $now, $now + $years`},
	{`marks (reader, turn, id, holder, held_until)`, `SELECT 'somebody', 0, 0, '', 0`},
	{`receivers (id, client_id, kind, state, sealed_record, created_at, revision)`, `SELECT 'hook', $client, 'webhook', 'disabled', $id, $now, 1`},
	{`deliveries (receiver_id, number, message_id, name, lane, sealed_body, state, at, ended_at, expires_at)`, `SELECT 'hook', 1, 'message', 'ping', 0, $id, 'done', $now, $now, $now + $years`},
	{`reviewers (id)`, `SELECT 'staff:olga'`},
	{`case_references (method, is_message, reference, case_id)`, `SELECT 'office', 0, 'reference', $case`},
	{`credential_lists (number, opened_at)`, `SELECT 1, $now`},
	{`credentials (id, subject, client_id, group_name, list, place, status_revision, content, notification, issued_at, expires_at, checked_at)`, `SELECT 'credential', 'somebody', 'gone', 'student', 1, 0, 1, $digest, $digest, $now, $now + $years, $now`},
	{`case_decisions (id, case_id, kind, reviewer, round, at, undone)`, `SELECT 'decision', $case, 'refuse', 'staff:olga', 1, $now, 0`},
}

// parents are rows that others belong to.
var parents = strings.NewReplacer("$years", "900000000000000", "$account", "(SELECT max(id) FROM accounts)", "$client", "(SELECT min(id) FROM clients)",
	"$organization", "(SELECT min(id) FROM organizations)", "$application", "(SELECT min(number) FROM applications)", "$case", "(SELECT min(id) FROM cases)")

// fill inserts what a database has no row of.
func fill(t *testing.T, rows storagetest.Rows, db *sql.DB) {
	t.Helper()
	there := rowsOf(t, db)
	for _, o := range others {
		table, _, _ := strings.Cut(o.into, " ")
		if there[table] == 0 {
			rows.Insert(t, db, time.Now(), 1, o.into, parents.Replace(o.row))
		}
	}
}
