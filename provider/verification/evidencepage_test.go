package verification_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// documents are the pages of a service that asks for both sides of a card, and for a letter
// as a PDF, or for some of these only.
type documents struct {
	*pages
	folder string
	blobs  *awayBlobs
}

// awayBlobs is a folder that is away at times.
type awayBlobs struct {
	verification.Blobs
	away bool
}

func (b *awayBlobs) Put(ctx context.Context, name string, content io.Reader) error {
	if b.away {
		return errors.New("it is not mounted")
	}
	return b.Blobs.Put(ctx, name, content)
}

func newDocuments(t *testing.T, only ...string) documents {
	t.Helper()
	text := func(s string) verification.Text { return verification.Text{English: s} }
	asked := slices.DeleteFunc([]verification.Requirement{
		{Name: "front", Title: text("Front of the card"), Must: []verification.Text{text("Your name")}, Example: "/example.png"},
		{Name: "back", Title: text("Back of the card")},
		{Name: "letter", Title: text("A letter"), PDF: true},
	}, func(r verification.Requirement) bool { return len(only) > 0 && !slices.Contains(only, r.Name) })
	policies := verification.Policies{{Group: "student", Rule: verification.By(verification.Document(verification.DocumentConfig{Require: asked}))}}
	w := lab.New(t, func(c *provider.Config) { c.Verifiers = policies.Verifiers() }).WithClients().WithUsers()
	d := documents{folder: filepath.Join(t.TempDir(), "evidence")}
	blobs := testkit.Must(verification.Folder(d.folder))(w.T)
	d.blobs = &awayBlobs{Blobs: blobs}
	service := testkit.Must(verification.New(verification.Config{
		Provider: w.Provider, Store: w.Store.(storage.Verification), Policies: policies, Mailer: w.Mails, Clock: w.Now, Blobs: d.blobs,
	}))(w.T)
	mux := http.NewServeMux()
	mux.Handle("/verification/", service)
	mux.Handle("/", w.Provider)
	w.Server.Config.Handler = mux
	d.pages = &pages{w, service}
	return d
}

// open begins a case and returns the address of its page of files.
func (d documents) open(b *lab.Browser) string {
	d.T.Helper()
	p := d.begin(b, "document")
	if !strings.HasSuffix(p.Request.URL.Path, "/evidence") {
		d.T.Fatalf("it is at %s", p.Request.URL)
	}
	at := p.Request.URL.Path
	if strings.Contains(p.Text, "Your name, as on the document") {
		post(d.T, b, p, at+"/name", "version", hiddenVersion.FindStringSubmatch(p.Text)[1], "document-name", "Bob Baker")
	}
	return at
}

