package main

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
)

// found returns the ID of maria, as a command says it.
func (o operated) found() string {
	o.t.Helper()
	o.typed = " Maria@Example.com\n"
	return strings.TrimSpace(o.must("-find", "-"))
}

// lines are the events that -events prints with these options.
func (o operated) lines(options ...string) (events []provider.RecordedEvent) {
	o.t.Helper()
	for line := range strings.Lines(o.must(append([]string{"-events", "-json"}, options...)...)) {
		var e provider.RecordedEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			o.t.Fatalf("%q: %v", line, err)
		}
		events = append(events, e)
	}
	return events
}

func namesOf(events []provider.RecordedEvent) (names []string) {
	for _, e := range events {
		names = append(names, e.Name)
	}
	return names
}

// Somebody calls: found by address, locked beside the running service, looked at, unlocked. All
// of it is in the audit log under the command's name, in a matter, and the owner is mailed.
func TestPeopleAreLookedAfterByCommand(t *testing.T) {
	o := operate(t)
	s := o.start()
	id := o.found()
	token := o.token()
	if !o.accepts(token) {
		t.Fatal("the token is not good to begin with")
	}
	if said := o.must("-lock", id, "-reason", "incident"); !strings.Contains(said, id+": locked\n") || !strings.Contains(said, "maria@example.com") {
		t.Errorf("it says %q, with no mail to the owner", said)
	}
	if canSignIn(t, s.cfg.BaseURL, "maria@example.com", mariaPassword) {
		t.Error("who is locked can sign in")
	}
	if said := o.must("-lock", id, "-reason", "incident"); said != id+": is locked already\n" {
		t.Errorf("again, it says %q", said)
	}
	said := o.must("-person", id, "-reason", "caller")
	if !strings.Contains(said, "m•••@e•••.com") || !strings.Contains(said, "locked       true") || strings.Contains(said, "maria@") {
		t.Errorf("it shows\n%s", said)
	}
	o.must("-unlock", id, "-reason", "caller")
	o.must("-sign-out", id, "-reason", "report")
	if !canSignIn(t, s.cfg.BaseURL, "maria@example.com", mariaPassword) {
		t.Error("who is unlocked cannot sign in")
	}
	acts := o.lines("-actor", actor(), "-user", id)
	for _, name := range []string{event.PersonFound, event.MatterOpened, event.AccountDisabled,
		event.SupportLooked, event.AccountEnabled, event.SignedOut, event.MatterClosed} {
		at := slices.IndexFunc(acts, func(e provider.RecordedEvent) bool { return e.Name == name })
		if at < 0 || name != event.PersonFound && acts[at].Matter == "" {
			t.Errorf("%s is not in the audit log, in a matter: %v", name, namesOf(acts))
		}
	}
}

func TestCommandsSayThatNobodyIsThere(t *testing.T) {
	o := operate(t)
	ok(t, o.start().stop())
	o.typed = "nobody@example.com"
	for _, args := range [][]string{{"-find", "-"}, {"-lock", "nobody", "-reason", "caller"}, {"-person", "maria@example.com", "-reason", "caller"}, {"-find", "-", "-sandbox"}} {
		if said, err := o.command(args...); err == nil || exitCode(err) != 3 || said != "" {
			t.Errorf("%v: %q, %v", args, said, err)
		}
	}
	if misses := o.lines("-name", "person_not_found"); len(misses) != 1 || misses[0].UserID != "" {
		t.Errorf("the search is recorded as %+v", misses)
	}
}

func TestCommandsAreRefused(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"-find maria@example.com", "from standard input"},
		{"-lock u", "-reason is missing"},
		{"-lock u -reason fun", "none of caller, report"},
		{"-backup x -reason caller", "-reason is for -person, -lock"},
		{"-reason caller", "-reason is for -person"},
		{"-checkpoint -json", "-json is for -events"},
		{"-events -network 192.0.2.0/24", "-network wants -from"},
		{"-events -limit 10001", "-limit is not between"},
		{"-events -follow -until 2026-01-02T15:04:05Z", "-follow goes on"},
		{"-lock u -unlock u -reason caller", "-lock and -unlock are 2 commands"},
	} {
		if _, err := parseCommand(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
	o := operate(t)
	ok(t, o.start().stop())
	if _, err := o.command("-find", "-"); err == nil || exitCode(err) != 1 || !strings.Contains(err.Error(), "no address on standard input") {
		t.Errorf("without an address: %v", err)
	}
}

func TestEventsArePrinted(t *testing.T) {
	o := operate(t)
	o.start()
	id := o.found()
	o.must("-lock", id, "-reason", "caller")
	all := o.lines()
	if len(all) < 4 || !slices.IsSortedFunc(all, func(a, b provider.RecordedEvent) int { return int(a.ID - b.ID) }) {
		t.Errorf("the log is %v", namesOf(all))
	}
	last := all[len(all)-1]
	for _, c := range []struct {
		options []string
		want    int
	}{
		{[]string{"-limit", "2"}, 2},
		{[]string{"-name", "account_disabled,person_found"}, 2},
		{[]string{"-matter", last.Matter}, 3},
		{[]string{"-user", "nobody"}, 0},
		{[]string{"-until", "2020-01-02T15:04:05Z"}, 0},
		{[]string{"-sandbox", "-user", id}, 0},
	} {
		if got := o.lines(c.options...); len(got) != c.want {
			t.Errorf("%v: %v", c.options, namesOf(got))
		}
	}
	if text := o.must("-events", "-name", "matter_opened"); !strings.Contains(text, " matter_opened user="+id+" detail=caller actor=") {
		t.Errorf("for people it is %q", text)
	}
}

// What happens later is printed as it happens, once.
func TestEventsAreFollowed(t *testing.T) {
	o := operate(t)
	o.start()
	id := o.found()
	ctx, stop := context.WithCancel(t.Context())
	out := &output{}
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"-config", o.path("service.json"), "-events", "-follow", "-name", "account_disabled"}, nil, out)
	}()
	o.must("-lock", id, "-reason", "caller")
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(out.String(), "account_disabled user="+id) && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	if err := <-done; err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("it printed %q, %v", out, err)
	}
}

