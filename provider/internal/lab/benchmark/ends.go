package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// webhooks is how many applications have one.
const webhooks = 16

// ends is how soon is told of statuses that end, while others sign in.
type ends struct {
	Machine string        `json:"machine"`
	Commit  string        `json:"commit"`
	When    time.Time     `json:"when"`
	Workers int           `json:"workers"`
	Ends    int           `json:"ends"`
	Within  time.Duration `json:"within_ns"`
	Each    int           `json:"each"`
	Runs    []*endsOf     `json:"runs"`
}

// endsOf is one server.
type endsOf struct {
	Store    string  `json:"store"`
	Webhooks figures `json:"webhooks"`
	Poll     figures `json:"poll"`
	Follow   figures `json:"follow"`

	// During and After are flows while statuses end, and afterwards.
	During []sample `json:"during"`
	After  []sample `json:"after"`
}

func (*ends) section() string { return "ends" }

func measureEnds(ctx context.Context, o options, dir string) (*ends, error) {
	stop, err := providePostgres(o.postgres)
	if err != nil {
		return nil, err
	}
	defer stop()
	all := &ends{
		Machine: machine(dir), Commit: commit(ctx), When: time.Now().UTC().Truncate(time.Second), Workers: o.workers, Ends: o.ends, Within: o.within, Each: o.each,
	}
	for _, s := range endingServers {
		if !names(o.only, s.name) {
			continue
		}
		if s.available != nil {
			if err := s.available(); err != nil {
				progress("leaving out %s: %v", s.name, err)
				continue
			}
		}
		found, err := endsAt(ctx, o, dir, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		all.Runs = append(all.Runs, found)
	}
	if len(all.Runs) == 0 {
		return nil, fmt.Errorf("-only %q names no server", o.only)
	}
	return all, nil
}

// audience are the listeners outside of the server.
type audience struct {
	telling
	*receivers
	hooks  []*told
	stream *told
}

func newAudience(t telling) (*audience, error) {
	a := &audience{telling: t, stream: newTold(t)}
	for range webhooks {
		a.hooks = append(a.hooks, newTold(t))
	}
	var err error
	a.receivers, err = newReceivers(webhooks, func(i int, body []byte) { a.hooks[i].hear(subjectOf(body)) })
	if err == nil {
		a.Receivers = a.addresses
	}
	return a, err
}

// starts says when the first status ends.
func (a *audience) starts(begin time.Time) {
	a.stream.starts(begin)
	for _, hook := range a.hooks {
		hook.starts(begin)
	}
}

// figures are those of all, and whether that is all that they are to hear.
func (a *audience) figures(server string) (f endsOf, all bool, err error) {
	if f.Follow, err = askFollowed(server); err != nil {
		return f, false, err
	}
	f.Webhooks, f.Poll = figuresOf(a.hooks...), figuresOf(a.stream)
	return f, f.Follow.Told == a.Ends && f.Webhooks.Told+f.Poll.Told == a.Ends*a.Each, nil
}

func askFollowed(server string) (f figures, err error) {
	answer, err := http.Get(server + followedPath)
	if err != nil {
		return f, err
	}
	defer answer.Body.Close()
	return f, json.NewDecoder(answer.Body).Decode(&f)
}

// patience is how long after the last end is waited for who has not heard.
const patience = time.Minute

// endsAt measures one server.
func endsAt(ctx context.Context, o options, dir string, s server) (*endsOf, error) {
	home, err := newFolder(dir, s.name)
	if err != nil {
		return nil, err
	}
	a, err := newAudience(telling{Ends: o.ends, Within: o.within, Each: o.each})
	if err != nil {
		return nil, err
	}
	defer a.close()
	s.telling = &a.telling
	progress("starting %s with %d statuses", s.name, o.ends)
	r, err := launch(s, home, o)
	if err != nil {
		return nil, err
	}
	defer r.stop()
	a.starts(r.Target.Begin)
	address := "http://" + r.Addr
	stream, err := newStream(ctx, address, a.stream)
	if err != nil {
		return nil, err
	}
	listening, leave := context.WithCancel(ctx)
	defer leave()
	polled := make(chan error, 1)
	go func() { polled <- stream.listen(listening) }()
	time.Sleep(time.Until(r.Target.Begin))

	var during, after []sample
	last := r.Target.Begin.Add(o.within)
	var found endsOf
	for heard := false; !heard && time.Now().Before(last.Add(patience)); {
		busy := time.Now().Before(last.Add(-o.length))
		m, err := measure(ctx, r, flows, o.workers, o.length)
		if err != nil {
			return nil, err
		}
		if busy {
			during = append(during, m)
		}
		if found, heard, err = a.figures(address); err != nil {
			return nil, err
		}
		progress("%-24s %s  told %d by webhooks, %d by poll, %d by Follow; the last %.1f, %.1f and %.1f s late", s.name, m.line(flows),
			found.Webhooks.Told, found.Poll.Told, found.Follow.Told, found.Webhooks.Longest, found.Poll.Longest, found.Follow.Longest)
	}
	leave()
	if err := <-polled; err != nil {
		return nil, err
	}
	for range o.rounds {
		m, err := measure(ctx, r, flows, o.workers, o.length)
		if err != nil {
			return nil, err
		}
		after = append(after, m)
	}
	found.Store, found.During, found.After = s.store, during, after
	return &found, nil
}

// stream is one of Shared Signals that is polled.
type stream struct {
	address, token string
	told           *told
}

// newStream has the last application make its stream.
func newStream(ctx context.Context, address string, t *told) (*stream, error) {
	s := &stream{address: address, told: t}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/oauth/token",
		strings.NewReader(url.Values{"grant_type": {"client_credentials"}, "scope": {"ssf.read ssf.manage"}}.Encode()))
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth(application(webhooks), clientSecret)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := call(request, http.StatusOK, &answer); err != nil {
		return nil, err
	}
	s.token = answer.Token
	return s, s.post(ctx, "/ssf/stream", http.StatusCreated, struct{}{}, &struct{}{})
}