// TestDocumentWithItsName sends the name that a document has in the form of its first file, and
// all with the last.
func TestDocumentWithItsName(t *testing.T) {
	t.Parallel()
	const missing, noFile, long = "Enter your name, as on the document", "Choose a file or take a picture first", "Use up to 120 characters"
	claims := func(t *testing.T, d documents, name string, state storage.CaseState) {
		t.Helper()
		all := testkit.Must(d.Cases(t.Context(), storage.CaseFilter{Subject: "bob"}))(d.T)
		if len(all) != 1 || all[0].Claimed != name || all[0].State != state {
			t.Errorf("%+v", all)
		}
	}
	t.Run("OfOnePictureIsOneForm", func(t *testing.T) {
		t.Parallel()
		d := newDocuments(t, "front")
		bob := d.Bob()
		at := d.begin(bob, "document").Request.URL.Path
		shows(t, bob.Open(at), http.StatusOK, "Your name, as on the document", "Send for review")
		if p := bob.Open(at); strings.Contains(p.Text, "Step 1") || strings.Count(p.Text, "Send for review") != 1 {
			t.Errorf("one form has no steps\n%s", p.Text)
		}
		picture := snapshot(1, "x")
		shows(t, send(t, bob, at, "front", nil, "document-name", "", "action", "submit"), http.StatusUnprocessableEntity, missing, noFile)
		for name, says := range map[string]string{" - ": missing, strings.Repeat("b", 300): long} {
			shows(t, send(t, bob, at, "front", []byte("GIF89a"), "document-name", name, "action", "submit"), http.StatusUnprocessableEntity, says, name, "isn’t a PNG")
		}
		p := send(t, bob, at, "front", picture, "document-name", strings.Repeat("b", 300), "action", "submit")
		shows(t, p, http.StatusUnprocessableEntity, long, "What we received", "Send for review")
		claims(t, d, "", storage.CaseOpen)
		shows(t, bob.Follow(post(t, bob, p, previews(p)[0]+"/remove")), http.StatusOK, "Not uploaded yet")
		p = send(t, bob, at, "front", nil, "document-name", "Bob Baker", "action", "submit")
		shows(t, p, http.StatusUnprocessableEntity, noFile, "Bob Baker", "Send for review")
		stale := hiddenVersion.FindStringSubmatch(p.Text)[1]
		shows(t, bob.Follow(post(t, bob, p, at+"/name", "version", stale, "document-name", "\u202eRobert\u200b  Baker")), http.StatusOK, "Robert Baker")
		shows(t, bob.Follow(send(t, bob, at, "front", picture, "version", stale, "action", "submit")), http.StatusOK, "What we received", "Robert Baker")
		claims(t, d, "Robert Baker", storage.CaseOpen)
		shows(t, d.submit(bob, at), http.StatusOK, "in review")
	})
	t.Run("SentTwiceIsOneCase", func(t *testing.T) {
		t.Parallel()
		d := newDocuments(t, "front")
		bob := d.Bob()
		at := d.begin(bob, "document").Request.URL.Path
		page := bob.Open(at)
		body, contentType := form(t, csrf(t, page), "front", "file", snapshot(1, "x"), "document-name", "Bob Baker", "action", "submit",
			"version", hiddenVersion.FindStringSubmatch(page.Text)[1])
		twice := make(chan lab.Page)
		for range 2 {
			go func() {
				twice <- bob.Send(http.MethodPost, at, body.String(), "Content-Type", contentType, "Origin", d.Server.URL)
			}()
		}
		for range 2 {
			if p := <-twice; p.StatusCode != http.StatusSeeOther {
				t.Errorf("%s\n%s", p.Status, p.Text)
			}
		}
		shows(t, bob.Send(http.MethodPost, at, body.String(), "Content-Type", contentType, "Origin", d.Server.URL), http.StatusSeeOther)
		claims(t, d, "Bob Baker", storage.CaseReview)
		files := testkit.Must(d.Evidence(t.Context(), caseOf(at)))(d.T)
		if there := slices.DeleteFunc(files, func(f verification.EvidenceFile) bool { return f.Replaced || !f.ShreddedAt.IsZero() }); len(there) != 1 {
			t.Errorf("%+v", there)
		}
	})
	t.Run("OfSeveralStandsWithTheFirst", func(t *testing.T) {
		t.Parallel()
		d := newDocuments(t)
		bob := d.Bob()
		p := d.begin(bob, "document")
		at := p.Request.URL.Path
		shows(t, p, http.StatusOK, "Your name, as on the document", "Step 1 of 3", "Step 3 of 3")
		for _, kind := range []string{"front", "back", "letter"} {
			send(t, bob, at, kind, snapshot(1, "x"))
		}
		shows(t, d.submit(bob, at), http.StatusUnprocessableEntity, missing)
		p = post(t, bob, p, at+"/submit", "version", hiddenVersion.FindStringSubmatch(p.Text)[1], "document-name", "Bob Baker")
		shows(t, bob.Follow(p), http.StatusOK, "in review")
		claims(t, d, "Bob Baker", storage.CaseReview)
		alice := d.Alice()
		shows(t, d.begin(alice, "document"), http.StatusOK, "Alice", `type="file"`)
	})
}

var hiddenCSRF = regexp.MustCompile(`name="csrf" value="([^"]*)"`)

func csrf(t testing.TB, p lab.Page) string {
	t.Helper()
	found := hiddenCSRF.FindStringSubmatch(p.Text)
	if found == nil {
		t.Fatalf("%s: no form\n%s", p.Request.URL, p.Text)
	}
	return found[1]
}

