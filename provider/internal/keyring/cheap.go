package keyring

import (
	"crypto"
	"crypto/rsa"
	"math/big"
	"math/rand/v2"
)

// Cheapen makes the RSA keys of this process of two primes that everybody knows, which takes no time; each
// has an exponent of its own, so that no two are alike. Only tests and package providertest may call it,
// which a test of package provider checks. It must not run concurrently with the making of a key.
func Cheapen() {
	algorithms[RS256].generate, algorithms[PS256].generate = knownRSA, knownRSA
}

func knownRSA() (crypto.Signer, error) {
	number := func(factor int64, shift uint, add int64) *big.Int {
		n := new(big.Int).Lsh(big.NewInt(factor), shift)
		return n.Add(n, big.NewInt(add))
	}
	p, q := number(1, keyBits/2, -105), number(3, keyBits/2-2, 1037)
	phi := new(big.Int).Mul(number(1, keyBits/2, -106), number(3, keyBits/2-2, 1036))
	for {
		e := 1<<30 | rand.IntN(1<<30) | 1 //nolint:gosec // nothing of such a key is secret
		d := new(big.Int).ModInverse(big.NewInt(int64(e)), phi)
		if d == nil {
			continue // they have a factor in common
		}
		k := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: e}, D: d, Primes: []*big.Int{p, q}}
		k.Precompute()
		err := k.Validate()
		return k, err
	}
}
