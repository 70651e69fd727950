// Command campus is a provider at which people become verified students, for a test in a
// browser: by an address at university.example, by a code, or by what the registrar decides
// at the desk. Ten students have accounts. It prints its mails, and knows one application, at the address of -app.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/signals"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage/sqlite"
)

var (
	address = flag.String("listen", "", "address to listen at")
	app     = flag.String("app", "", "redirect URI of the application")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second Ctrl-C kills
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "campus:", err)
		os.Exit(1)
	}
}

// staff are those who work at the desk.
var staff = map[string][]desk.Role{
	"registrar": {desk.RoleReviewer}, "support": {desk.RoleSupport}, "operator": {desk.RoleOperator}, "second": {desk.RoleOperator}, "auditor": {desk.RoleAuditor},
}

// printer prints mails.
type printer struct{}

func (printer) Send(_ context.Context, m provider.Mail) error {
	_, err := fmt.Fprintf(os.Stdout, "--- mail to %s\n%s\n\n%s\n", m.To, m.Subject, m.Text)
	return err
}

func policies() verification.Policies {
	email := verification.EmailDomain(verification.EmailDomainConfig{Domains: []string{"university.example"}})
	clerk := verification.Verifier{
		Name: "clerk", Title: verification.Text{English: "Ask the registrar’s office"},
		Asks: verification.Text{English: "Your student number."}, Takes: 24 * time.Hour, CanReview: true,
		Next: func(_ context.Context, _ *verification.Case, e verification.Event) (verification.Result, error) {
			if e.Kind == verification.Answered {
				return verification.Review{}, nil
			}
			return verification.Ask{Fields: []verification.Field{{Name: "number", Label: verification.Text{English: "Student number"}}}}, nil
		},
	}
	return verification.Policies{{
		Group: "student", Rule: verification.AnyOf(verification.By(clerk), verification.By(email), verification.By(verification.Invitation())),
	}}
}

func run(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "campus-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	store, err := sqlite.Open(ctx, filepath.Join(folder, "identity.db"))
	if err != nil {
		return err
	}
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	id, err := provider.New(ctx, provider.Config{
		BaseURL: "http://" + *address, Secret: secret[:], Store: store, Mailer: printer{}, Verifiers: policies().Verifiers(),
		Signals: signals.Config{Webhooks: true},
	})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer func() { _ = id.Close() }()
	service, err := verification.New(verification.Config{Provider: id, Store: store, Policies: policies(), Mailer: printer{}})
	if err != nil {
		return err
	}
	shop := provider.Client{
		ID: "shop", Name: "Campus Shop", Secret: rand.Text() + rand.Text(), Dialect: provider.Standard, RedirectURIs: []string{*app}, RequireVerified: true,
	}
	if err := id.Clients().Save(ctx, shop); err != nil {
		return err
	}
	hook := signals.Receiver{ClientID: shop.ID, Address: "https://hooks.shop.example/in", State: "unverified"}
	if _, _, err := id.Signals().Save(ctx, hook); err != nil {
		return err
	}
	people := slices.Collect(maps.Keys(staff))
	for n := range 10 {
		people = append(people, fmt.Sprint("student-", n))
	}
	for _, name := range people {
		a := provider.Account{ID: name, Email: name + "@university.example", EmailVerified: true, Password: "violet-anchor-sings-low"}
		if _, err := id.Accounts().Save(ctx, a); err != nil {
			return err
		}
	}
	reviews, err := desk.New(desk.Config{Provider: id, Store: store, Verification: service, Staff: func(_ context.Context, userID string) (desk.Staff, error) {
		return desk.Staff{Roles: staff[userID]}, nil
	}})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(os.Stdout, "The secret of the client shop is %s\n", shop.Secret); err != nil {
		return err
	}
	go func() { _ = id.Run(ctx) }() // always nil; Close waits for it

	mux := http.NewServeMux()
	mux.Handle("/verification/", service)
	mux.Handle("/desk/", reviews)
	mux.Handle("/", id)
	server := &http.Server{Addr: *address, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() {
		patience, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		_ = server.Shutdown(patience)
	})
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