// form is a form with a file, and more fields by name and value.
func form(t testing.TB, csrf, kind, field string, raw []byte, more ...string) (body *bytes.Buffer, contentType string) {
	t.Helper()
	body = new(bytes.Buffer)
	w := multipart.NewWriter(body)
	err := errors.Join(w.WriteField("csrf", csrf), w.WriteField("kind", kind))
	for i := 0; i < len(more); i += 2 {
		err = errors.Join(err, w.WriteField(more[i], more[i+1]))
	}
	part, creating := w.CreateFormFile(field, "card.jpg")
	if err = errors.Join(err, creating); err == nil {
		_, err = part.Write(raw)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return body, w.FormDataContentType()
}

// send sends a file from the page of files, and returns the answer.
func send(t testing.TB, b *lab.Browser, at, kind string, raw []byte, more ...string) lab.Page {
	t.Helper()
	p := b.Open(at)
	if !slices.Contains(more, "version") {
		more = append(more, "version", hiddenVersion.FindStringSubmatch(p.Text)[1])
	}
	body, contentType := form(t, csrf(t, p), kind, "file", raw, more...)
	return b.Send(http.MethodPost, at, body.String(), "Content-Type", contentType, "Origin", b.Fixture.Server.URL)
}

// snapshot is a picture with a comment.
func snapshot(shade uint8, comment string) []byte {
	p := image.NewRGBA(image.Rect(0, 0, 240, 160))
	for i := range 240 * 160 {
		p.SetRGBA(i%240, i/240, color.RGBA{shade, uint8(i), uint8(i / 240), 255})
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, p, nil)
	raw := b.Bytes()
	segment := append([]byte{0xff, 0xfe, 0, byte(len(comment) + 2)}, comment...)
	return append(append(raw[:2:2], segment...), raw[2:]...)
}

var previewURL = regexp.MustCompile(`src="(/verification/case/[^"]+/evidence/[0-9a-f]{32})"`)

// previews are the addresses of the pictures on a page.
func previews(p lab.Page) (all []string) {
	for _, found := range previewURL.FindAllStringSubmatch(p.Text, -1) {
		all = append(all, found[1])
	}
	return all
}

// post sends a form without a file.
func post(t testing.TB, b *lab.Browser, from lab.Page, to string, pairs ...string) lab.Page {
	t.Helper()
	fields := map[string][]string{"csrf": {csrf(t, from)}}
	for i := 0; i < len(pairs); i += 2 {
		fields[pairs[i]] = []string{pairs[i+1]}
	}
	return b.Post(to, fields)
}

var hiddenVersion = regexp.MustCompile(`name="version" value="(\d+)"`)

func (d documents) submit(b *lab.Browser, at string) lab.Page {
	d.T.Helper()
	p := b.Open(at)
	return b.Follow(post(d.T, b, p, at+"/submit", "version", hiddenVersion.FindStringSubmatch(p.Text)[1]))
}

func caseOf(at string) string { return strings.Split(at, "/")[3] }

// TestDocumentIsSentBackAndSentAgain is a document from its first picture to the approval.
func TestDocumentIsSentBackAndSentAgain(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	ctx, b := t.Context(), d.Bob()
	at := d.open(b)
	p := b.Open(at)
	shows(t, p, http.StatusOK, "Cover what isn’t needed", "Your name", "/example.png", "Take a picture or choose a file", "Not uploaded yet",
		"PNG, JPEG, WebP or PDF", "7 days after the decision", "When everything has been uploaded")
	lab.Safe(t, p)
	shows(t, send(t, b, at, "front", nil), http.StatusUnprocessableEntity, "Choose a file or take a picture first", `href="#file-front"`)
	for _, kind := range []string{"front", "back"} {
		p = b.Follow(send(t, b, at, kind, snapshot(1, "x")))
		shows(t, p, http.StatusOK, "Your file has arrived", "What we received")
	}
	if p := post(t, b, p, at+"/submit", "version", "1"); p.StatusCode == http.StatusOK {
		t.Errorf("an old version, and a missing letter: %s", p.Status)
	}
	seen := previews(b.Open(at))
	if len(seen) != 2 {
		t.Fatalf("%q are shown", seen)
	}
	picture := b.Get(seen[0])
	if _, err := jpeg.Decode(strings.NewReader(picture.Text)); err != nil || picture.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("the picture is %s: %v", picture.Header, err)
	}
	p = b.Follow(post(t, b, p, seen[1]+"/remove"))
	shows(t, p, http.StatusOK, "The file has been deleted")
	shows(t, b.Get(seen[1]), http.StatusNotFound)
	b.Follow(send(t, b, at, "back", snapshot(2, "x")))
	shows(t, b.Follow(send(t, b, at, "letter", []byte("%PDF-1.7\n%%EOF"))), http.StatusOK, "We received a PDF", "Send for review")
	shows(t, d.submit(b, at), http.StatusOK, "in review")

	id, rita := caseOf(at), storage.Reviewer{ID: "rita"}
	review := func(decision verification.Decision) {
		t.Helper()
		c := testkit.Must(d.Take(ctx, rita, id, d.Now().Add(time.Hour)))(d.T)
		files := testkit.Must(d.Evidence(ctx, id))(d.T)
		for _, f := range files {
			_, r, err := d.OpenEvidence(ctx, rita, id, f.ID)
			if f.ShreddedAt.IsZero() != (err == nil) {
				t.Errorf("%+v: %v", f, err)
			}
			if err == nil {
				_, err = io.Copy(io.Discard, r)
				d.OK(errors.Join(err, r.Close()))
			}
		}
		testkit.Must(d.Decide(ctx, rita, id, c.Version, decision))(d.T)
		d.Advance(11 * time.Second)
		testkit.Must(d.Case(ctx, id))(d.T)
	}
	review(verification.Decision{Kind: storage.DecisionAskAgain, Reasons: []verification.Reason{verification.ReasonUnreadable}, Kinds: []string{"back"}})
	p = b.Open(at)
	shows(t, p, http.StatusOK, "We need something else", "It couldn’t be read", "Needed again", "This one is fine")
	if n := strings.Count(p.Text, `type="file"`); n != 1 || len(previews(p)) != 2 {
		t.Errorf("%d inputs for the one file that failed, %d pictures", n, len(previews(p)))
	}
	if p := send(t, b, at, "front", snapshot(3, "x")); p.StatusCode != http.StatusSeeOther || len(previews(b.Open(at))) != 2 {
		t.Errorf("the file that is fine is sent again: %s", p.Status)
	}
	b.Follow(send(t, b, at, "back", snapshot(3, "x")))
	shows(t, d.submit(b, at), http.StatusOK, "in review")
	for _, one := range []struct {
		decision verification.Decision
		field    string
	}{
		{verification.Decision{Kind: storage.DecisionApprove, NameMatches: true}, "Answers"},
		{verification.Decision{Kind: storage.DecisionApprove, NameMatches: true, Answers: map[string][]bool{"front": {false}}}, "Answers"},
		{verification.Decision{Kind: storage.DecisionApprove, Answers: map[string][]bool{"front": {true}}}, "NameMatches"},
	} {
		c := testkit.Must(d.Take(ctx, rita, id, d.Now().Add(time.Minute)))(d.T)
		var wrong *provider.FieldError
		if _, err := d.Decide(ctx, rita, id, c.Version, one.decision); !errors.As(err, &wrong) || wrong.Field != one.field {
			t.Errorf("approved by %+v: %v", one.decision, err)
		}
	}
	review(verification.Decision{Kind: storage.DecisionApprove, NameMatches: true, Answers: map[string][]bool{"front": {true}}})
	shows(t, b.Open("/verification/case/"+id), http.StatusOK, "You’re verified")
	shows(t, b.Follow(b.Get(at)), http.StatusOK, "You’re verified")
}

