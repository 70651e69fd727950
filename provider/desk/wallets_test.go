package desk_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/desk"
	"github.com/bonafide-id/bonafide/provider/event"
	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/storage"
)

// wallets say that everybody has a credential in one, without a service that has issued it.
type wallets struct{ *lab.Fixture }

func (w wallets) InForce(_ context.Context, userID string) ([]storage.Credential, error) {
	return []storage.Credential{{ID: "credential-of-" + userID, Subject: userID, ClientID: "std", Group: "student", IssuedAt: w.Now(), ExpiresAt: w.Now().Add(30 * 24 * time.Hour)}}, nil
}

func (w wallets) End(ctx context.Context, userID, _ string) error {
	return w.Events().Record(ctx, provider.Event{Name: event.CredentialEnded, UserID: userID, ClientID: "std", Detail: "student staff"})
}

func TestWhatIsInWallets(t *testing.T) {
	t.Parallel()
	w := newPlace(t)
	w.Rooms().Pages.LinkCredentials("/vci/", wallets{w.Fixture})
	w.hires("sam", desk.RoleSupport)
	sam := w.reviewer("sam")
	matter := "/desk/matters/" + w.opens("sam", "bob")
	groups := sam.Get(matter + "/groups")
	for _, says := range []string{"In a wallet", "Student", "/do/end_credential?credential=credential-of-bob"} {
		if !strings.Contains(groups.Text, says) {
			t.Errorf("the groups do not say %q:\n%s", says, groups.Text)
		}
	}
	do := matter + "/do/end_credential"
	p := send(sam, do, "check", "credential", "credential-of-bob")
	revision := regexp.MustCompile(`name="revision" value="([^"]+)"`).FindStringSubmatch(p.Text)
	if revision == nil || !strings.Contains(p.Text, "Proof in a wallet") {
		t.Fatalf("%s\n%s", p.Status, p.Text)
	}
	if p = send(sam, do, "do", "credential", "credential-of-bob", "revision", revision[1]); p.StatusCode != http.StatusOK {
		t.Fatalf("%s\n%s", p.Status, p.Text)
	}
	if mail, _ := w.Mails.Last(t); !strings.Contains(mail.Text, "Proof in a wallet ended") {
		t.Errorf("the owner is told:\n%s", mail.Text)
	}
	lines, err := w.Events().List(t.Context(), provider.EventFilter{UserID: "bob", Names: []string{event.CredentialEnded}})
	w.OK(err)
	if len(lines) != 1 || !strings.HasPrefix(lines[0].Actor, "staff:sam") || lines[0].Matter == "" {
		t.Errorf("lines %+v", lines)
	}
	if history := sam.Get(matter + "/history"); !strings.Contains(history.Text, "Proof in a wallet ended") || !strings.Contains(history.Text, "Ended by the staff") {
		t.Errorf("the history does not tell:\n%s", history.Text)
	}
	if p := send(sam, do, "check", "credential", "another"); !strings.Contains(p.Text, "There is no such proof in a wallet.") {
		t.Errorf("a credential that is not there can be ended:\n%s", p.Text)
	}
}
