//go:build !cgo || !unix

package opensslsigner

import (
	"crypto/rsa"
	"errors"
)

var errAbsent = errors.New("opensslsigner: this program was built without cgo, or for a system on which OpenSSL is not looked for")

func load(string) error { return errAbsent }

type privateKey struct{}

func newPrivateKey(*rsa.PrivateKey) (privateKey, error) { return privateKey{}, errAbsent }

func (privateKey) signSHA256([]byte) ([]byte, error) { return nil, errAbsent }

func (privateKey) signPSS([]byte) ([]byte, error) { return nil, errAbsent }
