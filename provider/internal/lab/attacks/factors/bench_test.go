package factors

import (
	"net/http"
	"syscall"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
)

// BenchmarkSignIn measures the processor time of the request that signs in, the test's own
// side of it included. One by passkey needs no password hash.
func BenchmarkSignIn(b *testing.B) {
	lab.DearPasswords(b)
	w := newFixture(b)
	owner := alice(w).addPasskey()
	b.Run("Password", func(b *testing.B) {
		benchmark(b, func() *http.Response {
			p := owner.elsewhere()
			page := p.Open("/signin")
			return measured(b, func() *http.Response {
				return p.SubmitOnce(page, "email", p.email, "password", p.password).Response
			})
		})
	})
	b.Run("Passkey", func(b *testing.B) {
		benchmark(b, func() *http.Response {
			p := owner.elsewhere()
			f := p.shown(p.Open("/signin"))
			return measured(b, func() *http.Response { return send(p.Browser, f).Response })
		})
	})
}

// benchmark signs in b.N times.
func benchmark(b *testing.B, signIn func() *http.Response) {
	b.Helper()
	spent = 0
	for range b.N {
		if r := signIn(); r.StatusCode != http.StatusSeeOther {
			b.Fatal(r.Status)
		}
	}
	b.ReportMetric(float64(spent)/float64(b.N)/1e3, "cpu-µs/op")
}

// spent is the processor time that was measured, in nanoseconds.
var spent int64

// measured makes a request and adds its processor time.
func measured(b *testing.B, request func() *http.Response) *http.Response {
	b.Helper()
	before := processorTime(b)
	response := request()
	spent += processorTime(b) - before
	return response
}

func processorTime(b *testing.B) int64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return syscall.TimevalToNsec(usage.Utime) + syscall.TimevalToNsec(usage.Stime)
}
