package credential

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// unpack returns the bytes of a list.
func unpack(t *testing.T, list string) []byte {
	t.Helper()
	packed, err := base64.RawURLEncoding.DecodeString(list)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestStatusList(t *testing.T) {
	// The example of Token Status List section 4.1.
	claims, err := statusListOf("https://id.test/vci/status/1", []int{0, 3, 4, 5, 7, 8, 9, 13, 15, storage.CredentialPlaces - 1}, time.Unix(1_800_000_000, 5))
	if err != nil {
		t.Fatal(err)
	}
	var list map[string]any
	if err := json.Unmarshal(claims, &list); err != nil {
		t.Fatal(err)
	}
	of := list["status_list"].(map[string]any)
	all := unpack(t, of["lst"].(string))
	if len(all) != storage.CredentialPlaces/8 || !bytes.Equal(all[:3], []byte{0xb9, 0xa3, 0}) || all[len(all)-1] != 0x80 {
		t.Errorf("%d bytes, % x to % x", len(all), all[:3], all[len(all)-1])
	}
	if of["bits"] != 1.0 || len(of) != 2 || len(list) != 5 || list["sub"] != "https://id.test/vci/status/1" ||
		list["iat"] != 1_800_000_000.0 || list["exp"] != 1_800_086_400.0 || list["ttl"] != 900.0 {
		t.Errorf("%s", claims)
	}
	for _, place := range []int{-1, storage.CredentialPlaces} {
		if _, err := pack(slices.Repeat([]int{place}, 1)); err == nil {
			t.Errorf("place %d is packed", place)
		}
	}
}
