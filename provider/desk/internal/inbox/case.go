package inbox

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// reviewReasons are the reasons that a reviewer can choose, the first nine by key.
var reviewReasons = []verification.Reason{
	verification.ReasonUnreadable, verification.ReasonCropped, verification.ReasonWrongKind, verification.ReasonNotCurrent,
	verification.ReasonNoDate, verification.ReasonNameDiffers, verification.ReasonIncomplete, verification.ReasonNotInGroup,
	verification.ReasonIssuerNotAccepted, verification.ReasonAltered, verification.ReasonGenerated, verification.ReasonTaken,
	verification.ReasonSuspicious, verification.ReasonOther,
}

// review is a case that the reviewer has, with its files.
type review struct {
	verification.UnderReview
	files []verification.EvidenceFile
}

// reviewed reads the case in the path. It is not found by anybody but who has taken it: then
// over is true, and the request is answered.
func (d *Inbox) reviewed(r *request) (c review, over bool, err error) {
	ctx := r.Context()
	c.UnderReview, err = d.Verification.Review(ctx, r.by, r.Value("case"))
	if err == nil {
		err = r.Looked(c.ID, provider.Event{Name: event.StaffLooked, UserID: c.UserID, Detail: "case"})
	}
	if err == nil {
		c.files, err = d.Verification.Evidence(ctx, c.ID)
	}
	if isOver(err) {
		return c, true, r.Done(d.list(), screens.NoticeMovedOn)
	}
	return c, false, err
}

func (d *Inbox) showCase(r *request) error {
	c, over, err := d.reviewed(r)
	if over || err != nil {
		return err
	}
	// The reviewer is still here. Who has lost the case meanwhile does not get it back by
	// looking.
	taken, err := d.Verification.Take(r.Context(), r.by, c.ID, d.frame.Now().Add(lease))
	if isOver(err) {
		return r.Done(d.list(), screens.NoticeMovedOn)
	}
	if err != nil {
		return err
	}
	c.TakenUntil = taken.TakenUntil
	return d.renderCase(r, http.StatusOK, c, c.first())
}

// first is what the form has at first: what a method has found, or all that was entered for a
// decision that the reviewer has taken back.
func (c review) first() entered {
	e := entered{until: c.Until, subgroups: suggested(c)}
	d := c.Undone
	if d == nil {
		return e
	}
	e.answers, e.reasons, e.note = map[string]string{}, map[verification.Reason]bool{}, d.Note
	said := map[bool]string{true: screens.AnswerYes, false: screens.AnswerNo}
	for kind, seen := range d.Answers {
		for n, yes := range seen {
			e.answers[answerField(kind, n)] = said[yes]
		}
	}
	if c.ComparesName && len(d.Answers) > 0 {
		e.answers[screens.FieldName] = said[d.NameMatches]
	}
	for _, reason := range d.Reasons {
		e.reasons[reason] = true
	}
	if d.Kind == storage.DecisionApprove || d.Kind == storage.DecisionOverride {
		e.until = d.Until
		for _, s := range c.Subgroups {
			e.subgroups[s] = slices.Contains(d.Subgroups, s)
		}
	}
	return e
}

// suggested are the subgroups that a method has found.
func suggested(c review) map[string]bool {
	chosen := map[string]bool{}
	if c.Member != nil {
		for _, s := range c.Member.Subgroups {
			chosen[s] = true
		}
	}
	return chosen
}

// entered is what the form of a case has.
type entered struct {
	answers   map[string]string // by field
	subgroups map[string]bool
	reasons   map[verification.Reason]bool
	until     time.Time
	day       string // as it was entered, if that is no day
	note      string
}

