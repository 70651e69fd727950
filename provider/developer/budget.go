package developer

import (
	"time"

	"github.com/bonafide-id/bonafide/provider"
)

// The bounds of the lines of one application, minute and outcome: whoever knows a client_id
// can make any number, and would fill the disk. What has no line is counted by one.
const (
	// sharedLines is for all networks together, of which one has networkLines at most.
	sharedLines  = 240
	networkLines = 60

	// Each of the first maxNetworks has ownLines beside: what strangers send from theirs
	// keeps no mistake of the application's own out.
	ownLines    = 5
	maxNetworks = 100

	// maxBudgets bounds what is remembered of a minute.
	maxBudgets = 10_000
)

// spender is what has a budget of lines for each minute.
type spender struct {
	environment, clientID string
	outcome               provider.Outcome
}

// budget is what has been spent of it.
type budget struct {
	shared    int
	byNetwork map[string]int
	rest      map[restKind]*provider.Activity
}

// restKind is what is counted together, as the numbers by day do.
type restKind struct {
	event provider.ActivityEvent
	err   string
}

// spend reports whether there is a line for an activity.
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

// count adds an activity to those that have no line.
func (b *budget) count(a provider.Activity) {
	kind := restKind{a.Event, a.Error}
	if rest := b.rest[kind]; rest != nil {
		rest.Requests += max(1, a.Requests)
		return
	}
	if b.rest == nil {
		b.rest = map[restKind]*provider.Activity{}
	}
	b.rest[kind] = &provider.Activity{
		At: a.At, ClientID: a.ClientID, Event: a.Event, Outcome: a.Outcome, Error: a.Error, Requests: max(1, a.Requests),
	}
}

// budgets are those of one minute.
type budgets struct {
	minute time.Time
	of     map[spender]*budget
}

// get returns a budget; nil when more have one than are remembered.
func (b *budgets) get(s spender) *budget {
	found := b.of[s]
	if found == nil && len(b.of) < maxBudgets {
		found = &budget{byNetwork: map[string]int{}}
		b.of[s] = found
	}
	return found
}
