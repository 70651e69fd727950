package desk_test

import (
	"bytes"
	"html"
	"image"
	"image/jpeg"
	"mime/multipart"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

// byDocument asks for a card, which has to show two things, and for a letter.
func byDocument(p *verification.Policy) {
	text := func(s string) verification.Text { return verification.Text{English: s} }
	p.Rule = verification.By(verification.Document(verification.DocumentConfig{Require: []verification.Requirement{
		{Name: "card", Title: text("Student card"), Must: []verification.Text{text("The name"), text("A date in this year")}},
		{Name: "letter", Title: text("A letter"), PDF: true},
	}}))
}

const letter = "%PDF-1.7\n<script>alert(1)</script>\n%%EOF"

// sends has bob send both files, and returns where his page of files is.
func (w *place) sends(b *lab.Browser) string {
	w.T.Helper()
	p := b.Submit(b.Open("/verification/student"), "method", "document")
	at := p.Request.URL.Path
	var picture bytes.Buffer
	w.OK(jpeg.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 240, 160)), nil))
	for kind, content := range map[string][]byte{"card": picture.Bytes(), "letter": []byte(letter)} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		w.OK(form.WriteField("csrf", hiddenOf(b.Open(at), "csrf")))
		w.OK(form.WriteField("kind", kind))
		part, err := form.CreateFormFile("file", "file")
		w.OK(err)
		_, err = part.Write(content)
		w.OK(err)
		w.OK(form.Close())
		if p := b.Send(http.MethodPost, at, body.String(), "Content-Type", form.FormDataContentType(), "Origin", w.Server.URL); p.StatusCode != http.StatusSeeOther {
			w.T.Fatalf("%s: %s\n%s", kind, p.Status, p.Text)
		}
	}
	p = b.Open(at)
	b.Follow(postTo(b, at+"/submit", p, "", "version", hiddenOf(p, "version")))
	if c := w.caseOf("bob"); c.State != storage.CaseReview {
		w.T.Fatalf("the case is %s", c.State)
	}
	return at
}

var evidenceAddress = regexp.MustCompile(`"(/desk/evidence/[^"]+)"`)

// addresses are those of the files on a page, each once.
func addresses(p lab.Page) (all []string) {
	for _, found := range evidenceAddress.FindAllStringSubmatch(p.Text, -1) {
		if address := html.UnescapeString(found[1]); !slices.Contains(all, address) {
			all = append(all, address)
		}
	}
	return all
}

func TestEvidenceIsAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	w := newPlace(t, byDocument)
	bob := w.Bob()
	w.sends(bob)
	rita := w.reviewer("rita")
	p := next(rita)
	shows(t, p, http.StatusOK, "Student card", "A date in this year", "A letter", "Download the file", "It has the name <bdi>Bob Builder</bdi>")
	yes := []string{"name", "yes", "answer.card.0", "yes", "answer.card.1", "yes"}
	no := []string{"name", "yes", "answer.card.0", "yes", "answer.card.1", "no"}
	shows(t, post(rita, p, "approve"), http.StatusUnprocessableEntity, "Say whether the document has the person’s name.", "Answer “The name”.")
	shows(t, post(rita, p, "approve", yes[:4]...), http.StatusUnprocessableEntity, "Answer “A date in this year”.")
	shows(t, post(rita, p, "approve", no...), http.StatusUnprocessableEntity, "You have answered no")
	shows(t, post(rita, p, "approve", append([]string{"name", "no"}, yes[2:]...)...), http.StatusUnprocessableEntity, "You have answered no")
	shows(t, post(rita, p, "decline", "reasons.altered", "on"), http.StatusUnprocessableEntity, "Answer “The name”.")
	if w.later("bob"); w.verified("bob") {
		t.Fatal("verified by what was refused")
	}
	p = rita.Follow(post(rita, p, "ask_again", append(no, "reasons.not_current", "on", "note", "See the stamp.")...))
	shows(t, p, http.StatusOK, "Your decision is recorded", "Undo (<span data-seconds>10</span> s)")
	p = rita.Follow(post(rita, p, "undo", "case", w.caseOf("bob").ID))
	shows(t, p, http.StatusOK, "Your decision is taken back", "See the stamp.")
	for _, given := range []string{"name-yes", "answer.card.0-yes", "answer.card.1-no", "reasons.not_current"} {
		if !regexp.MustCompile(`<input[^>]*id="` + given + `"[^>]* checked`).MatchString(p.Text) {
			t.Errorf("%s is to be given again:\n%s", given, p.Text)
		}
	}
	shows(t, rita.Follow(post(rita, p, "ask_again", append(no, "reasons.not_current", "on")...)), http.StatusOK, "Your decision is recorded")
	w.later("bob")
	step, ok := w.caseOf("bob").Step.(verification.Upload)
	if !ok || !slices.Equal(step.Kinds, []string{"card"}) {
		t.Errorf("it is asked for %+v, want the card alone", w.caseOf("bob").Step)
	}
	decisions, err := w.service.Decisions(t.Context(), w.caseOf("bob").ID)
	w.OK(err)
	if got := decisions[1].Answers["card"]; !slices.Equal(got, []bool{true, false}) {
		t.Errorf("the answers are kept as %v", got)
	}
}

