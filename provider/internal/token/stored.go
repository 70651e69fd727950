package token

import "github.com/bonafide-id/bonafide/storage"

// Stored makes and recognizes tokens by the kinds that their records have.
type Stored struct{ Codec *Codec }

var kinds = map[storage.TokenKind]Kind{
	storage.AuthorizationCode: Code,
	storage.AccessToken:       Access,
	storage.RefreshToken:      Refresh,
}

// New is Codec.New.
func (s Stored) New(kind storage.TokenKind) (string, storage.Digest) { return s.Codec.New(kinds[kind]) }

// Parse is Codec.Parse.
func (s Stored) Parse(kind storage.TokenKind, token string) (storage.Digest, bool) {
	return s.Codec.Parse(kinds[kind], token)
}

// DigestOf is [DigestOf].
func (s Stored) DigestOf(kind storage.TokenKind, text string) (storage.Digest, bool) {
	return DigestOf(kinds[kind], text)
}
