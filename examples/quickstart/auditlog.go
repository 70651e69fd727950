package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// maxEvents is how many events a command prints at most; the desk exports as many as there are.
const maxEvents = 10_000

// printEvents prints the latest events that match, the earliest of them first, and goes on if
// that is wanted until ctx ends.
func (c *staffCommand) printEvents(ctx context.Context, p opened, out io.Writer) error {
	began := time.Now()
	latest, err := readEvents(ctx, p, c.filter, cmp.Or(c.filter.Limit, 100))
	if err != nil {
		return err
	}
	if err := c.print(out, latest); err != nil || !c.follow {
		return err
	}
	return c.followEvents(ctx, p, out, began, latest)
}

// followEvents prints what comes. IDs are given out before they are committed, so that one may
// come after a higher one: what was printed is remembered for a minute.
func (c *staffCommand) followEvents(ctx context.Context, p opened, out io.Writer, began time.Time, printed []provider.RecordedEvent) error {
	seen := map[int64]time.Time{}
	for _, e := range printed {
		seen[e.ID] = e.At
	}
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-again.C:
			filter := c.filter
			if filter.From = now.Add(-time.Minute); filter.From.Before(began) {
				filter.From = began
			}
			latest, err := readEvents(ctx, p, filter, maxEvents)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			latest = slices.DeleteFunc(latest, func(e provider.RecordedEvent) bool { return !seen[e.ID].IsZero() })
			if err := c.print(out, latest); err != nil {
				return err
			}
			for _, e := range latest {
				seen[e.ID] = e.At
			}
			for id, at := range seen {
				if at.Before(now.Add(-2 * time.Minute)) {
					delete(seen, id)
				}
			}
		}
	}
}

// readEvents returns the latest events, the earliest first.
func readEvents(ctx context.Context, p opened, match provider.EventFilter, limit int) (all []provider.RecordedEvent, err error) {
	for len(all) < limit {
		match.Limit = min(100, limit-len(all))
		page, err := p.Events().List(ctx, match)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < match.Limit {
			break
		}
		match.Before = page[len(page)-1].ID
	}
	slices.Reverse(all)
	return all, nil
}

func (c *staffCommand) print(out io.Writer, events []provider.RecordedEvent) error {
	for _, e := range events {
		line := []byte(textOf(e))
		if c.json {
			var err error
			if line, err = json.Marshal(e); err != nil {
				return err
			}
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// textOf returns an event as a line for people: what is in it is quoted where it could be taken
// for something else.
func textOf(e provider.RecordedEvent) string {
	line := []string{e.At.UTC().Format("2006-01-02T15:04:05Z"), strconv.FormatInt(e.ID, 10), string(e.Name)}
	for _, part := range []struct{ name, value string }{
		{"user", e.UserID}, {"client", e.ClientID}, {"network", e.Address}, {"detail", e.Detail}, {"actor", e.Actor}, {"matter", e.Matter},
	} {
		if part.value == "" {
			continue
		}
		if quoted := strconv.Quote(part.value); quoted != `"`+part.value+`"` || strings.ContainsAny(part.value, " =") {
			part.value = quoted
		}
		line = append(line, part.name+"="+part.value)
	}
	return strings.Join(line, " ")
}

// printCheckpoint prints the head of the audit log.
func printCheckpoint(ctx context.Context, p opened, out io.Writer) error {
	head, err := p.Trail().Checkpoint(ctx)
	if errors.Is(err, provider.ErrNoCheckpoint) {
		return no{errors.New("no part of the audit log is closed yet: the service closes the first ten minutes after its first event")}
	}
	if err != nil {
		return err
	}
	_, err = out.Write(head.Signed)
	return err
}

// verifyAudit compares the audit log with what was sealed, and with a checkpoint in a file.
func verifyAudit(ctx context.Context, p opened, file string, out io.Writer) error {
	var anchors []provider.Checkpoint
	if file != "" {
		signed, err := readFile(file, 1<<20)
		if err != nil {
			return fmt.Errorf("-anchor: %w", err)
		}
		anchor, err := p.Trail().Open(signed)
		if err != nil {
			return fmt.Errorf("-anchor: %s: %w", file, err)
		}
		anchors = append(anchors, anchor)
	}
	v, err := p.Trail().Verify(ctx, anchors...)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%d lines in %d blocks, of which %d are removed; %d lines are in none yet\n", v.Lines, v.Blocks, v.Removed, v.Open)
	if f := v.Finding; f != nil {
		where := fmt.Sprintf("block %d", f.Block)
		if f.Line != 0 {
			where += fmt.Sprintf(", line %d", f.Line)
		}
		return no{fmt.Errorf("the audit log is not what was sealed, first in %s: %s", where, f.Cause)}
	}
	_, err = fmt.Fprintln(out, "all is as it was sealed")
	return err
}
