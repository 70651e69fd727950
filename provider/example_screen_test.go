package provider_test

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/a-h/templ"

	"github.com/bonafide-id/bonafide/provider"
)

var deskBody = template.Must(template.New("desk").Parse(`
<p class="lead">Your desk is free on {{.Day}}.</p>
<form method="post" action="{{.Form.Action}}">
	{{range .Form.Hidden}}<input type="hidden" name="{{.Name}}" value="{{.Value}}">{{end}}
	<button class="primary" name="day" value="{{.Day}}">Book</button>
</form>`))

// A page of the host's own, for users who have signed in; to book they have to have done
// so in the last ten minutes.
func ExamplePages_Screen() {
	idp, cleanUp := newExample(provider.Config{BaseURL: "https://app.example.com/id"})
	defer cleanUp()
	desk := idp.Pages().Screen(func(s *provider.Screen) error {
		if !s.Fresh(0) {
			s.SignIn(0)
			return nil
		}
		if s.Request.Method == http.MethodPost {
			if !s.Fresh(10 * time.Minute) {
				s.SignIn(10 * time.Minute)
				return nil
			}
			fmt.Println(s.User.UserID, "books", s.Request.PostForm.Get("day"))
			s.Redirect("/id/desk/")
			return nil
		}
		s.RenderFrame(http.StatusOK, "Your desk", templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
			return deskBody.Execute(w, map[string]any{"Day": "Monday", "Form": s.Form()})
		}))
		return nil
	})
	mux := http.NewServeMux()
	mux.Handle("/id/desk/{$}", desk)
	mux.Handle("/id/", idp)

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/id/desk/", nil))
	location, err := w.Result().Location()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Code, location.Path)
	// Output: 303 /id/signin
}
