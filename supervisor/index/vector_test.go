package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// synonymModel is an embedding model that knows only the synonyms in the test's own table.
type synonymModel struct {
	mu    sync.Mutex
	texts []string // embedded texts with their users
	fail  func(texts []string) error
}

var likeMeanings = strings.NewReplacer("automobile", "car", "vehicle", "car", "physician", "doctor")

func (m *synonymModel) Embed(ctx context.Context, user string, texts []string) (list [][]float32, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		if err := m.fail(texts); err != nil {
			return nil, err
		}
	}
	for _, text := range texts {
		m.texts = append(m.texts, user+" "+text)
		list = append(list, modeltest.EmbeddingOf(likeMeanings.Replace(text)))
	}
	return list, nil
}

// taken returns the texts that were embedded since the last call, sorted.
func (m *synonymModel) taken() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := slices.Sorted(slices.Values(m.texts))
	m.texts = nil
	return list
}

func (m *synonymModel) failing(fail func(texts []string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = fail
}

// newVectorRig makes an index with vectors.
func newVectorRig(t *testing.T, people ...string) (*rig, *synonymModel) {
	t.Helper()
	r, m := newRig(t, people...), &synonymModel{}
	r.index.o.Embedder, r.index.o.Model = m, "cloud/meanings"
	return r, m
}

// waitForVectors waits until every section has its vector.
func (r *rig) waitForVectors() {
	r.Helper()
	r.waitUntilRead()
	r.await("the vectors", func() bool {
		n, err := engineValue(r.index, "SELECT count(*) FROM section s LEFT JOIN vector v ON v.section = s.id WHERE v.vector IS NULL OR v.model <> ?", r.index.o.Model)
		return err == nil && n == 0
	})
}

func TestSearch_SameMeaning_IsFound(t *testing.T) {
	r, _ := newVectorRig(t, "alice", "bob")
	r.run()
	r.putMessage("alice", "user", "the automobile is at the garage")
	r.putMessage("alice", "assistant", "an automobile costs much")
	for _, text := range []string{"bread and butter", "rain since Tuesday", "call Ann back"} {
		r.putMessage("alice", "user", text)
	}
	r.putMessage("bob", "user", "my automobile is red")
	putHome(r, "alice", "trips/a.md", "an automobile for the summer")
	r.waitForVectors()
	for name, c := range map[string]struct {
		q    Query
		want string
	}{
		"among all":          {Query{Text: "vehicle"}, "an automobile costs much"},
		"said by the person": {Query{Text: "vehicle", Who: "person"}, "the automobile is at the garage"},
		"in a file":          {Query{Text: "vehicle", Scope: ScopeHome}, "an automobile for the summer"},
		"in a folder":        {Query{Text: "vehicle", Under: "trips"}, "an automobile for the summer"},
		"in another folder":  {Query{Text: "vehicle", Under: "trip"}, ""},
		"another's":          {Query{Text: "vehicle", Conversation: 2}, ""},
		"by both rankings":   {Query{Text: "automobile garage"}, "the automobile is at the garage"},
	} {
		t.Run(name, func(t *testing.T) {
			c.q.User = "alice"
			hits := r.search(c.q)
			if c.want == "" && len(hits) > 0 || c.want != "" && (len(hits) == 0 || hits[0].Text != c.want) {
				t.Errorf("found %+v", hits)
			}
			if slices.ContainsFunc(hits, func(h Hit) bool { return strings.Contains(h.Text, "red") }) {
				t.Errorf("another's is found: %+v", hits)
			}
		})
	}
}

// putHome adds a file with one section to a home.
func putHome(r *rig, user, path, text string) {
	r.Helper()
	r.waitUntilRead()
	s := Section{Hash: SectionHash(fmt.Sprintf("%x", text)), Text: text}
	err := r.index.PutSections(r.Context(), user, []Section{s})
	if err == nil {
		err = r.index.SetManifest(r.Context(), user, []HomeFile{{Path: path, Hash: path, Modified: time.Unix(1, 0),
			Sections: []SectionPosition{{Hash: s.Hash, Line: 1}}}}, nil)
	}
	if err != nil {
		r.Fatal(err)
	}
}

// A section is embedded and paid once, even if it moves or the service restarts. Another model
// embeds all sections again.
func TestEmbed_Section_IsEmbeddedOnce(t *testing.T) {
	r, m := newVectorRig(t, "alice", "bob")
	wants := func(what string, want ...string) {
		t.Helper()
		r.waitForVectors()
		if got := m.taken(); !slices.Equal(got, want) {
			t.Errorf("%s: embedded were %q", what, got)
		}
	}
	r.run()
	r.putMessage("alice", "user", "one")
	r.putMessage("bob", "user", "two")
	putHome(r, "alice", "a.md", "three")
	wants("at first", "alice one", "alice three", "bob two")
	file := HomeFile{Path: "b.md", Hash: "b", Sections: []SectionPosition{{Hash: SectionHash(fmt.Sprintf("%x",
		"three")), Line: 7}}}
	if err := r.index.SetManifest(t.Context(), "alice", []HomeFile{file}, []string{"a.md"}); err != nil {
		t.Fatal(err)
	}
	r.putMessage("alice", "user", "four")
	wants("moved", "alice four")
	restart := func(embedder Embedder, model string) {
		r.stop()
		o := r.index.o
		o.Embedder, o.Model = embedder, model
		r.index = New(o)
		r.run()
	}
	restart(nil, "")
	r.putMessage("bob", "user", "five")
	r.waitUntilRead()
	restart(m, "cloud/meanings")
	wants("after a time without a model", "bob five")
	restart(m, "cloud/other")
	wants("of another model", "alice four", "alice one", "alice three", "bob five", "bob two")
}

// A batch that is too long is divided, a text that is too long is cut, and a text that is still too
// long is found only by its words.
func TestEmbed_TooLongTexts_AreCut(t *testing.T) {
	r, m := newVectorRig(t, "alice")
	m.fail = func(texts []string) error {
		size := 0
		for _, text := range texts {
			if size += len(text); strings.Contains(text, "never") {
				size = 1000
			}
		}
		if size > 300 {
			return &modelcall.Error{Class: modelcall.RequestTooLong, Err: &supervisor.Error{Message: "no"}}
		}
		return nil
	}
	for i := range 9 {
		r.keep("alice", "user", fmt.Sprintf("car %d %s", i, strings.Repeat("x ", 50)))
	}
	long := "car " + strings.Repeat("ж", 1000)
	r.keep("alice", "user", long)
	r.keep("alice", "user", "never")
	r.run()
	r.waitForVectors()
	got := m.taken()
	if len(got) != 10 || !slices.ContainsFunc(got, func(text string) bool { return strings.HasPrefix(long, text[len("alice "):]) }) {
		t.Errorf("embedded were %q", got)
	}
	if found := r.searchTexts("alice", "never"); !slices.Contains(found, "never") {
		t.Errorf("found by its words: %q", found)
	}
}

// If the model fails, or nobody pays for it, the search uses words only, and its result says so.
// After a while the search tries the model again.
func TestSearch_FailingModel_UsesWords(t *testing.T) {
	for why, failed := range map[string]error{
		textNoMoney: &modelcall.Error{Class: modelcall.OverBudget, Err: &supervisor.Error{Message: "no"}},
		textByWords: errors.New("no"),
	} {
		r, m := newVectorRig(t, "alice")
		r.run()
		r.putMessage("alice", "user", "the automobile is at the garage")
		r.waitForVectors()
		now := r.index.o.Now()
		var clock sync.Mutex
		r.stop()
		o := r.index.o
		o.Now = func() time.Time { clock.Lock(); defer clock.Unlock(); return now }
		r.index = New(o)
		m.failing(func([]string) error { return failed })
		r.run()
		search := func() Result {
			r.waitUntilRead()
			result, err := r.index.Search(t.Context(), Query{User: "alice", Text: "garage", Scope: ScopeTranscript})
			if err != nil || len(result.Hits) == 0 {
				t.Fatalf("%s: %+v, %v", why, result, err)
			}
			return result
		}
		if got := search(); got.Incomplete != textByWords { // the model fails for the query itself
			t.Errorf("%s: %q", why, got.Incomplete)
		}
		r.putMessage("alice", "user", "a garage of stone")
		r.await("the model's rest", func() bool { return search().Incomplete == why })
		m.failing(nil)
		m.taken()
		clock.Lock()
		now = now.Add(pauseTime)
		clock.Unlock()
		r.putMessage("alice", "user", "a third garage")
		r.waitForVectors()
		if got := m.taken(); !slices.Equal(got, []string{"alice a garage of stone", "alice a third garage"}) {
			t.Errorf("%s: embedded were %q", why, got)
		}
		if got := search(); got.Incomplete != "" || len(got.Hits) != 3 {
			t.Errorf("%s: %+v", why, got)
		}
		r.stop()
	}
}

// The search waits a second for the query's vector, and requests it once.
func TestSearch_QueryVector_HasTimeLimit(t *testing.T) {
	r, m := newVectorRig(t, "alice")
	r.run()
	r.putMessage("alice", "user", "the automobile is at the garage")
	r.waitForVectors()
	m.taken()
	for range 2 {
		r.searchTexts("alice", "vehicle")
	}
	if got := m.taken(); !slices.Equal(got, []string{"alice vehicle"}) {
		t.Errorf("embedded were %q", got)
	}
	r.stop()
	slow := r.index.o
	slow.Embedder = slowModel{}
	r.index = New(slow)
	r.run()
	r.waitUntilRead()
	result, err := r.index.Search(t.Context(), Query{User: "alice", Text: "garage", Scope: ScopeTranscript})
	if err != nil || len(result.Hits) != 1 || result.Incomplete != textByWords {
		t.Errorf("%+v, %v", result, err)
	}
}

// slowModel answers no call before its deadline. If the deadline is a second or less, it fails at
// once.
type slowModel struct{}

func (slowModel) Embed(ctx context.Context, _ string, _ []string) ([][]float32, error) {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= queryTimeout {
		return nil, context.DeadlineExceeded
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// A vector is deleted with its section, also from the index's files.
func TestVector_RemovedSection_IsDeleted(t *testing.T) {
	const secret = "the safe opens with the number of the old house"
	for name, remove := range map[string]func(r *rig, message int64) error{
		"a message": func(r *rig, message int64) error {
			return r.index.RemoveMessages(r.Context(), "alice", []int64{message})
		},
		"a file":   func(r *rig, _ int64) error { return r.index.SetManifest(r.Context(), "alice", nil, []string{"a.md"}) },
		"a person": func(r *rig, _ int64) error { return r.index.EraseUser(r.Context(), "alice") },
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := newVectorRig(t, "alice", "bob")
			r.run()
			r.putMessage("bob", "user", "bob's own")
			message := int64(0)
			if name == "a file" {
				putHome(r, "alice", "a.md", secret)
			} else {
				message = r.putMessage("alice", "user", secret)
			}
			r.waitForVectors()
			blob := blobOf(modeltest.EmbeddingOf(secret))
			r.stop() // stopping the index writes the last changes from memory to the files
			if !inFiles(t, r.index.o.Path, blob) {
				t.Fatal("the vector is nowhere: this test sees nothing")
			}
			r.run().waitUntilRead()
			if err := remove(r, message); err != nil {
				t.Fatal(err)
			}
			if inFiles(t, r.index.o.Path, blob) || inFiles(t, r.index.o.Path, blob[len(blob)/2:]) {
				t.Error("its vector is still in the file")
			}
			if found, err := r.index.Search(t.Context(), Query{User: "bob", Text: "own"}); err != nil || len(found.Hits) != 1 {
				t.Errorf("bob's is %+v, %v", found, err)
			}
		})
	}
}

// inFiles reports whether a database or its journal contains the bytes of secret.
func inFiles(t *testing.T, path string, secret []byte) (found bool) {
	t.Helper()
	for _, name := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(name)
		if err != nil && name == path {
			t.Fatal(err)
		}
		found = found || bytes.Contains(data, secret)
	}
	return found
}

// Without a model there are no vectors and no function that compares them.
func TestEmbed_WithoutModel_MakesNoVectors(t *testing.T) {
	r := newRig(t, "alice").run()
	r.putMessage("alice", "user", "the automobile is at the garage")
	if found := r.searchTexts("alice", "vehicle"); len(found) > 0 {
		t.Errorf("found %q", found)
	}
	if n, err := engineValue(r.index, "SELECT count(*) FROM vector"); n != 0 || err != nil {
		t.Errorf("%d vectors are awaited, %v", n, err)
	}
	var made float64
	err := r.index.openDB().Reader(t.Context()).Query(func(*engine.Row) bool { made++; return true }, "SELECT vec1_cos_distance(x'0000803f', x'0000803f')")
	if err == nil || made > 0 {
		t.Error("vectors can be compared")
	}
}
