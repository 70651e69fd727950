package developer

import (
	"context"
	"fmt"
	"time"

	requests "github.com/bonafide-id/bonafide/provider/internal/request"
	"github.com/bonafide-id/bonafide/storage"
)

// What the staff of the host finds in the logs of applications.

// around is how far apart the clocks of two processes may be, and how long a request may take
// until it is recorded.
const around = 2 * time.Second

// mostOfRequest is how many entries of one request are read.
const mostOfRequest = 20

// FindRequest returns what the logs of applications have of the request whose ID an error page
// shows, for the staff of the host. None for a text that is no ID, and for a request that no
// application has an entry of.
func (d *Dashboard) FindRequest(ctx context.Context, requestID string) ([]storage.LogEntry, error) {
	at, ok := requests.Time(requestID)
	if !ok {
		return nil, nil
	}
	entries, err := d.Store.Log(ctx, storage.LogFilter{
		RequestID: requestID, From: at.Add(-around), To: at.Add(requests.Timeout + around), Limit: mostOfRequest,
	})
	if err != nil {
		return nil, fmt.Errorf("developer: find request: %w", err)
	}
	return entries, nil
}

// CalledAs is what the developers of an application call a user: the name in its log, which
// nobody turns back into the user. The staff of the host compares it with one that they were
// told.
func (d *Dashboard) CalledAs(environment, clientID, userID string) string {
	return d.pseudonym(environment, clientID, userID)
}
