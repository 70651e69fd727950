package plans

import (
	"encoding/json"
	"fmt"

	"github.com/bonafide-id/bonafide/provider/desk/internal/action"
	"github.com/bonafide-id/bonafide/storage"
)

// content is what a plan says beside its columns. It is encrypted where it is stored.
type content struct {
	// Values are those of the action, Note what the proposer says to who approves.
	Values map[string]string `json:"values,omitempty"`
	Note   string            `json:"note,omitempty"`

	// Matter is that in which it was proposed, and Proof what the caller had proved by then.
	Matter string              `json:"matter,omitempty"`
	Proof  storage.CallerProof `json:"proof,omitempty"`

	// Facts are what the dry run has found for all targets together, and Left what was left
	// out of the list.
	Facts []action.Fact `json:"facts,omitempty"`
	Left  []Left        `json:"left,omitempty"`
}

// Left is how many targets were left out of a list, and why.
type Left struct {
	Why   Why
	Count int
}

// sealedPlan is the kind of the sealed content of plans.
const sealedPlan = "plan"

func (s *Service) seal(id string, c content) ([]byte, error) {
	plain, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	return s.provider.Rooms().People.Seal(sealedPlan, id, plain), nil
}

func (s *Service) open(id string, sealed []byte) (c content, err error) {
	plain, err := s.provider.Rooms().People.Open(sealedPlan, id, sealed)
	if err != nil {
		return content{}, fmt.Errorf("read plan %s: %w", id, err)
	}
	if err := json.Unmarshal(plain, &c); err != nil {
		return content{}, fmt.Errorf("read plan %s: %w", id, err)
	}
	return c, nil
}
