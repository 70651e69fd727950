package trail

import (
	"errors"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// tree is the right edge of a Merkle tree (RFC 6962 section 2.1): the hashes of its complete
// subtrees, the largest first. A leaf is added to it without the others.
type tree struct {
	size  int64
	roots []tlog.Hash
}

// add adds a leaf.
func (t *tree) add(leaf tlog.Hash) {
	t.size++
	for n := bits.TrailingZeros64(uint64(t.size)); n > 0; n-- {
		last := len(t.roots) - 1
		leaf, t.roots = tlog.NodeHash(t.roots[last], leaf), t.roots[:last]
	}
	t.roots = append(t.roots, leaf)
}

// root returns the root hash; of an empty tree the zero one.
func (t *tree) root() (root tlog.Hash) {
	for i := len(t.roots) - 1; i >= 0; i-- {
		if i == len(t.roots)-1 {
			root = t.roots[i]
		} else {
			root = tlog.NodeHash(t.roots[i], root)
		}
	}
	return root
}

// rootOf returns the root hash of a tree with these leaves.
func rootOf(leaves []tlog.Hash) tlog.Hash {
	var t tree
	for _, leaf := range leaves {
		t.add(leaf)
	}
	return t.root()
}

// edge returns the hashes of the tree.
func (t *tree) edge() []byte {
	var all []byte
	for _, root := range t.roots {
		all = append(all, root[:]...)
	}
	return all
}

// errEdge means that stored hashes are not those of a tree of the size.
var errEdge = errors.New("the hashes of the log are not of its size")

// treeOf returns the tree of a size with stored hashes, and what is stored behind them.
func treeOf(size int64, stored []byte) (tree, []byte, error) {
	t := tree{size: size}
	for range bits.OnesCount64(uint64(size)) {
		if len(stored) < tlog.HashSize {
			return tree{}, nil, errEdge
		}
		t.roots = append(t.roots, tlog.Hash(stored[:tlog.HashSize]))
		stored = stored[tlog.HashSize:]
	}
	return t, stored, nil
}
