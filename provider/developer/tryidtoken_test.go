package developer

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/bonafide-id/bonafide/provider/internal/testkit"
)

func TestSignatureOfAnIDTokenIsChecked(t *testing.T) {
	t.Parallel()
	key := testkit.Must(rsa.GenerateKey(rand.Reader, 2048))(t)
	text := base64.RawURLEncoding.EncodeToString
	set := fmt.Sprintf(`{"keys":[{"kty":"RSA","alg":"RS256","kid":"k1","n":%q,"e":%q}]}`, text(key.N.Bytes()), text(big.NewInt(int64(key.E)).Bytes()))
	sign := func(header, claims string) (token string, head []byte) {
		signed := text([]byte(header)) + "." + text([]byte(claims))
		digest := sha256.Sum256([]byte(signed))
		signature := testkit.Must(rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:]))(t)
		return signed + "." + text(signature), []byte(header)
	}
	token, header := sign(`{"alg":"RS256","kid":"k1"}`, `{"sub":"alice"}`)
	if err := verifySignature(token, header, []byte(set)); err != nil {
		t.Errorf("a good signature: %v", err)
	}
	rest := token[strings.LastIndex(token, ".")+1:]
	forged := text(header) + "." + text([]byte(`{"sub":"mallory"}`)) + "." + rest
	none, noneHeader := sign(`{"alg":"none","kid":"k1"}`, `{"sub":"alice"}`)
	other, otherHeader := sign(`{"alg":"RS256","kid":"k2"}`, `{"sub":"alice"}`)
	for name, c := range map[string]struct {
		token  string
		header []byte
	}{
		"OtherClaims": {forged, header}, "NoAlgorithm": {none, noneHeader}, "UnknownKey": {other, otherHeader},
		"NoSignature": {token[:len(token)-len(rest)], header}, "NotBase64": {token + "!", header},
	} {
		if verifySignature(c.token, c.header, []byte(set)) == nil {
			t.Errorf("%s is taken for good", name)
		}
	}
}
