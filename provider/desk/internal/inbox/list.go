package inbox

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// lease is how long a reviewer has a case.
const lease = 15 * time.Minute

// inboxPage is how many cases a page of the inbox has.
const inboxPage = 25

// The parameters of the inbox: the case that was just decided, and where a page begins.
const (
	parameterUndo  = "undo"
	parameterDue   = "due"
	parameterAfter = "after"
)

// list is the address of the inbox.
func (d *Inbox) list() string { return d.frame.Path("cases") }

func (d *Inbox) showInbox(r *request) error {
	page, err := r.Page(screens.SectionInbox)
	if err != nil {
		return err
	}
	query := r.Screen.Request.URL.Query()
	var dueAfter time.Time
	if micros, err := strconv.ParseInt(query.Get(parameterDue), 10, 64); err == nil {
		dueAfter = time.UnixMicro(micros)
	}
	waiting, err := d.Verification.Waiting(r.Context(), r.by, dueAfter, query.Get(parameterAfter), inboxPage)
	if err != nil {
		return err
	}
	v := screens.InboxView{Page: page, Form: r.Form()}
	for _, c := range waiting {
		if c.Waiting != nil { // it was decided in this moment
			continue
		}
		if d.has(r, c) {
			mine := d.waiting(r, c)
			mine.URL = d.frame.Path("case", c.ID)
			v.Mine = &mine
			continue
		}
		v.Cases = append(v.Cases, d.waiting(r, c))
	}
	if len(waiting) == inboxPage {
		last := waiting[len(waiting)-1]
		v.MoreURL = d.list() + "?" + url.Values{
			parameterDue: {strconv.FormatInt(last.DueAt.UnixMicro(), 10)}, parameterAfter: {last.ID},
		}.Encode()
	}
	if v.Undo, err = d.undoable(r, query.Get(parameterUndo)); err != nil {
		return err
	}
	r.Render(http.StatusOK, screens.Inbox(v))
	return nil
}

// has reports whether a case is the reviewer's at present.
func (d *Inbox) has(r *request, c verification.RecordedCase) bool {
	return c.TakenBy == r.by.ID && d.frame.Now().Before(c.TakenUntil)
}

// undoable returns the decision that the reviewer can still take back, or nil.
func (d *Inbox) undoable(r *request, id string) (*screens.Undo, error) {
	if id == "" {
		return nil, nil
	}
	c, err := d.Verification.Case(r.Context(), id)
	if errors.Is(err, verification.ErrNoCase) {
		return nil, nil
	}
	if err != nil || c.Waiting == nil || c.Waiting.Reviewer != r.by.ID || !d.frame.Now().Before(c.Waiting.UndoBefore) {
		return nil, err
	}
	left := c.Waiting.UndoBefore.Sub(d.frame.Now())
	return &screens.Undo{Case: id, Seconds: int(math.Ceil(left.Seconds()))}, nil
}

// waiting is what may be known of a case before it is taken.
func (d *Inbox) waiting(r *request, c verification.RecordedCase) screens.Waiting {
	group, _ := d.provider.Rooms().Pages.GroupWords(r.Locale(), c.Group)
	return screens.Waiting{
		ID: c.ID, Group: group, Method: d.methodOf(r, c), Due: c.DueAt, Late: d.frame.Now().After(c.DueAt),
		Taken:   c.TakenBy != "" && c.TakenBy != r.by.ID && d.frame.Now().Before(c.TakenUntil),
		Renewal: c.Renewal, Appeal: c.Appeals != "", Escalated: c.Escalated, Unreadable: c.Unreadable,
	}
}

// methodOf names what is reviewed: one method, or the whole case.
func (d *Inbox) methodOf(r *request, c verification.RecordedCase) ui.Label {
	if c.WholeCase {
		return ui.Label{}
	}
	return d.Verification.MethodTitle(r.Locale(), c.Group, c.Method)
}

// takeFromInbox gives the reviewer a case, or one back that was just decided.
func (d *Inbox) takeFromInbox(r *request) error {
	ctx, until := r.Context(), d.frame.Now().Add(lease)
	var c verification.RecordedCase
	var err error
	switch r.posted(ui.FieldAction) {
	case screens.ActionNext:
		c, err = d.Verification.Take(ctx, r.by, "", until)
		if errors.Is(err, verification.ErrNoCase) {
			return r.Done(d.list(), screens.NoticeNone)
		}
	case screens.ActionTake:
		c, err = d.Verification.Take(ctx, r.by, r.posted(screens.FieldCase), until)
		if errors.Is(err, verification.ErrNoCase) {
			return r.Done(d.list(), screens.NoticeMovedOn)
		}
	case screens.ActionUndo:
		c, err = d.Verification.Undo(ctx, r.by, r.posted(screens.FieldCase), until)
		if isOver(err) {
			return r.Done(d.list(), screens.NoticeTooLate)
		}
		if err == nil {
			return r.Done(d.frame.Path("case", c.ID), screens.NoticeUndone)
		}
	default:
		return frame.Malformed("no such action")
	}
	if err != nil {
		return err
	}
	r.Redirect(d.frame.Path("case", c.ID))
	return nil
}

// isOver reports whether a case has moved on, or is not the reviewer's: nobody is told which.
func isOver(err error) bool {
	return errors.Is(err, verification.ErrNotNow) || errors.Is(err, verification.ErrNoCase) || errors.Is(err, verification.ErrForbidden)
}
