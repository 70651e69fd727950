-- What reads a table from end to end, or an index: TestPlans knows no other statement that does.

-- The organizations that have been deleted since the last round.
DELETE FROM main.changes WHERE id IN ( SELECT c.id FROM main.former_organizations f JOIN main.changes c ON c.organization_id = f.id AND c.id <= f.last_change ORDER BY f.id, c.id LIMIT ?1);
DELETE FROM main.former_organizations WHERE id IN ( SELECT f.id FROM main.former_organizations f WHERE NOT EXISTS (SELECT 1 FROM main.changes c WHERE c.organization_id = f.id AND c.id <= f.last_change) ORDER BY f.id LIMIT ?1);

-- An application that is removed, once in a while: the foreign keys look for what is left of it.
DELETE FROM main.clients WHERE id = ?1 AND version = ?2;
UPDATE main.credentials SET checked_at = 0 WHERE ended_at IS NULL AND checked_at > 0 AND client_id = ?1;

-- The registrations, when a logo is given up.
DELETE FROM main.images WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM main.clients WHERE registration LIKE ?2);

-- All of them, a batch at a time, in the order of an index.
DELETE FROM main.pushed_requests WHERE digest IN ( SELECT digest FROM main.pushed_requests ORDER BY expires_at, digest LIMIT ?1);
DELETE FROM main.tickets WHERE digest IN ( SELECT digest FROM main.tickets ORDER BY expires_at, digest LIMIT ?1);

-- One row for each import that is kept.
DELETE FROM main.roster_generations WHERE number IN ( SELECT g.number FROM main.roster_generations g WHERE g.removed = 1 AND NOT EXISTS (SELECT 1 FROM main.roster_rows r WHERE r.generation = g.number) ORDER BY g.number LIMIT ?1);
DELETE FROM main.roster_rows WHERE (generation, digest) IN ( SELECT r.generation, r.digest FROM main.roster_generations g JOIN main.roster_rows r ON r.generation = g.number WHERE g.removed = 1 ORDER BY r.generation, r.digest LIMIT ?1);
SELECT g.number FROM main.roster_generations g WHERE g.removed = 0 AND g.staged_at < ?1 AND NOT EXISTS ( SELECT 1 FROM main.rosters o WHERE o.name = g.name AND (o.generation = g.generation OR o.previous = g.generation)) ORDER BY g.number;
UPDATE main.roster_generations AS g SET removed = 1 WHERE g.removed = 0 AND g.staged_at < ?1 AND NOT EXISTS ( SELECT 1 FROM main.rosters o WHERE o.name = g.name AND (o.generation = g.generation OR o.previous = g.generation));

