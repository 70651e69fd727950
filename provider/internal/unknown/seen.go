package unknown

import (
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// Host is a host of applications that nobody has registered.
type Host struct {
	Host string

	// Standing is what the configuration says of it, and Denial is one that holds for it: its own or
	// that of a host above it. The zero Denial is none.
	Standing Standing
	Denial   storage.HostDenial

	// Applications are counted, and of them those with a document: storage.CountedClients at most, the
	// oldest.
	// FirstSeen is when the oldest came.
	Applications, Documents int
	FirstSeen               time.Time

	// People is the number of users who allow these applications something, storage.CountedPeople at
	// most.
	// LastUsed is when they last made use of it.
	People   int
	LastUsed time.Time
}
