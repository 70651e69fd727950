package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/provider/internal/activity"
)

// The limits on log entries of one application, minute and outcome: anybody with a
// client_id could send any number of requests and fill the disk. Requests beyond are only
// counted.
const (
	// sharedLines is for all networks together, of which one has networkLines at most.
	sharedLines  = 240
	networkLines = 60

	// Each of the first maxNetworks also has ownLines: strangers' requests from other
	// networks cannot crowd out the application's own mistakes.
	ownLines    = 5
	maxNetworks = 100

	// maxBudgets limits the memory for one minute.
	maxBudgets = 10_000
)

// spender has a budget of entries for each minute.
type spender struct {
	environment, clientID string
	outcome               string
}

// budget is the spent part of a budget.
type budget struct {
	shared    int
	byNetwork map[string]int
	rest      map[restKind]*activity.Activity
}

// restKind is the key by which requests are counted, as in the daily counts.
type restKind struct {
	event string
	err   string
}

// spend reports whether an activity gets an entry.
func (b *budget) spend(network string) bool {
	spent, known := b.byNetwork[network]
	if !known && len(b.byNetwork) >= maxNetworks {
		spent = ownLines
	}
	if spent < ownLines {
		b.byNetwork[network] = spent + 1
		return true
	}
	if b.shared >= sharedLines || spent >= networkLines {
		return false
	}
	b.shared++
	if known {
		b.byNetwork[network] = spent + 1
	}
	return true
}

// count counts an activity without an entry.
func (b *budget) count(a activity.Activity) {
	kind := restKind{a.Event, a.Error}
	if rest := b.rest[kind]; rest != nil {
		rest.Requests += max(1, a.Requests)
		return
	}
	if b.rest == nil {
		b.rest = map[restKind]*activity.Activity{}
	}
	b.rest[kind] = &activity.Activity{
		At: a.At, ClientID: a.ClientID, Event: a.Event, Outcome: a.Outcome, Error: a.Error, Requests: max(1, a.Requests),
	}
}

// budgets are those of one minute.
type budgets struct {
	minute time.Time
	of     map[spender]*budget
}

// get returns a budget; nil if there are too many.
func (b *budgets) get(s spender) *budget {
	found := b.of[s]
	if found == nil && len(b.of) < maxBudgets {
		found = &budget{byNetwork: map[string]int{}}
		b.of[s] = found
	}
	return found
}