// TestAttackEvidenceOfAnother has the addresses of somebody else's files.
func TestAttackEvidenceOfAnother(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	alice, bob := d.Alice(), d.Bob()
	at := d.open(alice)
	p := alice.Follow(send(t, alice, at, "front", snapshot(1, "x")))
	picture := previews(p)[0]
	if got := alice.Get(picture); got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("it may be kept: %s", got.Header)
	}
	own := d.open(bob)
	mine := strings.Replace(picture, caseOf(at), caseOf(own), 1)
	body, contentType := form(t, csrf(t, bob.Open(own)), "front", "file", snapshot(2, "x"))
	for name, answer := range map[string]lab.Page{
		"the page":                        bob.Get(at),
		"the picture":                     bob.Get(picture),
		"the picture in a case of his":    bob.Get(mine),
		"removing it":                     post(t, bob, bob.Open(own), picture+"/remove"),
		"removing it in a case of his":    post(t, bob, bob.Open(own), mine+"/remove"),
		"sending one":                     bob.Send(http.MethodPost, at, body.String(), "Content-Type", contentType, "Origin", d.Server.URL),
		"submitting":                      post(t, bob, bob.Open(own), at+"/submit", "version", "1"),
		"a case that there is not":        bob.Get(strings.Replace(at, caseOf(at), "x", 1)),
		"a file that there is not":        bob.Get(own + "/00000000000000000000000000000000"),
		"a file that leads elsewhere":     bob.Get(own + "/..%2f..%2fidentity.db"),
		"the picture for who is nobody":   d.NewBrowser().Open(picture),
		"the page for who is signed out":  d.NewBrowser().Open(at),
		"a case of hers by another's way": bob.Get(strings.Replace(at, "/evidence", "/evidence/submit", 1)),
	} {
		signsIn := strings.Contains(answer.Request.URL.Path, "/signin")
		if answer.StatusCode != http.StatusNotFound && !signsIn || strings.Contains(answer.Text, "JFIF") || answer.Header.Get("Content-Type") == "image/jpeg" {
			t.Errorf("%s: %s at %s", name, answer.Status, answer.Request.URL)
		}
	}
	if got := alice.Get(picture); got.StatusCode != http.StatusOK {
		t.Errorf("her picture: %s", got.Status)
	}
}

