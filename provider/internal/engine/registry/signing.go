package registry

import (
	"errors"

	"github.com/bonafide-id/bonafide/provider/internal/diagnosis"
	"github.com/bonafide-id/bonafide/provider/internal/engine/protocol"
	"github.com/bonafide-id/bonafide/provider/internal/keyring"
)

// Unsigned returns why something was not signed for a client. One that is registered for an
// algorithm that was switched off afterwards is refused: RS256 in its place would be what a
// client that has pinned its algorithm takes for an attack.
func Unsigned(alg string, err error) error {
	if !errors.Is(err, keyring.ErrAlgorithm) {
		return err
	}
	return AlgorithmOff(alg)
}

// AlgorithmOff is the answer to a client that is registered for an algorithm that signs no more.
func AlgorithmOff(alg string) *protocol.Error {
	return protocol.Fail(protocol.UnauthorizedClient, "This application is registered for an algorithm that signs no more.").
		Because(diagnosis.AlgorithmOff, "algorithm", alg)
}
