package credential

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

const (
	// listLife is how long a copy of a status list is good, and listAge how long verifiers should use
	// it before they fetch another.
	listLife = 24 * time.Hour
	listAge  = 15 * time.Minute
)

// statusList is the claims of a status list token (Token Status List section 5.1).
type statusList struct {
	Subject  string     `json:"sub"`
	IssuedAt int64      `json:"iat"`
	Expires  int64      `json:"exp"`
	TTL      int64      `json:"ttl"`
	List     packedList `json:"status_list"`
}

// packedList is the status of all places, one bit each (section 4.2).
type packedList struct {
	Bits int    `json:"bits"`
	List string `json:"lst"`
}

// statusListOf returns the claims of the list at an address in which these places have ended.
func statusListOf(uri string, ended []int, now time.Time) ([]byte, error) {
	packed, err := pack(ended)
	if err != nil {
		return nil, err
	}
	return json.Marshal(statusList{
		Subject: uri, IssuedAt: now.Unix(), Expires: now.Add(listLife).Unix(), TTL: int64(listAge / time.Second), List: packedList{Bits: 1, List: packed},
	})
}

// pack returns a list in which these places are set, the lowest bit of a byte first (section 4.1).
func pack(ended []int) (string, error) {
	var set [storage.CredentialPlaces / 8]byte
	for _, place := range ended {
		if place < 0 || place >= storage.CredentialPlaces {
			return "", fmt.Errorf("place %d is none of a status list", place)
		}
		set[place/8] |= 1 << (place % 8)
	}
	var packed bytes.Buffer
	w, err := zlib.NewWriterLevel(&packed, zlib.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(set[:]); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(packed.Bytes()), nil
}
