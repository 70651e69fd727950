package developer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

func TestNobodyTakesTheNameOfTheService(t *testing.T) {
	t.Parallel()
	w := newFixture(t).withApplication(river, storage.Sandbox, "shop", func(c *provider.Client) { c.Name = "Bonafide" }).
		withApplication(river, storage.Production, "till", func(c *provider.Client) { c.Unreviewed = true })
	b := w.as(dev)
	for _, name := range []string{"Bonafide", "BONAFIDE", "Bonafide Security", "Bоnаfіdе", "Ｂｏｎａｆｉｄｅ", "River Bank (reviewed by Bonafide)"} {
		says(t, b.submitForm("/developer/o/river/production/till/settings", "action", "save", "name", name), http.StatusUnprocessableEntity, "too similar to the name of this service")
	}
	says(t, b.submitForm(shopPath, "action", "copy"), http.StatusUnprocessableEntity, "too similar to the name of this service")
	if c := w.client(storage.Production, "till"); c.Name != "App till" || len(w.live()) != 1 {
		t.Errorf("people see %q, and %d", c.Name, len(w.live()))
	}
	says(t, b.submitForm("/developer/o/river/production/till/settings", "action", "save", "name", "Bon Appétit"), http.StatusOK, "saved")
}

func TestTheOperatorReadsWhomANamePassesFor(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t, func(c *provider.Client) { c.Name = "Bonafide River" })
	w.withApplication(lake, storage.Production, "bank", func(c *provider.Client) { c.Name = "Bоnafide  Riveг" }) // Cyrillic
	a := w.application(storage.Production, "bank")
	a.Review = storage.ReviewApproved
	w.ok(w.store.SaveApplication(t.Context(), a))
	w.as(dev).submitForm(accessPath, "note", "", "action", "ask")
	p := w.as(operator).open(reviewPath)
	says(t, p, http.StatusOK, "This name looks similar to", "looks similar to another organization’s application", "/developer/review/production/bank")
}

func TestTheNameOfTheServiceIsNotEvenAskedFor(t *testing.T) {
	t.Parallel()
	w := newReviewedFixture(t, func(c *provider.Client) { c.Name = "Bоnafide" }) // Cyrillic
	says(t, w.as(dev).submitForm(accessPath, "note", "", "action", "ask"), http.StatusUnprocessableEntity, "too similar to the name of this service")
	if a := w.application(storage.Sandbox, "shop"); a.Review != storage.ReviewNone || strings.Contains(string(a.Document), "asked") {
		t.Errorf("it is %q", a.Review)
	}
}
