package providertest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/providertest"
	"github.com/bonafide-id/bonafide/provider/verification"
	"github.com/bonafide-id/bonafide/storage"
)

func TestScript(t *testing.T) {
	t.Parallel()
	script := providertest.NewScript("script", verification.Accept{Subgroups: []string{"University"}, Source: "A test"})
	idp := providertest.New(t, providertest.Config{Policies: verification.Policies{{Group: "student", Rule: verification.By(script.Verifier())}}})
	t.Run("Accepts", func(t *testing.T) {
		c := idp.Verify(t, "new-user", "student", "script")
		if c.State != storage.CaseApproved || c.Member == nil || c.Member.Source != "A test" {
			t.Fatalf("%+v", c)
		}
		statuses, err := idp.Provider.People().Statuses(t.Context(), c.UserID, "student")
		if err != nil || len(statuses) != 1 || !statuses[0].Verified {
			t.Errorf("%+v, %v", statuses, err)
		}
		if events := script.Events(); len(events) != 1 || events[0].Kind != verification.Begun {
			t.Errorf("%+v", events)
		}
	})
	t.Run("WaitsForTheOtherSide", func(t *testing.T) {
		script.Then(verification.Wait{Reference: "r-1"}, verification.Accept{})
		c := idp.Verify(t, "emt", "student", "script")
		if c.State != storage.CasePending {
			t.Fatalf("%+v", c)
		}
		script.Tells("r-1", []byte("yes"))
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, idp.URL+"/verification/callback/script", strings.NewReader("r-1"))
		r.Header.Set("webhook-id", "m-1")
		res, err := idp.HTTPClient().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if c, err = idp.Verification.Case(t.Context(), c.ID); err != nil || c.State != storage.CaseApproved {
			t.Errorf("%s: %+v, %v", res.Status, c, err)
		}
		events := script.Events()
		if last := events[len(events)-1]; last.Kind != verification.Told || string(last.Data) != "yes" {
			t.Errorf("%+v", last)
		}
	})
	t.Run("SaysWhatIsNotThere", func(t *testing.T) {
		if _, err := idp.NewBrowser().Verify(t.Context(), "minimal", "student", "unknown"); err == nil {
			t.Error("an unknown method was chosen")
		}
		if _, err := idp.NewBrowser().Verify(t.Context(), "minimal", "teacher", "script"); err == nil {
			t.Error("a group without a policy was chosen")
		}
	})
}