// listen polls until ctx ends, no more often than an application may.
func (s *stream) listen(ctx context.Context) error {
	type poll struct {
		Max  int      `json:"maxEvents"`
		Acks []string `json:"ack"`
	}
	for next := (poll{Max: 100, Acks: []string{}}); ctx.Err() == nil; {
		var got struct {
			Sets map[string]string `json:"sets"`
			More bool              `json:"moreAvailable"`
		}
		if err := s.post(ctx, "/ssf/poll", http.StatusOK, next, &got); err != nil && ctx.Err() == nil {
			return err
		}
		next.Acks = next.Acks[:0]
		for id, token := range got.Sets {
			s.told.hear(subjectOf(claimsOf(token)))
			next.Acks = append(next.Acks, id)
		}
		if !got.More {
			time.Sleep(time.Second)
		}
	}
	return nil
}

func (s *stream) post(ctx context.Context, path string, status int, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	return call(request, status, answer)
}

// call sends a request that is answered with this status, and JSON.
func call(request *http.Request, status int, into any) error {
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != status {
		said, err := io.ReadAll(io.LimitReader(answer.Body, 300))
		return errors.Join(fmt.Errorf("%s: %s: %s", request.URL.Path, answer.Status, said), err)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// markdown renders the table.
func (e *ends) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Commit %s, measured on %s on %s; %d statuses end within %v, of users who have each allowed %d of %d applications something, "+
		"of which %d have a webhook and one polls a stream; %d user agents sign in meanwhile. Seconds count from the end of a status.\n\n",
		e.Commit, e.When.Format(time.DateOnly), e.Machine, e.Ends, e.Within, e.Each, webhooks+1, webhooks, e.Workers)
	fmt.Fprint(&b, "| | told | half within | 99 % within | all within | told again |\n|---|---:|---:|---:|---:|---:|\n")
	for _, of := range e.Runs {
		for _, way := range []struct {
			name string
			figures
		}{{"webhooks", of.Webhooks}, {"poll", of.Poll}, {"Follow", of.Follow}} {
			fmt.Fprintf(&b, "| %s: %s | %d | %.2f s | %.2f s | %.2f s | %d |\n", of.Store, way.name, way.Told, way.P50, way.P99, way.Longest, way.Again)
		}
	}
	fmt.Fprint(&b, "\n| flows while statuses end ÷ afterwards | per second | p50 | p99 |\n|---|---:|---:|---:|\n")
	for _, of := range e.Runs {
		over := func(figure func(sample) float64) string {
			return number(median(of.During, figure)/max(median(of.After, figure), 1e-9), 2)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", of.Store, over(perSecond), over(p50), over(p99))
	}
	return b.String()
}
