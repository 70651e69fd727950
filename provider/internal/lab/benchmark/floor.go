package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// These are as long as the answers of a provider.
var (
	personJSON   = []byte(`{"sub":"` + strings.Repeat("x", 36) + `","fname":"Alice","lname":"Example","zip":"22030","birthdate":"1990-04-02","status":[{"group":"military","subgroups":["Veteran"],"verified":true}]}`)
	documentJSON = []byte(`{"issuer":"` + strings.Repeat("x", 2500) + `"}`)
	keysJSON     = []byte(`{"keys":[{"n":"` + strings.Repeat("x", 800) + `"}]}`)
)

func writeJSON(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// bare is net/http with answers that are ready: nothing in Go answers faster.
func bare(context.Context, string, string) (http.Handler, func(*http.Client) (target, error), error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /person", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, personJSON) })
	mux.HandleFunc("GET /document", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, documentJSON) })
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, keysJSON) })
	return mux, func(*http.Client) (target, error) {
		return target{Userinfo: "/person", Attributes: "/person", Discovery: "/document", Keys: "/keys"}, nil
	}, nil
}

// ceiling does of a flow only what no durable provider can leave out: three
// answers over net/http, one signature, and one durable write each for the code
// and for the tokens. It checks nothing.
func ceiling(ctx context.Context, _, dir string) (http.Handler, func(*http.Client) (target, error), error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	return ceilingOf(ctx, dir, key)
}

// ceilingWithES256 is the ceiling of who signs ID tokens with ES256.
func ceilingWithES256(ctx context.Context, _, dir string) (http.Handler, func(*http.Client) (target, error), error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	return ceilingOf(ctx, dir, key)
}

func ceilingOf(ctx context.Context, dir string, key crypto.Signer) (http.Handler, func(*http.Client) (target, error), error) {
	rows, err := openRows(ctx, filepath.Join(dir, "ceiling.db"))
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		code := rand.Text()
		if err := rows.append(code); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Location", redirectURI+"?code="+code)
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		token, err := sign(key)
		access, refresh := rand.Text(), rand.Text()
		if err == nil {
			err = rows.append(access)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		writeJSON(w, []byte(`{"access_token":"`+access+`","refresh_token":"`+refresh+`","id_token":"`+token+`","token_type":"bearer"}`))
	})
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, personJSON) })
	return mux, func(*http.Client) (target, error) {
		return target{Authorize: "/authorize?scope=openid", Token: "/token", Refresh: true, Userinfo: "/userinfo"}, nil
	}, nil
}

var idTokenHead = base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "."

// sign returns a token as long as an ID token.
func sign(key crypto.Signer) (string, error) {
	var b bytes.Buffer
	b.WriteString(idTokenHead)
	b.WriteString(base64.RawURLEncoding.EncodeToString(personJSON))
	digest := sha256.Sum256(b.Bytes())
	signature, err := key.Sign(rand.Reader, digest[:], crypto.SHA256)
	if err != nil {
		return "", err
	}
	b.WriteByte('.')
	b.WriteString(base64.RawURLEncoding.EncodeToString(signature))
	return b.String(), nil
}

// floor is what the machine itself can do.
type floor struct {
	// SignaturesPerSecond are RSA-2048 signatures on all processors that a
	// server may use.
	SignaturesPerSecond float64 `json:"rsa_2048_signatures_per_second"`

	// SignatureCPU is the processor time of one signature, in microseconds.
	SignatureCPU float64 `json:"rsa_2048_signature_cpu_us"`

	// CommitsPerSecond are durable commits of one row in SQLite, by one caller
	// and by eight that share commits.
	CommitsPerSecond      float64 `json:"sqlite_commits_per_second"`
	GroupedRowsPerSecond8 float64 `json:"sqlite_grouped_rows_per_second"`
}

func measureFloor(ctx context.Context, dir string, procs int, length time.Duration) (floor, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return floor{}, err
	}
	rows, err := openRows(ctx, filepath.Join(dir, "floor.db"))
	if err != nil {
		return floor{}, err
	}
	defer rows.close()
	signOne := func() error { _, err := sign(key); return err }
	commitOne := func() error { return rows.append(rand.Text()) }
	var f floor
	before, begin := cpuTime(os.Getpid()), time.Now()
	if f.SignaturesPerSecond, err = rate(procs, length, signOne); err != nil {
		return floor{}, err
	}
	signatures := f.SignaturesPerSecond * time.Since(begin).Seconds()
	f.SignatureCPU = micros(cpuTime(os.Getpid())-before) / signatures
	for _, m := range []struct {
		result  *float64
		callers int
		do      func() error
	}{
		{&f.CommitsPerSecond, 1, commitOne},
		{&f.GroupedRowsPerSecond8, 8, commitOne},
	} {
		if *m.result, err = rate(m.callers, length, m.do); err != nil {
			return floor{}, err
		}
	}
	return f, nil
}

// rate tells how often something can be done in a second by so many at once.
func rate(callers int, length time.Duration, do func() error) (float64, error) {
	var wg sync.WaitGroup
	var count atomic.Int64
	var failure atomic.Value
	start := time.Now()
	for range callers {
		wg.Go(func() {
			for time.Since(start) < length {
				if err := do(); err != nil {
					failure.Store(err)
					return
				}
				count.Add(1)
			}
		})
	}
	wg.Wait()
	if err, failed := failure.Load().(error); failed {
		return 0, err
	}
	return float64(count.Load()) / time.Since(start).Seconds(), nil
}