// TestAttackScriptInAnUpload has files that would run in a browser.
func TestAttackScriptInAnUpload(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	b := d.Bob()
	at := d.open(b)
	const script = "<script>alert(1)</script>"
	for name, c := range map[string]struct {
		raw  string
		says string
	}{
		"an SVG":                  {`<svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`, "SVG files aren’t accepted"},
		"HTML":                    {"<!DOCTYPE html>" + script, "This isn’t a PNG, JPEG or WebP picture"},
		"a PDF":                   {"%PDF-1.7\n" + script, "PDF files aren’t accepted here"},
		"a HEIC picture":          {"\x00\x00\x00\x24ftypheic\x00\x00\x00\x00" + script, "HEIC pictures aren’t accepted"},
		"a GIF that is a script":  {"GIF89a/*" + script + "*/=1;", "This isn’t a PNG, JPEG or WebP picture"},
		"a JPEG that is cut off":  {string(snapshot(1, script)[:600]), "The picture is damaged"},
		"a name of a JPEG, alone": {"\xff\xd8", "The picture is damaged"},
	} {
		p := send(t, b, at, "front", []byte(c.raw))
		shows(t, p, http.StatusUnprocessableEntity, c.says)
		if strings.Contains(p.Text, script) {
			t.Errorf("%s is reflected", name)
		}
	}
	for _, raw := range [][]byte{snapshot(1, script), append(snapshot(1, "x"), script...), append(snapshot(1, "x"), "PK\x03\x04"+script...)} {
		picture := b.Get(previews(b.Follow(send(t, b, at, "front", raw)))[0])
		if strings.Contains(picture.Text, "script") || strings.Contains(picture.Text, "PK\x03\x04") {
			t.Error("a second file comes out again")
		}
		for header, want := range map[string]string{
			"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := picture.Header.Get(header); got != want {
				t.Errorf("%s is %q", header, got)
			}
		}
	}
	// A PDF that is taken is shown to nobody.
	p := b.Follow(send(t, b, at, "letter", []byte("%PDF-1.7\n"+script)))
	files := testkit.Must(d.Evidence(t.Context(), caseOf(at)))(d.T)
	letter := files[len(files)-1]
	if letter.MediaType != "application/pdf" || len(previews(p)) != 1 {
		t.Fatalf("%+v, %q", letter, previews(p))
	}
	shows(t, b.Get(at+"/"+letter.ID), http.StatusNotFound)
}

