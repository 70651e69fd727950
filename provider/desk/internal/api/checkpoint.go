package api

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/bonafide-id/bonafide/provider"
	"github.com/bonafide-id/bonafide/storage"
)

// checkpoint is the signed head of the audit log.
type checkpoint struct {
	Size        int64  `json:"size" doc:"How many blocks it is about."`
	Signed      string `json:"signed" doc:"It, in the format of C2SP tlog-checkpoint: whoever keeps it can show later that what is older has changed."`
	VerifierKey string `json:"verifier_key" doc:"The public key of its signature, in the form of signed notes."`
}

// block is a closed part of the audit log.
type block struct {
	Number   int64          `json:"number"`
	First    int64          `json:"first" doc:"The ID of its first event."`
	Last     int64          `json:"last" doc:"The ID of its last event."`
	Events   map[string]int `json:"events" doc:"How many it has, by name."`
	From     time.Time      `json:"from" doc:"The time of its earliest event."`
	Until    time.Time      `json:"until" doc:"The time of its latest event."`
	SealedAt time.Time      `json:"sealed_at"`
	Removed  bool           `json:"removed" doc:"Whether its events were removed, as old as they were."`
}

func (a *API) checkpointRows() []operation {
	return []operation{
		{
			Method: http.MethodGet, Path: "/checkpoints/latest", ID: "getCheckpoint", Title: "Read the latest checkpoint of the audit log", Scope: ScopeEventsRead, Spend: reads,
			Text: "404 until the first block is closed.", Out: checkpoint{}, Problems: []kind{kindNotFound}, serve: getCheckpoint,
		},
		{
			Method: http.MethodGet, Path: "/blocks", ID: "listBlocks", Title: "List the closed blocks of the audit log, the latest first", Scope: ScopeEventsRead, Spend: reads,
			Paged: true, Out: rows[block]{}, serve: listBlocks,
		},
	}
}

func getCheckpoint(c *call) (response, error) {
	trail := c.api.Provider.Rooms().Trail
	latest, err := trail.Checkpoint(c.Context())
	if errors.Is(err, provider.ErrNoCheckpoint) {
		return response{}, notFound
	}
	return ok(checkpoint{Size: latest.Size, Signed: string(latest.Signed), VerifierKey: trail.VerifierKey()}), err
}

func listBlocks(c *call) (response, error) {
	return pageOf(c, func(limit int, after string) ([]storage.Block, error) {
		before, _ := strconv.ParseInt(after, 10, 64)
		return c.api.Provider.Rooms().Trail.Blocks(c.Context(), storage.BlockFilter{Before: before, Limit: limit})
	}, func(b storage.Block) block {
		shown := block{Number: b.Number, First: b.First, Last: b.Last, Events: map[string]int{}, From: b.From, Until: b.Until, SealedAt: b.SealedAt, Removed: b.Removed}
		for name, n := range b.Names {
			shown.Events[string(name)] = n
		}
		return shown
	}, func(last block) string { return strconv.FormatInt(last.Number, 10) })
}
