package developer

import (
	"context"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/provider/internal/registration"
	"github.com/bonafide-id/bonafide/storage"
	"github.com/bonafide-id/bonafide/ui"
	screens "github.com/bonafide-id/bonafide/ui/developer"
)

// checkBrand refuses production names that people would take for the service's: one that
// looks the same, and one that contains it unless an operator decides about that. Operators
// name their applications freely.
func (d *drafts) checkBrand(ctx context.Context, userID, before, name string, decided bool) ([]ui.Problem, error) {
	brand := d.Provider.Rooms().Installation().Name
	same := registration.NameSkeleton(name) == registration.NameSkeleton(brand)
	if before == name || !same && (decided || !registration.NameContains(name, brand)) {
		return nil, nil
	}
	operator, err := d.isOperator(ctx, userID)
	if err != nil || operator {
		return nil, err
	}
	return []ui.Problem{{Code: ui.NameOfBrand}}, nil
}

const (
	pageOfNames  = 1000 // applications that are compared at a time
	maxNameTaken = 5
)

// nameTaken returns reviewed applications of other organizations whose names look like a
// name.
func (d *drafts) nameTaken(r *request, c provider.Client) ([]screens.Reviewed, error) {
	var taken []screens.Reviewed
	skeleton := registration.NameSkeleton(c.Name)
	match := storage.ApplicationFilter{Environment: storage.Production, Limit: pageOfNames}
	for skeleton != "" {
		page, err := d.Store.Applications(r.Request.Context(), match)
		if err != nil {
			return nil, err
		}
		for _, a := range page {
			if a.OrganizationID == r.org.ID || a.Review == storage.ReviewNone || registration.NameSkeleton(a.Name) != skeleton {
				continue
			}
			taken = append(taken, screens.Reviewed{Name: a.Name, URL: d.review(r, a.Environment, a.ClientID), Stopped: stopped(a)})
		}
		if len(page) < pageOfNames || len(taken) >= maxNameTaken {
			break
		}
		last := page[len(page)-1]
		match.AfterName, match.After = last.Name, last.ClientID
	}
	return taken[:min(len(taken), maxNameTaken)], nil
}