-- What indexes have found: the authenticators of an account, a page of batches, and those whose
-- evidence is alike.
SELECT a.id, a.email, a.email_digest, a.email_verified, a.password_hash, a.password_changed_at, a.disabled, a.epoch, a.factors_version, a.second_step, a.user_handle, a.language, a.delete_at, a.created_at, x.kind, x.id, x.secret, x.aaguid, x.name, x.place, x.transports, x.flags, x.n, x.discoverable, x.created_at, x.until, x.used_at, x.issuer, x.subject FROM main.accounts a LEFT JOIN ( SELECT 1 AS kind, id, sealed_key AS secret, aaguid, sealed_name AS name, rp_id AS place, transports, flags, sign_count AS n, discoverable, created_at, last_used_at AS until, last_used_at AS used_at, NULL AS issuer, NULL AS subject FROM main.passkeys WHERE account_id = ?1 UNION ALL SELECT 2, NULL, sealed_secret, NULL, NULL, NULL, NULL, misses, step, NULL, created_at, NULL, last_used_at, NULL, NULL FROM main.totp WHERE account_id = ?1 UNION ALL SELECT 3, NULL, sealed_salt, NULL, NULL, NULL, NULL, NULL, NULL, NULL, created_at, NULL, NULL, NULL, NULL FROM main.recovery_code_sets WHERE account_id = ?1 UNION ALL SELECT 4, digest, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM main.recovery_codes WHERE account_id = ?1 UNION ALL SELECT 5, digest, NULL, NULL, user_agent, address, NULL, NULL, NULL, NULL, created_at, expires_at, NULL, NULL, NULL FROM main.trusted_devices WHERE account_id = ?1 UNION ALL SELECT 6, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ready_at, NULL, started_at, ends_at, approved_at, NULL, NULL FROM main.recoveries WHERE account_id = ?1 AND epoch = (SELECT epoch FROM main.accounts WHERE id = ?1) UNION ALL SELECT 7, digest, NULL, NULL, sealed_name, upstream, NULL, NULL, NULL, NULL, created_at, NULL, last_used_at, issuer, sealed_subject FROM main.links WHERE account_id = ?1 ) x ON 1 = 1 WHERE a.id = ?1 ORDER BY x.kind, x.created_at, x.id;
SELECT b.batch, b.group_name, count(c.batch), CAST(coalesce(sum(c.uses), 0) AS BIGINT), CAST(coalesce(sum(c.used), 0) AS BIGINT), b.issued_by, b.issued_at, max(c.expires_at) FROM (SELECT batch, group_name, issued_by, issued_at FROM main.code_batches ORDER BY issued_at DESC, batch DESC LIMIT ?1) AS b LEFT JOIN main.verification_codes c ON c.batch = b.batch GROUP BY b.batch, b.group_name, b.issued_by, b.issued_at ORDER BY b.issued_at DESC, b.batch DESC;
SELECT b.batch, b.group_name, count(c.batch), CAST(coalesce(sum(c.uses), 0) AS BIGINT), CAST(coalesce(sum(c.used), 0) AS BIGINT), b.issued_by, b.issued_at, max(c.expires_at) FROM (SELECT batch, group_name, issued_by, issued_at FROM main.code_batches WHERE issued_at < ?1 ORDER BY issued_at DESC, batch DESC LIMIT ?2) AS b LEFT JOIN main.verification_codes c ON c.batch = b.batch GROUP BY b.batch, b.group_name, b.issued_by, b.issued_at ORDER BY b.issued_at DESC, b.batch DESC;
SELECT count(*) FROM ( SELECT case_id FROM main.evidence WHERE digest = ?2 AND case_id <> ?1 UNION SELECT case_id FROM main.evidence WHERE likeness = ?3 AND case_id <> ?1) AS alike;

-- What a report counts, once an hour.
SELECT count(*) FROM main.accounts;
SELECT count(*) FROM main.accounts WHERE disabled = 1;
SELECT count(*) FROM main.applications WHERE organization_id <> 'deleted';
SELECT count(*) FROM main.breaks WHERE signed_off_by IS NULL;
SELECT count(*) FROM main.events;
SELECT count(*) FROM main.grants;
SELECT count(*) FROM main.organizations WHERE id <> 'deleted';
SELECT count(*) FROM main.sessions;

-- The oldest clients of a host, which an index has found: a bounded number.
SELECT count(*), CAST(coalesce(sum(CASE c.origin WHEN 'document' THEN 1 ELSE 0 END), 0) AS BIGINT), min(o.listed_at) FROM (SELECT client_id, listed_at FROM main.client_hosts WHERE host = ?1 AND listed_at IS NOT NULL ORDER BY listed_at, client_id LIMIT ?2) AS o JOIN main.clients c ON c.id = o.client_id;
SELECT count(DISTINCT u.subject), max(u.at) FROM ( SELECT k.subject, coalesce(k.last_used_at, k.decided_at) AS at FROM (SELECT client_id, listed_at FROM main.client_hosts WHERE host = ?1 AND listed_at IS NOT NULL ORDER BY listed_at, client_id LIMIT ?2) AS o JOIN main.consents k ON k.client_id = o.client_id WHERE k.decided_at IS NOT NULL LIMIT ?3 ) AS u;

-- An index of nothing else.
SELECT id, subject, client_id, grant_id, group_name, list, place, status_revision, content, notification, issued_at, expires_at, checked_at, accepted_at, ended_at, ended_by, CASE WHEN EXISTS (SELECT 1 FROM main.accounts a WHERE a.id = c.subject AND (a.disabled <> 0 OR a.delete_at IS NOT NULL)) THEN 'account' WHEN NOT EXISTS (SELECT 1 FROM main.grants g WHERE g.id = c.grant_id AND g.revoked_at IS NULL) THEN 'grant' ELSE '' END FROM main.credentials c WHERE c.id IN ( SELECT id FROM main.credentials WHERE ended_at IS NULL AND (status_revision = 0 OR checked_at <= 0) AND checked_at < ?2 UNION ALL SELECT k.id FROM main.grants g CROSS JOIN main.credentials k WHERE g.kept_until IS NOT NULL AND g.revoked_at IS NOT NULL AND k.grant_id = g.id AND k.ended_at IS NULL) AND c.id > ?3 AND c.ended_at IS NULL AND c.expires_at > ?1 ORDER BY c.id LIMIT ?4;
SELECT environment, client_id, organization_id, name, kind, review, CAST(NULL AS TEXT), picture_bytes, halt, deleting, created_by, created_at, updated_at, version FROM main.applications WHERE deleting = 1 ORDER BY sort_name, client_id, environment LIMIT ?1;
SELECT environment, client_id, organization_id, name, kind, review, CAST(NULL AS TEXT), picture_bytes, halt, deleting, created_by, created_at, updated_at, version FROM main.applications WHERE halt IN ('asked', 'begun', 'over', 'alone') ORDER BY sort_name, client_id, environment LIMIT ?1;

