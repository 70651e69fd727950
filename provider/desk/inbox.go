package desk

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider"
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

// showHome shows the inbox; who reviews nothing begins elsewhere.
func (d *Desk) showHome(r *request) error {
	if !r.staff.reviews() {
		r.Redirect(d.path(string(screens.SectionNumbers)))
		return nil
	}
	return d.showInbox(r)
}

func (d *Desk) showInbox(r *request) error {
	page, err := d.page(r, screens.SectionInbox)
	if err != nil {
		return err
	}
	query := r.Request.URL.Query()
	var dueAfter time.Time
	if micros, err := strconv.ParseInt(query.Get(parameterDue), 10, 64); err == nil {
		dueAfter = time.UnixMicro(micros)
	}
	waiting, err := d.Verification.Waiting(r.Request.Context(), r.by, dueAfter, query.Get(parameterAfter), inboxPage)
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
			mine.URL = d.path("case", c.ID)
			v.Mine = &mine
			continue
		}
		v.Cases = append(v.Cases, d.waiting(r, c))
	}
	if len(waiting) == inboxPage {
		last := waiting[len(waiting)-1]
		v.MoreURL = d.path() + "?" + url.Values{
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
func (d *Desk) has(r *request, c verification.RecordedCase) bool {
	return c.TakenBy == r.by.ID && d.now().Before(c.TakenUntil)
}

// undoable returns the decision that the reviewer can still take back, or nil.
func (d *Desk) undoable(r *request, id string) (*screens.Undo, error) {
	if id == "" {
		return nil, nil
	}
	c, err := d.Verification.Case(r.Request.Context(), id)
	if errors.Is(err, verification.ErrNoCase) {
		return nil, nil
	}
	if err != nil || c.Waiting == nil || c.Waiting.Reviewer != r.by.ID || !d.now().Before(c.Waiting.UndoBefore) {
		return nil, err
	}
	return &screens.Undo{Case: id, Until: c.Waiting.UndoBefore}, nil
}

// waiting is what may be known of a case before it is taken.
func (d *Desk) waiting(r *request, c verification.RecordedCase) screens.Waiting {
	group, _ := d.provider.Pages().GroupWords(r.Page().Locale, c.Group)
	return screens.Waiting{
		ID: c.ID, Group: group, Method: d.methodOf(r, c), Due: c.DueAt, Late: d.now().After(c.DueAt),
		Taken:   c.TakenBy != "" && c.TakenBy != r.by.ID && d.now().Before(c.TakenUntil),
		Renewal: c.Renewal, Appeal: c.Appeals != "", Escalated: c.Escalated,
	}
}

// methodOf names what is reviewed: one method, or the whole case.
func (d *Desk) methodOf(r *request, c verification.RecordedCase) ui.Label {
	if c.WholeCase {
		return ui.Label{}
	}
	return d.Verification.MethodTitle(r.Page().Locale, c.Group, c.Method)
}

// takeFromInbox gives the reviewer a case, or one back that was just decided.
func (d *Desk) takeFromInbox(r *request) error {
	if !r.staff.reviews() {
		return provider.ErrScreenNotFound
	}
	ctx, until := r.Request.Context(), d.now().Add(lease)
	var c verification.RecordedCase
	var err error
	switch r.posted(ui.FieldAction) {
	case screens.ActionNext:
		c, err = d.Verification.Take(ctx, r.by, "", until)
		if errors.Is(err, verification.ErrNoCase) {
			return r.done(d.path(), screens.NoticeNone)
		}
	case screens.ActionTake:
		c, err = d.Verification.Take(ctx, r.by, r.posted(screens.FieldCase), until)
		if errors.Is(err, verification.ErrNoCase) {
			return r.done(d.path(), screens.NoticeMovedOn)
		}
	case screens.ActionUndo:
		c, err = d.Verification.Undo(ctx, r.by, r.posted(screens.FieldCase), until)
		if isOver(err) {
			return r.done(d.path(), screens.NoticeTooLate)
		}
		if err == nil {
			return r.done(d.path("case", c.ID), screens.NoticeUndone)
		}
	default:
		return malformed("no such action")
	}
	if err != nil {
		return err
	}
	r.Redirect(d.path("case", c.ID))
	return nil
}

// isOver reports whether a case has moved on, or is not the reviewer's: nobody is told which.
func isOver(err error) bool {
	return errors.Is(err, verification.ErrNotNow) || errors.Is(err, verification.ErrNoCase) || errors.Is(err, verification.ErrForbidden)
}

func malformed(why string) error {
	return provider.ScreenError{Status: http.StatusBadRequest, Code: ui.ErrorRequest, Err: errors.New(why)}
}
