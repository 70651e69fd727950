package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

var (
	// errCut says that there was no answer: whether the request was carried out is
	// unknown.
	errCut = errors.New("the connection was cut")

	// errUnavailable says that the answer was a proper 503, which leaves that
	// unknown as well.
	errUnavailable = errors.New("503")
)

// browser is a browser, or an application's server: they differ in what they send.
type browser struct {
	http    http.Client
	url     func() string // of a process
	address string        // that it seems to come from
}

// patience is how long the tests wait for what must come to pass. It bounds a test that
// fails; how long what succeeds takes depends on the machine.
const patience = 5 * time.Minute

// transport is shared, so that the processes see connections that are kept.
var transport = &http.Transport{MaxIdleConnsPerHost: 64}

func newBrowser(address string, url func() string) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err)
	}
	return &browser{http: http.Client{
		Jar: jar, Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, url: url, address: address}
}

// copy returns a browser with the same cookies, as somebody who has stolen them.
func (v *browser) copy() *browser {
	c := newBrowser(v.address, v.url)
	site := &url.URL{Scheme: "http", Host: "127.0.0.1", Path: "/"}
	c.http.Jar.SetCookies(site, v.http.Jar.Cookies(site))
	return c
}

// page is an answer that has been read.
type page struct {
	*http.Response
	body string
}

func (p page) String() string {
	return fmt.Sprintf("%s %s: %s %s\n%.600s", p.Request.Method, p.Request.URL.Path, p.Status, p.Header.Get("Location"), p.body)
}

func (v *browser) get(path string) (page, error) {
	r, err := http.NewRequest(http.MethodGet, v.url()+path, nil)
	if err != nil {
		return page{}, err
	}
	return v.do(r)
}

func (v *browser) post(path string, form url.Values) (page, error) {
	r, err := http.NewRequest(http.MethodPost, v.url()+path, strings.NewReader(form.Encode()))
	if err != nil {
		return page{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.do(r)
}

func (v *browser) do(r *http.Request) (page, error) {
	r.Header.Set("X-Forwarded-For", v.address)
	response, err := v.http.Do(r)
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", errCut, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", errCut, err)
	}
	p := page{response, string(body)}
	if p.StatusCode == http.StatusServiceUnavailable {
		return p, p.checkUnavailable()
	}
	if p.StatusCode >= http.StatusInternalServerError {
		return p, fmt.Errorf("wrong answer: %v", p)
	}
	return p, nil
}

// checkUnavailable returns errUnavailable for a 503 that says when to come back and
// holds nothing that could be used.
func (p page) checkUnavailable() error {
	var body map[string]any
	switch {
	case p.Header.Get("Retry-After") == "":
		return fmt.Errorf("503 without Retry-After: %v", p)
	case !strings.HasPrefix(p.Header.Get("Content-Type"), "application/json"):
		return errUnavailable
	case json.Unmarshal([]byte(p.body), &body) != nil || body["error"] != "temporarily_unavailable":
		return fmt.Errorf("503 without temporarily_unavailable: %v", p)
	}
	if names := slices.Sorted(maps.Keys(body)); !slices.Equal(names, []string{"error", "error_description"}) {
		return fmt.Errorf("503 with %v", names)
	}
	return errUnavailable
}

// open gets a page and goes along redirects within the provider.
func (v *browser) open(path string) (page, error) {
	p, err := v.get(path)
	return v.follow(p, err)
}

func (v *browser) follow(p page, err error) (page, error) {
	for range 10 {
		if err != nil {
			return p, err
		}
		location := p.Header.Get("Location")
		if !strings.HasPrefix(location, "/") {
			return p, nil
		}
		p, err = v.get(location)
	}
	return p, fmt.Errorf("redirects do not end: %v", p)
}

// submit fills in the form of a page and posts it. What answers, a redirect too, is
// what acknowledges the step.
func (v *browser) submit(p page, values ...string) (page, error) {
	action, fields, err := p.form()
	if err != nil {
		return p, err
	}
	for i := 0; i < len(values); i += 2 {
		fields.Set(values[i], values[i+1])
	}
	return v.post(action, fields)
}

// form returns action and fields of the first form of a page that is posted.
func (p page) form() (action string, fields url.Values, err error) {
	root, err := html.Parse(strings.NewReader(p.body))
	if err != nil {
		return "", nil, err
	}
	form := find(root, func(n *html.Node) bool { return n.Data == "form" && testkit.Attribute(n, "method") == "post" })
	if form == nil {
		return "", nil, fmt.Errorf("a page without a form: %v", p)
	}
	fields = url.Values{}
	find(form, func(n *html.Node) bool {
		if n.Data == "input" && testkit.Attribute(n, "name") != "" {
			fields.Set(testkit.Attribute(n, "name"), testkit.Attribute(n, "value"))
		}
		return false
	})
	return testkit.Attribute(form, "action"), fields, nil
}

// find returns the first element below a node that is wanted.
func find(root *html.Node, wanted func(*html.Node) bool) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && wanted(n) {
			return n
		}
	}
	return nil
}