// TestUploadBehindNginx sends the largest picture there is, with and without the line of docs/operate.md.
func TestUploadBehindNginx(t *testing.T) {
	t.Parallel()
	raw := snapshot(1, "x")
	raw = append(raw, make([]byte, 8<<20-len(raw))...)
	for more, want := range map[string]int{"": http.StatusRequestEntityTooLarge, "client_max_body_size 10m; ": http.StatusOK} {
		d := newDocuments(t)
		b := d.Nginx(more+"location / { proxy_pass UPSTREAM; proxy_set_header Host $http_host; }").Browser().SignIn("bob@example.com", lab.BobPass)
		shows(t, b.Follow(send(t, b, d.open(b), "front", raw)), want)
	}
}

// TestAttackFloodOfUploads sends pictures that are too large, and more than there may be.
func TestAttackFloodOfUploads(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	b := d.Bob()
	at := d.open(b)
	shows(t, send(t, b, at, "front", make([]byte, 8<<20+1)), http.StatusUnprocessableEntity, "larger than 8 MB")
	bomb := snapshot(1, "x")
	start := bytes.Index(bomb, []byte{0xff, 0xc0})
	copy(bomb[start+5:], "\xff\x00\xff\x00")
	shows(t, send(t, b, at, "front", bomb), http.StatusUnprocessableEntity, "too many pixels")
	page := b.Open(at)
	body, contentType := form(t, csrf(t, page), "front", "file", snapshot(1, "x"))
	taken, refused := 0, 0
	for range 100 {
		switch p := b.Send(http.MethodPost, at, body.String(), "Content-Type", contentType, "Origin", d.Server.URL); p.StatusCode {
		case http.StatusSeeOther:
			taken++
		case http.StatusTooManyRequests:
			refused++
			if p.Header.Get("Retry-After") == "" {
				t.Error("nobody says when to try again")
			}
		default:
			t.Fatalf("%s\n%s", p.Status, p.Text)
		}
	}
	kept := testkit.Must(os.ReadDir(d.folder))(d.T)
	if taken == 0 || taken > 40 || refused < 60 || len(kept) != 1 {
		t.Errorf("%d are taken, %d refused, %d kept", taken, refused, len(kept))
	}
}

// stalls begins to send what never ends, and returns when the server reads it.
func stalls(t *testing.T, b *lab.Browser, at, contentType string, half []byte) {
	t.Helper()
	sent, drip := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.Fixture.Server.URL+at, sent)
	b.Fixture.OK(err)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Origin", b.Fixture.Server.URL)
	r.Header.Set("Expect", "100-continue") // which the server says when it begins to read
	line := testkit.OwnConnections(t)
	line.ExpectContinueTimeout = time.Hour
	go func() {
		answer, err := (&http.Client{Jar: b.HTTP.Jar, Transport: line}).Do(r)
		if err == nil {
			answer.Body.Close()
		}
	}()
	_, err = drip.Write(half)
	b.Fixture.OK(err)
	t.Cleanup(func() { drip.Close() })
}

// TestAttackUploadsAtATime has somebody send many files that do not end: neither they nor
// others have to wait for those.
func TestAttackUploadsAtATime(t *testing.T) {
	t.Parallel()
	d := newDocuments(t)
	b := d.Bob()
	at := d.open(b)
	body, contentType := form(t, csrf(t, b.Open(at)), "front", "file", snapshot(1, "x"))
	for range 20 {
		stalls(t, b, at, contentType, body.Bytes()[:body.Len()/2])
	}
	alice := d.Alice()
	for _, one := range []struct {
		b  *lab.Browser
		at string
	}{{b, at}, {alice, d.open(alice)}} {
		if p := send(t, one.b, one.at, "front", snapshot(1, "x")); p.StatusCode != http.StatusSeeOther {
			t.Errorf("%s at %s", p.Status, one.at)
		}
	}
}

