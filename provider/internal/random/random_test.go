package random_test

import (
	"bytes"
	"encoding/base64"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/random"
)

func TestBytesDiffer(t *testing.T) {
	one, other := random.Bytes(32), random.Bytes(32)
	if len(one) != 32 || bytes.Equal(one, other) || bytes.Equal(one, make([]byte, 32)) {
		t.Errorf("%x and %x", one, other)
	}
}

func TestFillReachesEveryByte(t *testing.T) {
	set := make([]byte, 64)
	for range 100 {
		b := make([]byte, len(set))
		random.Fill(b)
		for i := range b {
			set[i] |= b[i]
		}
	}
	if i := bytes.IndexByte(set, 0); i >= 0 {
		t.Errorf("byte %d is always zero", i)
	}
}

func TestTextHoldsAsManyBytes(t *testing.T) {
	for _, n := range []int{0, 1, 16, 32} {
		if b, err := base64.RawURLEncoding.Strict().DecodeString(random.Text(n)); err != nil || len(b) != n {
			t.Errorf("Text(%d) holds %d bytes, %v", n, len(b), err)
		}
	}
}

func TestSortedUUIDsSortByTime(t *testing.T) {
	var ids []string
	for i := range 200 {
		ids = append(ids, random.SortedUUID(time.UnixMilli(int64(i))))
	}
	if last := ids[199]; !slices.IsSorted(ids) || len(last) != 36 || last[14] != '7' {
		t.Errorf("%q", ids)
	}
}
