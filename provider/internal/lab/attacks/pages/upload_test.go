package pages

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/ui"
)

// files is a page that receives files of at most 1 MiB from who is signed in.
type files struct {
	got      []provider.UploadedFile
	chosen   []bool
	memory   int64
	patience time.Duration
	onDisk   []string
}

func newFiles(t *testing.T, f *files) *lab.Fixture {
	t.Helper()
	w := lab.New(t).WithUsers()
	mux := http.NewServeMux()
	mux.Handle("/files", w.Pages().Upload(provider.Upload{
		Bytes: 1 << 20, Patience: max(f.patience, time.Second),
		Memory: f.memory,
		Admit: func(s *provider.Screen) (bool, error) {
			if s.User.UserID == "" {
				s.SignIn(0)
				return false, nil
			}
			return true, nil
		},
	}, func(s *provider.Screen) error {
		if s.Request.Method == http.MethodPost {
			file, ok := s.Uploaded()
			onDisk, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
			if err != nil {
				return err
			}
			f.onDisk = append(f.onDisk, onDisk...)
			f.got, f.chosen = append(f.got, file), append(f.chosen, ok)
		}
		s.Render(http.StatusOK, ui.SignOut(ui.SignOutView{Page: s.Page(), Form: s.Form()}))
		return nil
	}))
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	return w
}

// part is a part of a multipart form: a file, or a field without a name of a file.
type part struct {
	field, file string
	content     []byte
}

func multipartForm(t *testing.T, csrf string, parts ...part) (body *bytes.Buffer, contentType string) {
	t.Helper()
	body = new(bytes.Buffer)
	form := multipart.NewWriter(body)
	testkit.OK(t, form.WriteField("csrf", csrf))
	for _, p := range parts {
		var w io.Writer
		var err error
		if p.file == "" {
			w, err = form.CreateFormField(p.field)
		} else {
			w, err = form.CreateFormFile(p.field, p.file)
		}
		if err == nil {
			_, err = w.Write(p.content)
		}
		testkit.OK(t, err)
	}
	testkit.OK(t, form.Close())
	return body, form.FormDataContentType()
}

func TestUploadHasOneFileInMemory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f := &files{patience: time.Minute, memory: 1 << 20} // under the race detector 97 MiB take seconds
	w := newFiles(t, f)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	_, fields := b.Open("/files").Form(t)
	csrf := fields.Get("csrf")
	large := bytes.Repeat([]byte("x"), 1<<20)
	for name, c := range map[string]struct {
		parts  []part
		status int
		want   provider.UploadedFile
	}{
		"a file":                      {[]part{{"camera", "a.jpg", []byte("one")}}, 200, provider.UploadedFile{Field: "camera", Content: []byte("one")}},
		"a file after an empty one":   {[]part{{"file", "", nil}, {"camera", "a.jpg", nil}, {"file", "b.jpg", []byte("two")}}, 200, provider.UploadedFile{Field: "file", Content: []byte("two")}},
		"the first of two":            {[]part{{"file", "a.jpg", []byte("one")}, {"camera", "b.jpg", []byte("two")}}, 200, provider.UploadedFile{Field: "file", Content: []byte("one")}},
		"no file":                     {nil, 200, provider.UploadedFile{}},
		"the largest":                 {[]part{{"file", "a.jpg", large}}, 200, provider.UploadedFile{Field: "file", Content: large}},
		"one byte more":               {[]part{{"file", "a.jpg", append(large[:len(large):len(large)], 'x')}}, 200, provider.UploadedFile{Field: "file", TooLarge: true}},
		"twenty times as large":       {[]part{{"file", "a.jpg", bytes.Repeat(large, 20)}}, 200, provider.UploadedFile{Field: "file", TooLarge: true}},
		"far too large":               {[]part{{"file", "a.jpg", bytes.Repeat(large, 97)}}, 413, provider.UploadedFile{}},
		"large fields":                {[]part{{"name", "", large}}, 413, provider.UploadedFile{}},
		"many parts":                  {make([]part, 40), 400, provider.UploadedFile{}},
		"a field twice":               {[]part{{"a", "", []byte("1")}, {"a", "", []byte("2")}}, 400, provider.UploadedFile{}},
		"the field that protects it":  {[]part{{"csrf", "", []byte("2")}}, 400, provider.UploadedFile{}},
		"a field that is no text":     {[]part{{"a", "", []byte("\x00\xff")}}, 400, provider.UploadedFile{}},
		"a file without a field":      {[]part{{"", "a.jpg", []byte("one")}}, 200, provider.UploadedFile{}},
		"a path for the name of file": {[]part{{"file", "../../a.jpg", []byte("one")}}, 200, provider.UploadedFile{Field: "file", Content: []byte("one")}},
	} {
		f.got, f.chosen = nil, nil
		body, contentType := multipartForm(t, csrf, c.parts...)
		p := b.Send(http.MethodPost, "/files", body.String(), "Content-Type", contentType, "Origin", w.Server.URL)
		if p.StatusCode != c.status {
			t.Errorf("%s: %s", name, p.Status)
		}
		if c.status == 200 && (len(f.got) != 1 || f.got[0].Field != c.want.Field || !bytes.Equal(f.got[0].Content, c.want.Content) || f.got[0].TooLarge != c.want.TooLarge || f.chosen[0] != (c.want.Field != "")) {
			t.Errorf("%s: %d files", name, len(f.got))
		}
		if c.status != 200 && len(f.got) > 0 {
			t.Errorf("%s reaches the page", name)
		}
	}
	if len(f.onDisk) > 0 {
		t.Errorf("%q are on the disk", f.onDisk)
	}
}