// TestUploads tests what is read and counted.
func TestUploads(t *testing.T) {
	t.Parallel()
	t.Run("AreReadWhereTheCaseAsksForThem", func(t *testing.T) {
		t.Parallel()
		d := newDocuments(t)
		b := d.Alice()
		at := d.open(b)
		d.OK(d.Withdraw(t.Context(), "alice", caseOf(at)))
		never, _ := io.Pipe()
		r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, d.Server.URL+at, never))(d.T)
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		r.Header.Set("Origin", d.Server.URL)
		r.Close = true // the server waits for the rest of what it does not read, where it means to keep the connection
		answer, err := b.HTTP.Do(r)
		d.OK(err)
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusSeeOther {
			t.Errorf("%s for a file that nobody asks for", answer.Status)
		}
	})
	t.Run("ThatAreNotKeptUseUpNothing", func(t *testing.T) {
		t.Parallel()
		d := newDocuments(t)
		b := d.Alice()
		at := d.open(b)
		d.blobs.away = true
		for i := range 3 * 20 {
			if i == 40 { // what is given back has a bound
				d.Advance(time.Hour)
			}
			shows(t, send(t, b, at, "front", snapshot(1, "x")), http.StatusServiceUnavailable)
		}
		d.blobs.away = false
		if p := send(t, b, at, "front", snapshot(1, "x")); p.StatusCode != http.StatusSeeOther {
			t.Error(p.Status)
		}
	})
}

// TestAttackStolenCopies looks for a picture wherever something is written.
func TestAttackStolenCopies(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	d := newDocuments(t)
	b := d.Alice()
	at := d.open(b)
	raw := snapshot(7, "CANARY 48.8583N")
	picture := []byte(b.Get(previews(b.Follow(send(t, b, at, "front", raw)))[0]).Text)
	b.Follow(send(t, b, at, "back", raw))
	letter := []byte("%PDF-1.7\nCANARY LETTER")
	b.Follow(send(t, b, at, "letter", letter))
	shows(t, d.submit(b, at), http.StatusOK, "in review")
	c, err := d.Take(t.Context(), storage.Reviewer{ID: "rita"}, caseOf(at), d.Now().Add(time.Hour))
	d.OK(err)
	_, err = d.Decide(t.Context(), storage.Reviewer{ID: "rita"}, c.ID, c.Version, verification.Decision{Kind: storage.DecisionDecline, Reasons: []verification.Reason{verification.ReasonNotCurrent}})
	d.OK(err)
	d.Advance(11 * time.Second)
	_, err = d.Case(t.Context(), c.ID)
	d.OK(err)

	written := map[string]string{"the log": d.Log.String(), "the pages": b.Open("/verification/").Text}
	mail, _ := d.Mails.Last(t)
	written["the mails"] = mail.Text + mail.HTML
	events := testkit.Must(d.Events().List(t.Context(), provider.EventFilter{}))(d.T)
	for _, e := range events {
		written["the events"] += e.Detail + "\n"
	}
	for _, folder := range []string{d.folder, filepath.Dir(d.Path), temporary} {
		d.OK(filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				content, reading := os.ReadFile(path)
				written[path], err = string(content), reading
			}
			return err
		}))
	}
	for where, text := range written {
		for what, canary := range map[string]string{
			"the comment": "CANARY 48.8583N", "the letter": "CANARY LETTER", "the picture as sent": string(raw[len(raw)-200 : len(raw)-100]),
			"the picture as kept": string(picture[len(picture)-200 : len(picture)-100]),
		} {
			if strings.Contains(text, canary) {
				t.Errorf("%s is in %s", what, where)
			}
		}
	}
	if n := len(written); n < 8 {
		t.Errorf("only %d places are looked at", n)
	}
}
