package instructions_test

import (
	"context"
	"slices"
	"testing"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/feature/featuretest"
	"mews/supervisor/instructions"
	"mews/supervisor/sqlite"
)

// fakeStore is a store that records whether each report was the first of its attempt. While needs
// is positive, it asks for another report with AGENTS.md.
type fakeStore struct {
	sqlite.PromptFiles
	needs  int
	begins []bool
}

func (r *fakeStore) StoreReport(_ context.Context, p supervisor.PromptFileReport) (
	a protocol.PromptFileReportResult, told int64, err error) {
	r.begins = append(r.begins, p.First)
	if r.needs--; r.needs >= 0 {
		a.Need = []string{"AGENTS.md"}
	}
	return a, 7, nil
}

func TestPromptFileReport_NewAttempt_BeginsNewList(t *testing.T) {
	store, queued := &fakeStore{needs: 1}, []int64{}
	f := instructions.New(instructions.Options{Store: store, Queued: func(c int64) { queued = append(queued, c) },
		Notes:       func(feature.Turn) []facts.Note { return nil },
		PrivateChat: func(string) (c supervisor.Conversation) { return c }}).Feature()
	for range 2 {
		turn := featuretest.NewTurn("ann")
		for range 3 {
			if _, err := featuretest.MakeHostCall(t, f, turn, protocol.MethodPromptFileReport,
				`{"turn":1,"files":[]}`); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := []bool{true, true, false, true, false, false}; !slices.Equal(store.begins, want) || len(queued) != 6 {
		t.Errorf("got %v, want %v; queued %v", store.begins, want, queued)
	}
}