-- An index of names in their order, until the page is full: for the operator, and for a part of a
-- name there is no other way. That of the queue has nothing else.
SELECT environment, client_id, organization_id, name, kind, review, CAST(NULL AS TEXT), picture_bytes, halt, deleting, created_by, created_at, updated_at, version FROM main.applications WHERE organization_id <> 'deleted' AND (sort_name LIKE ?2 ESCAPE '\' OR client_id = ?1) ORDER BY sort_name, client_id, environment LIMIT ?3;
SELECT environment, client_id, organization_id, name, kind, review, CAST(NULL AS TEXT), picture_bytes, halt, deleting, created_by, created_at, updated_at, version FROM main.applications WHERE organization_id <> 'deleted' AND organization_id IN (SELECT o.id FROM main.organizations o WHERE o.abandoned = 1 AND NOT EXISTS (SELECT 1 FROM main.members m WHERE m.organization_id = o.id AND m.role = 'owner')) ORDER BY sort_name, client_id, environment LIMIT ?1;
SELECT environment, client_id, organization_id, name, kind, review, CAST(NULL AS TEXT), picture_bytes, halt, deleting, created_by, created_at, updated_at, version FROM main.applications WHERE organization_id <> 'deleted' AND organization_id IN (SELECT o.id FROM main.organizations o WHERE o.stopped_at IS NOT NULL) ORDER BY sort_name, client_id, environment LIMIT ?1;
SELECT environment, client_id, organization_id, name, kind, review, CAST(NULL AS TEXT), picture_bytes, halt, deleting, created_by, created_at, updated_at, version FROM main.applications WHERE organization_id <> 'deleted' AND review = ?1 ORDER BY sort_name, client_id, environment LIMIT ?2;
SELECT environment, client_id, organization_id, name, kind, review, CAST(NULL AS TEXT), picture_bytes, halt, deleting, created_by, created_at, updated_at, version FROM main.applications WHERE organization_id <> 'deleted' ORDER BY sort_name, client_id, environment LIMIT ?1;
SELECT environment, client_id, organization_id, name, kind, review, CAST(NULL AS TEXT), picture_bytes, halt, deleting, created_by, created_at, updated_at, version FROM main.applications WHERE review = 'asked' ORDER BY sort_name, client_id, environment LIMIT ?1;

-- A handful of rows.
SELECT generation, alg, id, sealed, created_at, use_from FROM main.keys ORDER BY generation;

-- From the earliest plan on, until the first that is over, and from the latest on.
SELECT id FROM main.plans WHERE ended_at < ?1 OR state = 'proposed' AND expires_at < ?1 ORDER BY id LIMIT 1;
SELECT id, action, kind, reason, content, digest, state, proposed_by, decided_by, proposed_as, decided_as, proposed_at, decided_at, expires_at, not_before, ended_at, targets, done, skipped FROM main.plans ORDER BY id DESC LIMIT ?1;
SELECT id, action, kind, reason, content, digest, state, proposed_by, decided_by, proposed_as, decided_as, proposed_at, decided_at, expires_at, not_before, ended_at, targets, done, skipped FROM main.plans WHERE proposed_by = ?1 ORDER BY id DESC LIMIT ?2;

-- From the latest on, until the page is full.
SELECT id, at, name, coalesce((SELECT d.pseudonym FROM main.departed d WHERE d.subject = events.subject), subject), client_id, CASE WHEN EXISTS (SELECT 1 FROM main.departed d WHERE d.subject = events.subject) THEN '' ELSE address END, detail, actor, matter FROM main.events ORDER BY id DESC LIMIT ?1;

-- From the latest on, of which those that are open have an index of nothing else.
SELECT id, staff, action, target, sealed_sentence, at, done, told, signed_off_by, signed_off_at FROM main.breaks ORDER BY id DESC LIMIT ?1;
SELECT id, staff, action, target, sealed_sentence, at, done, told, signed_off_by, signed_off_at FROM main.breaks WHERE signed_off_by IS NULL ORDER BY id DESC LIMIT ?1;
SELECT id, staff, role, subject, reason, ticket, sealed_note, opened_at, ends_at, closed_at, proof, proved_until, withheld_until FROM main.matters ORDER BY id DESC LIMIT ?1;
SELECT id, subject, group_name, state, version, status_revision, renewal, appeals, method, round, escalated, taken_by, taken_until, created_at, due_at, next_at, ended_at, content FROM main.cases c ORDER BY c.id DESC LIMIT ?1;

-- The clock of a sandbox, which moves once in a while.
SELECT s.digest, s.account_id, s.auth_time, s.amr, s.factors, s.user_agent, s.address, s.created_at, s.last_seen_at, s.expires_at, s.idle_until FROM main.sessions s WHERE substr(s.account_id, 1, ?2) = ?1 AND s.factors IS NOT NULL ORDER BY s.digest;
UPDATE main.accounts SET password_changed_at = password_changed_at - ?1, created_at = created_at - ?1, delete_at = delete_at - ?1 WHERE substr(id, 1, ?3) = ?2;
UPDATE main.case_decisions SET at = at - ?1 WHERE case_id IN (SELECT id FROM main.cases WHERE substr(subject, 1, ?3) = ?2);
UPDATE main.cases SET version = version + 1, status_revision = CASE WHEN status_revision = 0 THEN 0 ELSE status_revision + 1 END, taken_until = taken_until - ?1, created_at = created_at - ?1, due_at = due_at - ?1, next_at = next_at - ?1, ended_at = ended_at - ?1 WHERE substr(subject, 1, ?3) = ?2;
UPDATE main.links SET created_at = created_at - ?1, last_used_at = last_used_at - ?1 WHERE substr(account_id, 1, ?3) = ?2;
UPDATE main.passkeys SET created_at = created_at - ?1, last_used_at = last_used_at - ?1 WHERE substr(account_id, 1, ?3) = ?2;
UPDATE main.recoveries SET started_at = started_at - ?1, ready_at = ready_at - ?1, ends_at = ends_at - ?1, approved_at = approved_at - ?1 WHERE substr(account_id, 1, ?3) = ?2;
UPDATE main.recovery_code_sets SET created_at = created_at - ?1 WHERE substr(account_id, 1, ?3) = ?2;
UPDATE main.sessions SET auth_time = auth_time - ?1, created_at = created_at - ?1, last_seen_at = last_seen_at - ?1, expires_at = expires_at - ?1, idle_until = idle_until - ?1 WHERE substr(account_id, 1, ?3) = ?2;
UPDATE main.statuses SET revision = revision + 1, ended_told = CASE WHEN expires_at - ?1 > expires_at THEN 0 ELSE ended_told END, verified_at = verified_at - ?1, expires_at = expires_at - ?1 WHERE substr(subject, 1, ?3) = ?2;
UPDATE main.tokens SET created_at = created_at - ?1, expires_at = expires_at - ?1, spent_at = spent_at - ?1 WHERE grant_id IN (SELECT id FROM main.grants WHERE client_id IN (?2));
UPDATE main.tokens SET created_at = created_at - ?1, expires_at = expires_at - ?1, spent_at = spent_at - ?1 WHERE grant_id IN (SELECT id FROM main.grants WHERE client_id IN (?2, ?3, ?4));
UPDATE main.totp SET created_at = created_at - ?1, last_used_at = last_used_at - ?1 WHERE substr(account_id, 1, ?3) = ?2;
UPDATE main.trusted_devices SET created_at = created_at - ?1, expires_at = expires_at - ?1 WHERE substr(account_id, 1, ?3) = ?2;

-- Two hundred rows that an index has found.
UPDATE main.client_sessions SET next_at = ?2, attempts = attempts + 1 WHERE session IS NULL AND next_at <= ?1 AND id IN ( SELECT id FROM ( SELECT id, next_at, row_number() OVER (PARTITION BY client_id ORDER BY next_at, id) AS place FROM ( SELECT id, client_id, next_at FROM main.client_sessions WHERE session IS NULL AND next_at <= ?1 ORDER BY next_at, id LIMIT ?3) AS due ) AS placed WHERE place <= ?4 ORDER BY next_at, id LIMIT ?5) RETURNING id, client_id, subject, sid, created_at, attempts;
UPDATE main.client_sessions SET next_at = ?3, attempts = attempts + 1 WHERE session IS NULL AND next_at <= ?1 AND id IN ( SELECT id FROM ( SELECT id, next_at, row_number() OVER (PARTITION BY client_id ORDER BY next_at, id) AS place FROM ( SELECT id, client_id, next_at FROM main.client_sessions WHERE session IS NULL AND next_at <= ?1 AND client_id NOT IN (?2) ORDER BY next_at, id LIMIT ?4) AS due ) AS placed WHERE place <= ?5 ORDER BY next_at, id LIMIT ?6) RETURNING id, client_id, subject, sid, created_at, attempts;
UPDATE main.credentials SET issued_at = issued_at - ?1, expires_at = expires_at - ?1, checked_at = checked_at - ?1, accepted_at = accepted_at - ?1, ended_at = ended_at - ?1 WHERE client_id IN (?2);
UPDATE main.credentials SET issued_at = issued_at - ?1, expires_at = expires_at - ?1, checked_at = checked_at - ?1, accepted_at = accepted_at - ?1, ended_at = ended_at - ?1 WHERE client_id IN (?2, ?3, ?4);
UPDATE main.credentials SET status_revision = status_revision + 1 WHERE status_revision <> 0 AND substr(subject, 1, ?2) = ?1;
UPDATE main.email_returns SET expires_at = expires_at - ?1, changed_at = changed_at - ?1 WHERE substr(account_id, 1, ?3) = ?2;
UPDATE main.evidence SET added_at = added_at - ?1, shred_at = shred_at - ?1, shredded_at = shredded_at - ?1, held_until = held_until - ?1 WHERE case_id IN (SELECT id FROM main.cases WHERE substr(subject, 1, ?3) = ?2);
UPDATE main.fingerprints SET free_at = free_at - ?1 WHERE substr(subject, 1, ?3) = ?2;
UPDATE main.former_recipients SET since = since - ?1, until = until - ?1 WHERE client_id IN (?2);
UPDATE main.former_recipients SET since = since - ?1, until = until - ?1 WHERE client_id IN (?2, ?3, ?4);
UPDATE main.grants SET auth_time = auth_time - ?1, created_at = created_at - ?1, expires_at = expires_at - ?1, revoked_at = revoked_at - ?1, kept_until = kept_until - ?1 WHERE client_id IN (?2);
UPDATE main.grants SET auth_time = auth_time - ?1, created_at = created_at - ?1, expires_at = expires_at - ?1, revoked_at = revoked_at - ?1, kept_until = kept_until - ?1 WHERE client_id IN (?2, ?3, ?4);

-- The organizations that are stopped, by an index of nothing else.
UPDATE main.organizations SET stopped_by = ?2 WHERE stopped_by = ?1 AND stopped_at IS NOT NULL;

-- The latest blocks, and the blocks in which there is a common name: a row for thousands of
-- events.
SELECT number, first, last, lines, from_at, until_at, sealed_at, names, root, edge, checkpoint, CASE WHEN last <= (SELECT swept FROM main.event_log WHERE one = 1) THEN 1 ELSE 0 END FROM main.event_blocks ORDER BY number DESC LIMIT 1;
SELECT number, first, last, lines, from_at, until_at, sealed_at, names, root, edge, checkpoint, CASE WHEN last <= (SELECT swept FROM main.event_log WHERE one = 1) THEN 1 ELSE 0 END FROM main.event_blocks ORDER BY number DESC LIMIT ?1;
SELECT first, last FROM main.event_blocks WHERE first < ?1 AND last > (SELECT swept FROM main.event_log WHERE one = 1) AND (names LIKE ?2) ORDER BY number DESC LIMIT ?3;
SELECT first, last FROM main.event_blocks WHERE first < ?1 AND last > (SELECT swept FROM main.event_log WHERE one = 1) AND (names LIKE ?2 OR names LIKE ?3) ORDER BY number DESC LIMIT ?4;

-- Those that wait, of which an index has nothing else, up to a limit.
SELECT count(*) FROM ( SELECT 1 FROM main.client_sessions WHERE session IS NULL AND next_at IS NOT NULL LIMIT ?1) AS waiting;
