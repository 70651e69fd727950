//go:build !cgo || !unix

package opensslsigner

import (
	"crypto/rsa"
	"errors"
)

var errAbsent = errors.New("opensslsigner: this program was built without cgo, or for a system on which OpenSSL is not looked for")

type library struct{}

func load(string) (*library, error) { return nil, errAbsent }

type privateKey struct{}

func (*library) newPrivateKey(*rsa.PrivateKey) (*privateKey, error) { return nil, errAbsent }

func (*privateKey) signSHA256([]byte) ([]byte, error) { return nil, errAbsent }
