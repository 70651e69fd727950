package keyring

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"math/big"
	"os"
	"sync"
	"testing"
)

// TestMain has each RSA key made of two of a few primes, another pair each time: to find new ones
// takes most of the time of these tests.
func TestMain(m *testing.M) {
	var mu sync.Mutex
	var primes []*big.Int
	var pairs [][2]*big.Int
	for range 14 {
		p, err := rand.Prime(rand.Reader, keyBits/2)
		if err != nil {
			panic(err)
		}
		for _, q := range primes {
			pairs = append(pairs, [2]*big.Int{p, q})
		}
		primes = append(primes, p)
	}
	generate := func() (crypto.Signer, error) {
		mu.Lock()
		defer mu.Unlock()
		p, q := pairs[0][0], pairs[0][1]
		pairs = append(pairs[1:], pairs[0])
		one, e := big.NewInt(1), big.NewInt(65537)
		phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		k := &rsa.PrivateKey{
			PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: int(e.Int64())},
			D:         new(big.Int).ModInverse(e, phi), Primes: []*big.Int{p, q},
		}
		k.Precompute()
		return k, k.Validate()
	}
	algorithms[RS256].generate, algorithms[PS256].generate = generate, generate
	os.Exit(m.Run())
}