// A stranger's file is not read, nor one that another site sends in somebody's name.
func TestAttackUploadOfStrangers(t *testing.T) {
	t.Parallel()
	f := &files{}
	w := newFiles(t, f)
	alice := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	_, fields := alice.Open("/files").Form(t)
	_, ofBob := w.NewBrowser().SignIn("bob@example.com", lab.BobPass).Open("/files").Form(t)
	send := func(b *lab.Browser, csrf string, header ...string) lab.Page {
		body, contentType := multipartForm(t, csrf, part{"file", "a.jpg", []byte("one")})
		return b.Send(http.MethodPost, "/files", body.String(), append([]string{"Content-Type", contentType}, header...)...)
	}
	if p := send(w.NewBrowser(), fields.Get("csrf"), "Origin", w.Server.URL); p.StatusCode != http.StatusSeeOther || !strings.Contains(p.Header.Get("Location"), "/signin") {
		t.Errorf("nobody: %s %s", p.Status, p.Header.Get("Location"))
	}
	for name, p := range map[string]lab.Page{
		"without the hidden field": send(alice, "", "Origin", w.Server.URL), "with that of another browser": send(alice, ofBob.Get("csrf"), "Origin", w.Server.URL),
		"cross-site":  send(alice, fields.Get("csrf"), "Origin", "https://evil.test", "Sec-Fetch-Site", "cross-site"),
		"urlencoded":  alice.Send(http.MethodPost, "/files", "csrf="+fields.Get("csrf"), "Content-Type", "application/x-www-form-urlencoded", "Origin", w.Server.URL),
		"no boundary": alice.Send(http.MethodPost, "/files", "x", "Content-Type", "multipart/form-data", "Origin", w.Server.URL),
	} {
		if p.StatusCode != http.StatusForbidden && p.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", name, p.Status)
		}
	}
	if len(f.got) > 0 {
		t.Errorf("%d files are received", len(f.got))
	}
}

// A file that drips keeps its place no longer than the page is patient.
func TestAttackUploadThatDrips(t *testing.T) {
	t.Parallel()
	f := &files{patience: 300 * time.Millisecond}
	w := newFiles(t, f)
	b := w.NewBrowser().SignIn("alice@example.com", lab.AlicePass)
	_, fields := b.Open("/files").Form(t)
	body, contentType := multipartForm(t, fields.Get("csrf"), part{"file", "a.jpg", []byte(strings.Repeat("x", 1000))})
	sent, drip := io.Pipe()
	r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, w.Server.URL+"/files", sent))(t)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Origin", w.Server.URL)
	go func() { _, _ = drip.Write(body.Bytes()[:body.Len()/2]) }() // and no more
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		answer, err := (&http.Client{Jar: b.HTTP.Jar, Transport: testkit.OwnConnections(t)}).Do(r)
		if err == nil {
			answer.Body.Close()
		}
		if err == nil && answer.StatusCode == http.StatusOK {
			t.Error("half a file is received")
		}
	}()
	select {
	case <-answered:
	case <-time.After(8 * time.Second):
		t.Error("it is waited for")
	}
	drip.Close()
	if len(f.got) > 0 {
		t.Error("half a file reaches the page")
	}
}
