package index

import (
	"context"
	"slices"
	"testing"

	"mews/protocol"
	"mews/supervisor/internal/engine"
)

func engineValue(x *Index, query string, args ...any) (int64, error) {
	db := x.openDB()
	if db == nil {
		return 0, errNotOpen
	}
	return engine.FirstValue(db.Reader(context.Background()), engine.ScanInteger, query, args...)
}

// Messages that were stored before or during the run are found. The query may have another form of
// a word, words in another order, or words that the message lacks.
func TestSearch_Messages_AreFound(t *testing.T) {
	r := newRig(t, "alice", "bob")
	r.keep("alice", protocol.RoleUser, "The tomatoes on the balcony want less water.")
	r.run()
	r.putMessage("alice", protocol.RoleAssistant, "Die Küchenfenster sind geputzt, wie du wolltest.")
	r.putMessage("bob", protocol.RoleUser, "My tomatoes are blue.")
	for words, want := range map[string]string{
		"tomato": "The tomatoes on the balcony want less water.", "water of the balconies": "The tomatoes on the balcony want less water.",
		"kuchenfenstern": "Die Küchenfenster sind geputzt, wie du wolltest.",
	} {
		if got := r.searchTexts("alice", words); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q", words, got)
		}
	}
	if got := r.searchTexts("bob", "balcony"); len(got) > 0 {
		t.Errorf("bob finds alice's %q", got)
	}
}
