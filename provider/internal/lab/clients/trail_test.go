package clients

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/compact"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"

	"github.com/bonafide-id/bonafide/provider/internal/lab"
	"github.com/bonafide-id/bonafide/provider/internal/testkit"
	"github.com/bonafide-id/bonafide/storage"
)

// The code of the public transparency logs reads our checkpoints, and finds each to be of the same
// log as the one before, and the last block in it.
func TestTrailIsReadByOthers(t *testing.T) {
	t.Parallel()
	w := lab.New(t).WithUsers()
	const blocks = 3
	for n := range blocks {
		w.OK(w.Accounts().SetDisabled(t.Context(), "alice", n%2 == 0))
		w.Advance(11 * time.Minute)
		w.Until(func() bool {
			c, err := w.Trail().Checkpoint(t.Context())
			return err == nil && c.Size == int64(n+1)
		})
	}
	verifier := testkit.Must(note.NewVerifier(w.Trail().VerifierKey()))(t)
	stored, err := w.Store.Blocks(t.Context(), storage.BlockFilter{After: -1})
	if err != nil || len(stored) != blocks {
		t.Fatalf("%d blocks, error %v", len(stored), err)
	}
	heads := make([]*log.Checkpoint, blocks)
	edges := make([][][]byte, blocks)
	for i, b := range stored {
		head, _, _, err := log.ParseCheckpoint(b.Checkpoint, verifier.Name(), verifier)
		if err != nil || head.Size != uint64(i+1) {
			t.Fatalf("checkpoint %+v, error %v:\n%s", head, err, b.Checkpoint)
		}
		for n := head.Size; n > 0; n &= n - 1 {
			at := len(edges[i]) * sha256.Size
			edges[i] = append(edges[i], b.Edge[at:at+sha256.Size])
		}
		edge := testkit.Must((&compact.RangeFactory{Hash: rfc6962.DefaultHasher.HashChildren}).NewRange(0, head.Size, edges[i]))(t)
		root, err := edge.GetRootHash(nil)
		if err != nil || string(root) != string(head.Hash) {
			t.Errorf("the root of block %d is another, error %v", i+1, err)
		}
		heads[i] = head
	}
	last := edges[2][1]
	if err := proof.VerifyConsistency(rfc6962.DefaultHasher, 2, 3, [][]byte{last}, heads[1].Hash, heads[2].Hash); err != nil {
		t.Error(err)
	}
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, 2, 3, last, [][]byte{edges[2][0]}, heads[2].Hash); err != nil {
		t.Error(err)
	}
}
