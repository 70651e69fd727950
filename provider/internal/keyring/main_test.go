package keyring

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	Cheapen()
	os.Exit(m.Run())
}