func TestEvidenceIsServedInASandbox(t *testing.T) {
	t.Parallel()
	w := newPlace(t, byDocument)
	w.sends(w.Bob())
	rita := w.reviewer("rita")
	files := addresses(next(rita))
	if len(files) != 2 {
		t.Fatalf("%d files on the page", len(files))
	}
	var pictures, attachments int
	for _, address := range files {
		p := rita.Get(address)
		shows(t, p, http.StatusOK)
		for name, want := range map[string]string{
			"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := p.Header.Get(name); !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		switch kind := p.Header.Get("Content-Type"); {
		case kind == "image/jpeg":
			if _, err := jpeg.Decode(strings.NewReader(p.Text)); err != nil {
				t.Error(err)
			}
			pictures++
		case kind == "application/octet-stream" && p.Header.Get("Content-Disposition") == `attachment; filename="evidence.pdf"` && p.Text == letter:
			attachments++
		default:
			t.Errorf("a file is %v", p.Header)
		}
	}
	if pictures != 1 || attachments != 1 {
		t.Errorf("%d pictures and %d attachments", pictures, attachments)
	}
}

func TestEvidenceIsForOneReviewerAndMinutes(t *testing.T) {
	t.Parallel()
	w := newPlace(t, byDocument)
	bob := w.Bob()
	w.sends(bob)
	rita, raul := w.reviewer("rita"), w.reviewer("raul")
	p := next(rita)
	address := addresses(p)[0]
	for _, b := range []*lab.Browser{raul, bob, w.Alice()} {
		shows(t, b.Get(address), http.StatusNotFound)
	}
	if p := w.NewBrowser().Get(address); p.StatusCode == http.StatusOK {
		t.Error("it is served to nobody")
	}
	altered := []byte(address)
	altered[len(altered)-5] ^= 1
	shows(t, rita.Get(string(altered)), http.StatusNotFound)
	shows(t, rita.Get(address), http.StatusOK)
	w.Advance(6 * time.Minute)
	shows(t, rita.Get(address), http.StatusNotFound)
	p = rita.Open(p.Request.URL.Path)
	address = addresses(p)[0]
	shows(t, rita.Get(address), http.StatusOK)

	// The case is another's, and still the address is hers.
	shows(t, rita.Follow(post(rita, p, "return")), http.StatusOK, "given the case back")
	shows(t, rita.Get(address), http.StatusNotFound)
	theirs := addresses(next(raul))[0]
	shows(t, raul.Get(theirs), http.StatusOK)
	shows(t, raul.Get(address), http.StatusNotFound) // though he has the case
	shows(t, rita.Get(address), http.StatusNotFound)
	shows(t, rita.Get(theirs), http.StatusNotFound)
	w.OK(w.service.Withdraw(t.Context(), "bob", w.caseOf("bob").ID))
	shows(t, raul.Get(theirs), http.StatusNotFound)
	if strings.Contains(w.Log.String(), strings.TrimPrefix(theirs, "/desk/evidence/")) {
		t.Error("the log has the address of a file")
	}
}
