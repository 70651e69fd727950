package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// errNotOffered says that a service has no such page, or nothing to fill in there.
var errNotOffered = errors.New("this service does not offer it")

// visitor is a browser within this process: what people of the quickstart do by themselves, they
// do on its pages.
type visitor struct {
	client *http.Client
	base   string
	at     *url.URL
	page   *html.Node
}

func newVisitor(base string, service http.Handler) *visitor {
	jar, _ := cookiejar.New(nil) // whose error is always nil
	return &visitor{client: &http.Client{Jar: jar, Transport: local{service}}, base: base}
}

// local has a handler answer requests without a network.
type local struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (l local) RoundTrip(r *http.Request) (*http.Response, error) {
	in := r.Clone(r.Context())
	in.RequestURI, in.RemoteAddr, in.Host = r.URL.RequestURI(), "127.0.0.1:1", r.URL.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	a := &answer{header: http.Header{}, status: http.StatusOK}
	l.ServeHTTP(a, in)
	return &http.Response{
		StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.header,
		Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: r,
	}, nil
}

type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

// open opens a page below the base URL.
func (v *visitor) open(ctx context.Context, path string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+path, http.NoBody)
	if err != nil {
		return err
	}
	return v.do(r)
}

func (v *visitor) do(r *http.Request) error {
	response, err := v.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	v.at = response.Request.URL
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return fmt.Errorf("%s: %w", v.at.Path, errNotOffered)
	default:
		return fmt.Errorf("%s answers %s", v.at.Path, response.Status)
	}
	v.page, err = html.Parse(response.Body)
	return err
}

// submit sends the first form that is posted and has a field or a button of this name. Pairs of
// name and value fill it in.
func (v *visitor) submit(ctx context.Context, name string, pairs ...string) error {
	action, fields, err := v.form(name)
	if err != nil {
		return err
	}
	for i := 0; i < len(pairs); i += 2 {
		fields.Set(pairs[i], pairs[i+1])
	}
	return v.post(ctx, action, "application/x-www-form-urlencoded", strings.NewReader(fields.Encode()))
}

// upload sends a file in the form that has a field of this name.
func (v *visitor) upload(ctx context.Context, name string, file []byte) error {
	action, fields, err := v.form(name)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for field := range fields {
		if field != name {
			err = errors.Join(err, w.WriteField(field, fields.Get(field)))
		}
	}
	part, failed := w.CreateFormFile(name, name+".png")
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	_, _ = part.Write(file) // into memory
	if err := w.Close(); err != nil {
		return err
	}
	return v.post(ctx, action, w.FormDataContentType(), &body)
}

func (v *visitor) post(ctx context.Context, action, mediaType string, body io.Reader) error {
	to, err := v.at.Parse(action)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set("Origin", to.Scheme+"://"+to.Host)
	return v.do(r)
}

// press sends the form whose address ends so, as it is.
func (v *visitor) press(ctx context.Context, end string) error {
	for form := range v.forms() {
		if action := valueOf(form, "action"); strings.HasSuffix(action, end) {
			return v.post(ctx, action, "application/x-www-form-urlencoded", strings.NewReader(filledIn(form).Encode()))
		}
	}
	return fmt.Errorf("%s has no form to %s: %w", v.at.Path, end, errNotOffered)
}

// form returns where a form goes and what is in it.
func (v *visitor) form(name string) (action string, fields url.Values, err error) {
	for form := range v.forms() {
		for n := range form.Descendants() {
			if valueOf(n, "name") == name {
				return valueOf(form, "action"), filledIn(form), nil
			}
		}
	}
	return "", nil, fmt.Errorf("%s has no form with %s: %w", v.at.Path, name, errNotOffered)
}

// forms are those of the page that are posted.
func (v *visitor) forms() iter.Seq[*html.Node] {
	return func(yield func(*html.Node) bool) {
		for n := range v.page.Descendants() {
			if n.Data == "form" && strings.EqualFold(valueOf(n, "method"), http.MethodPost) && !yield(n) {
				return
			}
		}
	}
}

// filledIn is what is in a form before it is filled in.
func filledIn(form *html.Node) url.Values {
	fields := url.Values{}
	for n := range form.Descendants() {
		switch name := valueOf(n, "name"); {
		case name == "":
		case n.Data == "input":
			fields.Set(name, valueOf(n, "value"))
		case n.Data == "textarea":
			fields.Set(name, wordsIn(n))
		}
	}
	return fields
}

// text returns the text of the first element that is meant, or "".
func (v *visitor) text(meant func(*html.Node) bool) string {
	for n := range v.page.Descendants() {
		if n.Type == html.ElementNode && meant(n) {
			return wordsIn(n)
		}
	}
	return ""
}

func wordsIn(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text.WriteString(d.Data)
		}
	}
	return text.String()
}

func valueOf(n *html.Node, attribute string) string {
	for _, a := range n.Attr {
		if a.Key == attribute {
			return a.Val
		}
	}
	return ""
}
