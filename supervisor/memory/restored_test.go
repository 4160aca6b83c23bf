package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/memory"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// homes is a worker that keeps the facts of one home.
type homes struct {
	facts []protocol.MemoryFact
	fails error
	last  supervisor.Operation
}

func (h *homes) Start(_ context.Context, op supervisor.Operation) (supervisor.Operation, error) {
	var p protocol.MemoryParameters
	if err := json.Unmarshal([]byte(op.Parameters), &p); err != nil {
		return op, err
	}
	r := protocol.MemoryResult{Total: len(h.facts)}
	isNamed := func(f protocol.MemoryFact) bool { return f.ID == p.ID }
	switch p.Action {
	case protocol.MemoryActionList:
		r.Facts = h.facts[p.Offset:min(len(h.facts), p.Offset+p.Limit)]
	default:
		if i := slices.IndexFunc(h.facts, isNamed); i >= 0 {
			r.Facts = []protocol.MemoryFact{h.facts[i]}
		}
	}
	if p.Action == protocol.MemoryActionForget {
		h.facts = slices.DeleteFunc(slices.Clone(h.facts), isNamed)
	}
	text, err := json.Marshal(r)
	h.last = op
	h.last.State, h.last.Result = supervisor.OperationDone, string(text)
	return h.last, errors.Join(err, h.fails)
}

func (h *homes) Wait(context.Context, int64) (supervisor.Operation, error) { return h.last, nil }

// A restored home has the facts again that its user has forgotten.
func TestForgetRestored_FactsOfDigests_AreGone(t *testing.T) {
	db := sqlitetest.Open(t)
	h := &homes{fails: errors.New("no worker")}
	for n := range protocol.MaxFactsPerMemoryPage + 2 {
		h.facts = append(h.facts, protocol.MemoryFact{ID: string(rune('a'+n%26)) + time.Duration(n).String(),
			Text: "Likes tea number " + time.Duration(n).String()})
	}
	last := h.facts[len(h.facts)-1]
	want := len(h.facts) - 2
	digests := protocol.DigestWords(last.Text) + " " + protocol.DigestWords(h.facts[0].Text)
	if err := db.Settings().Put(t.Context(), "alice", sqlite.SettingForgetFacts, digests); err != nil {
		t.Fatal(err)
	}
	m := memory.New(memory.Options{Store: db.Memories(), PromptFiles: db.PromptFiles(), SystemTexts: db.SystemTexts(),
		Effects: db.Effects(), Kept: db.Operations(), Operations: h, ForgetLater: func() {},
		ForgetWords: func(context.Context, string) error { return nil },
		Zone:        func(string) *time.Location { return time.UTC }, Now: time.Now, Settings: db.Settings(),
		Users: func() []string { return []string{"alice", "bob"} }})
	if err := m.ForgetRestored(t.Context()); err == nil {
		t.Error("without a worker there is no error")
	}
	h.fails = nil
	if err := m.ForgetRestored(t.Context()); err != nil {
		t.Fatal(err)
	}
	isLast := func(f protocol.MemoryFact) bool { return f.Text == last.Text }
	if len(h.facts) != want || slices.ContainsFunc(h.facts, isLast) {
		t.Errorf("%d facts are left, want %d", len(h.facts), want)
	}
	if _, found, err := db.Settings().Find(t.Context(), "alice", sqlite.SettingForgetFacts); found || err != nil {
		t.Errorf("the digests are still there: %v", err)
	}
}
