package inbox

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/provider/desk/internal/frame"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/desk"
)

// maxRoster is the size of the largest file that a browser may send: some million rows, and
// the memory for all that are being sent.
const maxRoster = 96 << 20

// rosterPatience is the time limit for sending it.
const rosterPatience = 10 * time.Minute

func (d *Inbox) showRosters(r *request) error {
	page, err := r.Page(screens.SectionRosters)
	if err != nil {
		return err
	}
	all, err := d.Verification.Rosters(r.Context())
	if err != nil {
		return err
	}
	v := screens.RostersView{Page: page}
	for _, roster := range all {
		v.Rosters = append(v.Rosters, d.rosterView(roster))
	}
	r.Render(http.StatusOK, screens.Rosters(v))
	return nil
}

func (d *Inbox) rosterView(r storage.Roster) screens.Roster {
	return screens.Roster{
		Name: r.Name, URL: d.frame.Path("rosters", r.Name), Rows: r.Rows, ImportedAt: r.ImportedAt, ImportedBy: r.ImportedBy,
	}
}

// roster reads the roster in the path.
func (d *Inbox) roster(r *request) (storage.Roster, error) {
	all, err := d.Verification.Rosters(r.Context())
	if err != nil {
		return storage.Roster{}, err
	}
	i := slices.IndexFunc(all, func(one storage.Roster) bool { return one.Name == r.Value("roster") })
	if i < 0 {
		return storage.Roster{}, provider.ErrScreenNotFound
	}
	return all[i], nil
}

func (d *Inbox) showRoster(r *request) error {
	return d.renderRoster(r, http.StatusOK, func(*screens.RosterView) {})
}

func (d *Inbox) renderRoster(r *request, status int, change func(*screens.RosterView)) error {
	roster, err := d.roster(r)
	if err != nil {
		return err
	}
	page, err := r.Page(screens.SectionRosters)
	if err != nil {
		return err
	}
	v := screens.RosterView{
		Page: page, Form: r.Form(), Roster: d.rosterView(roster), RostersURL: d.frame.Path("rosters"),
		FileAction: d.frame.Path("rosters", roster.Name, "file"),
		MayPutBack: roster.Previous != 0,
	}
	v.Action = d.frame.Path("rosters", roster.Name)
	change(&v)
	r.Render(status, screens.RosterScreen(v))
	return nil
}

// rosterFile takes the file of a roster and shows what it would change.
func (d *Inbox) rosterFile() http.Handler {
	page := frame.Route{Path: "/rosters/{roster}/file", Needs: action.Staff.Operates, Act: as(d.stageRoster), Power: true}
	return d.frame.Pages.Upload(provider.Upload{
		Bytes: maxRoster, Memory: maxRoster, Patience: rosterPatience,
		Admit: func(s *provider.Screen) (admitted bool, err error) {
			r, err := d.frame.Enter(s, page)
			if r == nil || err != nil {
				return false, err
			}
			_, err = d.roster(&request{Request: r})
			return err == nil, err
		},
	}, func(s *provider.Screen) error { return d.frame.Answer(s, page, as(d.stageRoster)) })
}

func (d *Inbox) stageRoster(r *request) error {
	if r.Screen.Request.Method != http.MethodPost {
		r.Redirect(d.frame.Path("rosters", r.Value("roster")))
		return nil
	}
	entered := func(v *screens.RosterView) {
		v.Subgroup, v.Until = r.posted(screens.FieldColumnSubgroup), r.posted(screens.FieldColumnUntil)
	}
	file, chosen := r.Uploaded()
	if !chosen || file.TooLarge || len(file.Content) == 0 {
		return d.renderRoster(r, http.StatusUnprocessableEntity, func(v *screens.RosterView) {
			entered(v)
			if v.Problem = screens.RosterFileMissing; chosen {
				v.Problem = screens.RosterFileWrong
			}
		})
	}
	report, err := d.Verification.StageRoster(r.Context(), verification.RosterFile{
		Roster: r.Value("roster"), Content: bytes.NewReader(file.Content),
		Subgroup: strings.TrimSpace(r.posted(screens.FieldColumnSubgroup)), Until: strings.TrimSpace(r.posted(screens.FieldColumnUntil)),
	})
	var wrong *verification.RosterFileError
	switch {
	case errors.Is(err, verification.ErrNoRoster):
		return provider.ErrScreenNotFound
	case errors.As(err, &wrong):
		return d.renderRoster(r, http.StatusUnprocessableEntity, func(v *screens.RosterView) {
			entered(v)
			v.Problem, v.ProblemLine = screens.RosterFileWrong, wrong.Line
			if lacks := (*verification.RosterColumnsError)(nil); errors.As(wrong, &lacks) {
				v.Wanted, v.Found = lacks.Wanted, lacks.Found
			}
		})
	case err != nil:
		return err
	}
	return d.renderRoster(r, http.StatusOK, func(v *screens.RosterView) { v.Staged = staged(report) })
}

