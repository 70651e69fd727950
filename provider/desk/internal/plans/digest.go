package plans

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bonafide-id/bonafide/storage"
)

// canonical returns what a plan is: action, reason, values, note, matter and proof, what the dry
// run has found, who proposes it, and every target by its bound revision, in their order. A plan
// that is not proposed yet has no ID. Each part has its length before it and each list its number
// of parts, so that no two plans are written alike.
func canonical(p storage.Plan, c content, targets []storage.PlanTarget) [sha256.Size]byte {
	w := writer{sha256.New()}
	w.text("plan 1", p.ID, p.Action, p.Kind, p.Reason, p.ProposedBy, p.ProposedAs)
	w.number(len(c.Values))
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		w.text(name, c.Values[name])
	}
	w.text(c.Note, c.Matter, strconv.Itoa(int(c.Proof)))
	w.number(len(c.Facts))
	for _, f := range c.Facts {
		w.text(f.Name, f.Value)
	}
	w.number(len(c.Left))
	for _, l := range c.Left {
		w.text(string(l.Why))
		w.number(l.Count)
	}
	w.number(len(targets))
	for _, t := range targets {
		w.number(t.Number)
		w.text(t.Revision)
	}
	return [sha256.Size]byte(w.Sum(nil))
}

// digest returns the digest of a plan. It has a key: whoever can write into the database alone
// cannot make another plan look like the one that was shown.
func (s *Service) digest(p storage.Plan, c content, targets []storage.PlanTarget) storage.Digest {
	sum := canonical(p, c, targets)
	return s.provider.Rooms().People.Digest(sealedPlan, hex.EncodeToString(sum[:]))
}

// bound returns the revision of a target as a plan records it: with a keyed digest that binds it
// to plan, place and ID. A target whose person was deleted has a pseudonym and is genuine no
// longer, and the others stay what they were.
func (s *Service) bound(plan string, number int, id, revision string) string {
	mac := s.provider.Rooms().People.Digest(sealedPlan+" target", plan, strconv.Itoa(number), id, revision)
	return revision + bindsBy + base64.RawURLEncoding.EncodeToString(mac[:16])
}

// bindsBy stands between a revision and what binds it. The latter has none of it.
const bindsBy = "~"

// revision returns the revision of a target without what binds it, and false if it is not that of
// this plan, place and ID.
func (s *Service) revision(plan string, t storage.PlanTarget) (string, bool) {
	end := strings.LastIndex(t.Revision, bindsBy)
	if end < 0 {
		return "", false
	}
	revision := t.Revision[:end]
	return revision, hmac.Equal([]byte(t.Revision), []byte(s.bound(plan, t.Number, t.ID, revision)))
}

// bind returns targets as a plan records them.
func (s *Service) bind(plan string, targets []storage.PlanTarget) []storage.PlanTarget {
	all := make([]storage.PlanTarget, len(targets))
	for i, t := range targets {
		t.Revision = s.bound(plan, t.Number, t.ID, t.Revision)
		all[i] = t
	}
	return all
}

// writer writes parts that cannot be confused with each other.
type writer struct{ hash.Hash }

func (w writer) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	_, _ = w.Write(b[:])
}

func (w writer) text(parts ...string) {
	for _, part := range parts {
		w.number(len(part))
		_, _ = w.Write([]byte(part))
	}
}