func (d *Inbox) renderCase(r *request, status int, c review, e entered, problems ...ui.Problem) error {
	page, err := r.Page(screens.SectionInbox)
	if err != nil {
		return err
	}
	l := page.Locale
	group, subgroups := d.provider.Rooms().Pages.GroupWords(l, c.Group, c.Subgroups...)
	v := screens.CaseView{
		Page: page, Form: r.Form(problems...), Version: strconv.FormatInt(c.Version, 10), Group: group,
		Person: strings.TrimSpace(c.Name.Given + " " + c.Name.Family), Method: d.methodOf(r, c.RecordedCase),
		Due: c.DueAt, TakenUntil: c.TakenUntil, Renewal: c.Renewal, Appeal: c.Appeals != "", Escalated: c.Escalated,
		Evidence: d.evidenceViews(r, l, c, e), Until: e.day, Note: e.note,
		NeedsOverride: c.NeedsOverride, MayEscalate: c.offers(storage.DecisionEscalate),
		Claimed: c.Claimed, ComparesName: c.ComparesName, NameMatches: e.answers[screens.FieldName],
	}
	if !e.until.IsZero() {
		v.Until = e.until.UTC().Format(time.DateOnly)
	}
	for i, s := range c.Subgroups {
		v.Subgroups = append(v.Subgroups, ui.Option{Value: s, Title: subgroups[i], Chosen: e.subgroups[s]})
	}
	if c.Member != nil {
		v.Source = c.Member.Source
		_, v.Found = d.provider.Rooms().Pages.GroupWords(l, c.Group, c.Member.Subgroups...)
	}
	for _, before := range c.Before {
		view := screens.Opinion{Action: actions[before.Kind], Note: before.Note}
		for _, reason := range before.Reasons {
			view.Reasons = append(view.Reasons, string(reason))
		}
		v.Before = append(v.Before, view)
	}
	for _, fact := range c.Facts {
		v.Facts = append(v.Facts, said(l, fact))
	}
	for _, reason := range reviewReasons {
		v.Reasons = append(v.Reasons, screens.ReasonOption{Reason: string(reason), Chosen: e.reasons[reason]})
	}
	r.Room().RenderSecret(status, screens.Case(v))
	return nil
}

// evidenceViews are the files of a case that have not been sent anew, with what they must show.
func (d *Inbox) evidenceViews(r *request, l *ui.Locale, c review, e entered) []screens.Evidence {
	var views []screens.Evidence
	for i, file := range c.current() {
		view := screens.Evidence{ID: fmt.Sprintf("file-%d", i+1), Title: ui.Label{Text: file.Kind, Lang: ui.Undetermined}}
		if file.ShreddedAt.IsZero() && !file.Unreadable {
			view.URL = d.evidenceURL(r, c.RecordedCase, file.ID)
			view.Picture = isPicture(file.MediaType)
		}
		view.Alike, view.Programs = file.Alike, slices.Concat(file.Editors, file.Generators)
		if required := c.requirement(file.Kind); required != nil {
			view.Title = said(l, required.Title)
			for n, must := range required.Must {
				field := answerField(file.Kind, n)
				view.Questions = append(view.Questions, screens.Question{Field: field, Text: said(l, must), Answer: e.answers[field]})
			}
		}
		views = append(views, view)
	}
	return views
}

// current are the files that no later one replaces.
func (c review) current() (files []verification.EvidenceFile) {
	for _, file := range c.files {
		if !file.Replaced {
			files = append(files, file)
		}
	}
	return files
}

// requirement returns that of a file, or nil.
func (c review) requirement(kind string) *verification.Requirement {
	for i := range c.Requirements {
		if c.Requirements[i].Name == kind {
			return &c.Requirements[i]
		}
	}
	return nil
}

func answerField(kind string, n int) string {
	return screens.FieldAnswer + "." + kind + "." + strconv.Itoa(n)
}

// said is a text of the host in the language of the page, or as near as there is one.
func said(l *ui.Locale, t verification.Text) ui.Label {
	l = l.OrEnglish()
	if translated, ok := t.Translations[l.Lang]; ok {
		return ui.Label{Text: translated}
	}
	return l.Word(t.English)
}