func staged(report verification.RosterReport) *screens.Staged {
	v := &screens.Staged{
		Generation: strconv.FormatInt(report.Generation, 10), Replaces: strconv.FormatInt(report.Replaces, 10),
		Rows: report.Rows, Added: report.Added, Vanished: report.Vanished, Skipped: report.Skipped, Repeated: report.Repeated,
		ManyVanish: report.ManyVanish(), ManySkipped: report.ManySkipped(),
	}
	for _, skip := range report.Skips {
		v.Skips = append(v.Skips, screens.Skip(skip))
	}
	for _, row := range report.Sample {
		v.Sample = append(v.Sample, strings.Join(row, " · "))
	}
	return v
}

// changeRoster puts what was checked in force, or shows what the former roster would change.
func (d *Inbox) changeRoster(r *request) error {
	ctx, name := r.Context(), r.Value("roster")
	if _, err := d.roster(r); err != nil {
		return err
	}
	switch r.posted(ui.FieldAction) {
	case screens.ActionPutBack:
		report, err := d.Verification.FormerRoster(ctx, name)
		if err != nil {
			return d.refuseRoster(r, err)
		}
		return d.renderRoster(r, http.StatusOK, func(v *screens.RosterView) { v.Staged = staged(report) })
	case screens.ActionUse:
		generation, err := strconv.ParseInt(r.posted(screens.FieldGeneration), 10, 64)
		if err != nil {
			return frame.Malformed("no such generation")
		}
		replaces, err := strconv.ParseInt(r.posted(screens.FieldReplaces), 10, 64)
		if err != nil {
			return frame.Malformed("no such generation")
		}
		return d.useRoster(r, name, generation, replaces)
	}
	return frame.Malformed("no such action")
}

// useRoster leads to where what was checked is put in force, as by two operators.
func (d *Inbox) useRoster(r *request, name string, generation, replaces int64) error {
	report, err := d.Verification.StagedRoster(r.Context(), name, generation)
	switch {
	case err == nil && report.Replaces != replaces:
		err = verification.ErrNotNow
	case err == nil && report.ManyVanish() && r.posted(screens.FieldManyVanish) == "":
		err = verification.ErrManyVanish
	case err == nil && report.ManySkipped() && r.posted(screens.FieldManySkipped) == "":
		err = verification.ErrManySkipped
	}
	if err != nil {
		return d.refuseRoster(r, err)
	}
	query := url.Values{action.FieldRoster: {written(report)}}
	r.Redirect(d.frame.Path("service", "do", action.UseRoster) + "?" + query.Encode())
	return nil
}

// refuseRoster says why a roster cannot come into force.
func (d *Inbox) refuseRoster(r *request, err error) error {
	problem := screens.RosterMovedOn
	switch {
	case errors.Is(err, verification.ErrManyVanish):
		problem = screens.RosterTooMany
	case errors.Is(err, verification.ErrManySkipped):
		problem = screens.RosterManySkipped
	case !errors.Is(err, verification.ErrNotNow):
		return err
	}
	return d.renderRoster(r, http.StatusConflict, func(v *screens.RosterView) { v.Problem = problem })
}