// close has the service close a block of what was recorded, as if that were an hour ago.
func (o operated) close() {
	o.t.Helper()
	o.exec("data/identity.db", "UPDATE events SET at = at - 3600000000 WHERE id > (SELECT sealed FROM event_log)")
	before, _ := o.command("-checkpoint")
	s := o.start()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if signed, err := o.command("-checkpoint"); err == nil && signed != before {
			break
		}
	}
	ok(o.t, s.stop())
}

// The audit log is compared with what was sealed: an edit of the file is found, and so is a log
// of another provider.
func TestAuditLogIsVerifiedByCommand(t *testing.T) {
	o := operate(t)
	ok(t, o.start().stop())
	if _, err := o.command("-checkpoint"); err == nil || exitCode(err) != 3 {
		t.Errorf("a checkpoint of nothing: %v", err)
	}
	o.close()
	anchor := o.path("anchor")
	signed := o.must("-checkpoint")
	ok(t, os.WriteFile(anchor, []byte(signed), 0o600))
	if said := o.must("-verify-audit", "-anchor", anchor); !strings.Contains(said, "all is as it was sealed") {
		t.Errorf("it says %q", said)
	}
	if _, err := o.command("-verify-audit", "-sandbox", "-anchor", anchor); err == nil || exitCode(err) != 1 || !strings.Contains(err.Error(), "-anchor") {
		t.Errorf("with the checkpoint of another provider: %v", err)
	}
	o.exec("data/identity.db", "UPDATE events SET detail = 'edited' WHERE id = 1")
	if _, err := o.command("-verify-audit"); err == nil || exitCode(err) != 3 || !strings.Contains(err.Error(), "block 1, line 1") {
		t.Errorf("an edited line: %v", err)
	}
}

// An old backup is put back: the log is whole, but not against a checkpoint that was taken since.
func TestAnOldBackupIsRolledBackAgainstACheckpoint(t *testing.T) {
	o := operate(t)
	ok(t, o.start().stop())
	o.close()
	o.must("-backup", o.path("backup"))
	s := o.start()
	o.must("-lock", o.found(), "-reason", "incident")
	ok(t, s.stop())
	o.close()
	anchor := o.path("anchor")
	ok(t, os.WriteFile(anchor, []byte(o.must("-checkpoint")), 0o600))
	if said := o.must("-verify-audit", "-anchor", anchor); !strings.Contains(said, " in 2 blocks") {
		t.Errorf("it says %q", said)
	}
	for _, leftOver := range []string{"-wal", "-shm"} {
		_ = os.Remove(o.path("data/identity.db" + leftOver))
	}
	ok(t, os.Rename(o.path("backup/identity.db"), o.path("data/identity.db")))
	o.must("-verify-audit")
	_, err := o.command("-verify-audit", "-anchor", anchor)
	if err == nil || exitCode(err) != 3 || !strings.Contains(err.Error(), "block 1: the log ends here, before the checkpoint: it was rolled back") {
		t.Errorf("with the checkpoint of since: %v", err)
	}
}

// Who has the database removes what they did: a line, the last block, or all of it as the removal of
// old lines would.
func TestRemovedTracksAreFoundByCommand(t *testing.T) {
	for _, c := range []struct {
		name, finds string
		statements  []string
	}{
		{"ALine", "a line before it is missing", []string{"DELETE FROM events WHERE name = 'account_disabled'"}},
		{"ABlock", "it was rolled back", []string{
			"DELETE FROM events WHERE id >= (SELECT first FROM event_blocks WHERE number = 2)",
			"DELETE FROM event_blocks WHERE number = 2",
		}},
		{"AsIfSwept", "without a line that says so", []string{
			"UPDATE event_log SET swept = sealed",
			"DELETE FROM events WHERE id <= (SELECT sealed FROM event_log)",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := operate(t)
			s := o.start()
			id := o.found()
			ok(t, s.stop())
			o.close()
			o.must("-lock", id, "-reason", "incident")
			o.close()
			anchor := o.path("anchor")
			ok(t, os.WriteFile(anchor, []byte(o.must("-checkpoint")), 0o600))
			for _, statement := range c.statements {
				o.exec("data/identity.db", statement)
			}
			if _, err := o.command("-verify-audit", "-anchor", anchor); err == nil || exitCode(err) != 3 || !strings.Contains(err.Error(), c.finds) {
				t.Errorf("found %v", err)
			}
		})
	}
}
