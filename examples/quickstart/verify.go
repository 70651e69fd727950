package main

import (
	"context"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/catalogue"
)

// demoPath is below which a page verifies whoever wants it. It is for a sandbox, and for the
// configuration that is there to be looked at, never for a file of somebody's own.
const demoPath = "/demo"

// demoVerifiers send users to that page, for every group of a catalogue; nil stands for the
// default one.
func demoVerifiers(baseURL string, groups []catalogue.Group) map[string]provider.Verifier {
	if groups == nil {
		groups = catalogue.DefaultGroups()
	}
	base, _ := url.Parse(baseURL) // the provider validates it
	all := make(map[string]provider.Verifier, len(groups))
	for _, g := range groups {
		all[g.Name] = func(_ context.Context, v provider.Verification) (string, error) {
			return base.Path + demoPath + "/verify?" + url.Values{"group": {v.Group}, "return_to": {v.ReturnTo}}.Encode(), nil
		}
	}
	return all
}

var demoPage = template.Must(template.New("verify").Parse(`
<p class="lead" lang="en">A real verifier would look at a document, a list of members or an e-mail address now. This one believes you.</p>
<form method="post" action="{{.Form.Action}}">
	{{range .Form.Hidden}}<input type="hidden" name="{{.Name}}" value="{{.Value}}">{{end}}
	<input type="hidden" name="group" value="{{.Group}}">
	<input type="hidden" name="return_to" value="{{.Asked}}">
	<button class="primary" name="result" value="approve" lang="en">Approve at once</button>
	<button class="secondary" name="result" value="pending" lang="en">Stay pending</button>
	<button class="secondary" name="result" value="refuse" lang="en">Refuse</button>
</form>
<p class="after"><a href="{{.ReturnTo}}" lang="en">Go back without a result</a></p>`))

// demoHandler is the page of the verifiers.
func demoHandler(p *provider.Provider) http.Handler {
	return p.Pages().Screen(func(s *provider.Screen) error {
		if !s.Fresh(0) {
			s.SignIn(0)
			return nil
		}
		asked := s.Request.URL.Query()
		if s.Request.Method == http.MethodPost {
			asked = s.Request.PostForm
		}
		group, returnTo := asked.Get("group"), asked.Get("return_to")
		back, err := url.Parse(returnTo)
		if err != nil || !p.Pages().IsReturnTo(returnTo) { // or anybody could send users elsewhere
			return provider.ErrScreenNotFound
		}
		if s.Request.Method != http.MethodPost {
			s.RenderFrame(http.StatusOK, "Demo verification: "+group, templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
				return demoPage.Execute(w, map[string]any{"Form": s.Form(), "Group": group, "Asked": returnTo, "ReturnTo": back.RequestURI()})
			}))
			return nil
		}
		found := provider.Status{Group: group, VerifiedBy: "Demo verification", Source: "Quickstart", Method: "document"}
		switch asked.Get("result") {
		case "approve":
			found.Verified = true
		case "refuse":
			found.Reason = "unreadable"
		default:
			found.Pending = true
		}
		err = p.People().SetStatus(s.Request.Context(), s.User.UserID, found)
		var wrong *provider.FieldError
		if errors.As(err, &wrong) {
			return provider.ErrScreenNotFound // no such group
		}
		if err == nil {
			s.Redirect(back.RequestURI())
		}
		return err
	})
}
