package developer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/bonafide-id/bonafide/provider/sandbox"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

func (d *trialPages) showPersonas(r *request) error {
	settings, err := d.Store.SandboxSettings(r.Request.Context(), r.org.ID)
	if err != nil {
		return err
	}
	set, err := personasOf(settings)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(set.Personas, "", "  ")
	if err != nil {
		return err
	}
	return d.renderPersonas(r, settings, set, string(text), http.StatusOK)
}

func (d *trialPages) renderPersonas(r *request, s storage.SandboxSettings, set sandbox.PersonaSet, text string, status int, problems ...ui.Problem) error {
	p, err := d.organizationPage(r, screens.SectionPersonas)
	if err != nil {
		return err
	}
	p.Environment = screens.Sandbox
	view := screens.PersonasView{
		Page: p, Form: r.Form(problems...), Text: text, Version: strconv.FormatInt(s.Version, 10),
		MayChange: r.may(developers), Own: len(s.Personas) > 0,
	}
	for _, persona := range set.Personas {
		view.Personas = append(view.Personas, screens.Persona{
			Name: persona.Name, Title: p.Locale.Word(persona.Title), Hint: "persona:" + persona.Name, Email: emailOf(set.Realm, persona),
		})
	}
	r.Render(status, screens.Personas(view))
	return nil
}

// emailOf returns the address of a persona.
func emailOf(realm string, p sandbox.Persona) string {
	if p.Email != "" {
		return p.Email
	}
	return p.Name + "@" + realm + inboxDomain
}

func (d *trialPages) changePersonas(r *request) error {
	ctx := r.Request.Context()
	version, err := strconv.ParseInt(r.posted(screens.FieldVersion), 10, 64)
	if err != nil {
		return forbidden("a form without the version that it changes")
	}
	now, err := d.Store.SandboxSettings(ctx, r.org.ID)
	if err != nil {
		return err
	}
	next, text := now, r.posted(screens.FieldPersonas)
	next.Version, next.Personas = version, nil
	if r.posted(ui.FieldAction) != screens.ActionReset {
		set, problem := d.parsePersonas(r.org.ID, text)
		if problem != nil {
			shown, err := personasOf(now)
			if err != nil {
				return err
			}
			now.Version = version
			return d.renderPersonas(r, now, shown, text, http.StatusUnprocessableEntity, *problem)
		}
		if next.Personas, err = json.Marshal(set.Personas); err != nil {
			return err
		}
	}
	here := d.path("o", r.org.ID, "personas")
	save := func(ctx context.Context) error { return d.Store.SaveSandboxSettings(ctx, next) }
	switch err := d.recorded(ctx, r.does(), "personas.change", nil, save); {
	case errors.Is(err, storage.ErrChanged):
		return r.done(here, screens.NoticeSomebodyElse)
	case err != nil:
		return notFound(err)
	}
	return r.done(here, screens.NoticeSaved)
}

// maxPersonas limits the JSON of an organization's personas.
const maxPersonas = 64 << 10

// parsePersonas parses the entered personas, or returns their problem.
func (d *trialPages) parsePersonas(realm, text string) (sandbox.PersonaSet, *ui.Problem) {
	wrong := func(text string) (sandbox.PersonaSet, *ui.Problem) {
		return sandbox.PersonaSet{}, &ui.Problem{Field: screens.FieldPersonas, Text: text}
	}
	if len(text) > maxPersonas {
		return wrong(fmt.Sprintf("This is longer than %d KiB.", maxPersonas>>10))
	}
	set := sandbox.PersonaSet{Realm: realm}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&set.Personas); err != nil {
		return wrong(explainJSON(text, err).Error())
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return wrong("There is more behind the list.")
	}
	if err := d.Sandbox.Rooms().Sandbox.CheckPersonas(set); err != nil {
		return wrong(err.Error())
	}
	for _, p := range set.Personas {
		if organization, ok := inboxOf(p.Email); ok && organization != realm {
			return wrong(p.Name + ": the address is one of another organization")
		}
	}
	return set, nil
}

// explainJSON returns the line of an error in a text.
func explainJSON(text string, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(len(text))
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return err // of an unknown field
	}
	line := 1 + bytes.Count([]byte(text[:min(offset, int64(len(text)))]), []byte("\n"))
	return fmt.Errorf("line %d: %w", line, err)
}
