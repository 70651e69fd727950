package signals

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

// For a day after a rotation the former keys sign, too, behind the present ones, and v1 before v1a.
func TestSignaturesOfARotation(t *testing.T) {
	t.Parallel()
	now := time.Unix(1796000000, 0)
	var r Record
	key := r.NewKeys(now, true)
	former := r.publicKey()
	if again := r.NewKeys(now, true); again == key || r.publicKey() == former {
		t.Fatal("the new keys are the former ones")
	}
	publicKeys := []string{r.publicKey(), former}
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{now.Add(overlap - time.Second), "v1 v1 v1a v1a"},
		{now.Add(overlap), "v1 v1a"},
	} {
		header := r.signed("msg_1", c.at, []byte("{}"))
		var versions []string
		asymmetric := 0
		for _, one := range strings.Split(header.Get("Webhook-Signature"), " ") {
			version, text, _ := strings.Cut(one, ",")
			if versions = append(versions, version); version != "v1a" {
				continue
			}
			public, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(publicKeys[asymmetric], publicPrefix))
			if err != nil {
				t.Fatal(err)
			}
			signature, err := base64.StdEncoding.DecodeString(text)
			if err != nil || !ed25519.Verify(public, []byte("msg_1."+header.Get("Webhook-Timestamp")+".{}"), signature) {
				t.Errorf("signature %d of v1a is not by its key: %v", asymmetric, err)
			}
			asymmetric++
		}
		if got := strings.Join(versions, " "); got != c.want {
			t.Errorf("%s after the rotation: %q, want %q", c.at.Sub(now), got, c.want)
		}
	}
	if r.publicKey() == "" || (&Record{Key: r.Key}).publicKey() != "" {
		t.Error("only who asks for v1a has a public key")
	}
}
