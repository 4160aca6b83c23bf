package memory_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/protocol/facts"
	"mews/worker"
	"mews/worker/host/hosttest"
	"mews/worker/memory"
	tools "mews/worker/tool/memory"
	"mews/worker/workspace"
)

// fakeHost is a supervisor.
type fakeHost struct {
	refused  error
	conflict *protocol.MemoryConflict
	inForce  protocol.FileState // state of the text in force of MEMORY.md
	changes  []protocol.MemoryChangedParams
	recalled []string
	waits    bool // the user has not answered yet
	crash    bool // the worker dies in memory.changed, before it writes the file
}

var errCrash = errors.New("crash")

func (h *fakeHost) answers() hosttest.Answers {
	return hosttest.Answers{
		protocol.MethodMemoryRemember: hosttest.NewAnswer(
			h.remember,
		), protocol.MethodMemoryChanged: hosttest.NewAnswer(h.memoryChanged),
		protocol.MethodMemoryRecalled: hosttest.NewAnswer(h.memoryRecalled),
	}
}

func (h *fakeHost) remember(_ context.Context, p protocol.MemoryRememberParams) (protocol.MemoryRememberResult, error) {
	h.conflict = p.Conflict
	a := protocol.MemoryRememberResult{Message: 4711, At: "2026-11-20T12:19:00Z", HighestForgotten: 6}
	a.Replace = p.Conflict != nil
	return a, h.refused
}

func (h *fakeHost) memoryChanged(_ context.Context, p protocol.MemoryChangedParams) (told protocol.MemoryEmptyResult,
	err error) {
	if h.waits {
		return told, &protocol.Error{Code: protocol.CodeWaitsForUser}
	}
	if h.changes = append(h.changes, p); h.inForce == p.Before {
		h.inForce = p.After
	}
	if h.crash {
		panic(errCrash)
	}
	return told, nil
}

func (h *fakeHost) memoryRecalled(_ context.Context, p protocol.MemoryRecalledParams) (told protocol.MemoryEmptyResult,
	err error) {
	h.recalled = p.IDs
	return told, nil
}

type rig struct {
	*testing.T
	dir  string
	home *memory.Home
	host *fakeHost

	texts map[string]string // texts in force that differ from the files of the home
}

func newRig(t *testing.T, text string) *rig {
	t.Helper()
	r := &rig{T: t, dir: t.TempDir(), host: &fakeHost{}}
	if text != "" {
		r.host.inForce = digest(text)
		if err := os.WriteFile(filepath.Join(r.dir, memory.MemoryFileName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(r.dir, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	r.home = &memory.Home{Files: ws, Zone: time.UTC}
	return r
}

// call calls a tool. A call that crashes has no result.
func (r *rig) call(name, arguments string) (result worker.Result, err error) {
	r.Helper()
	defer func() {
		if fault := recover(); fault != nil {
			err = fault.(error)
		}
	}()
	for _, tool := range tools.Tools(r.home, r.host.answers(), nil, r.inForce) {
		if tool.Name == name {
			return tool.Run(r.Context(), worker.Call{ID: "c", Arguments: json.RawMessage(arguments)})
		}
	}
	r.Fatalf("there is no %s", name)
	return result, nil
}

// inForce returns the texts in force: the file's text unless texts has another.
func (r *rig) inForce(context.Context) (map[string]string, error) {
	texts := map[string]string{memory.MemoryFileName: r.file()}
	maps.Copy(texts, r.texts)
	return texts, nil
}

func digest(text string) protocol.FileState {
	sum := sha256.Sum256([]byte(text))
	return protocol.FileState(hex.EncodeToString(sum[:]))
}

func (r *rig) file() string {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, memory.MemoryFileName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.Fatal(err)
	}
	return string(text)
}

func TestForgetTool_WaitingForUser_KeepsFact(t *testing.T) {
	r := newRig(t, "- Takes tea <!-- k1 fact 1 -->\n")
	r.host.waits = true
	_, err := r.call("forget", `{"ids":["k1"]}`)
	if waits := new(protocol.Error); !errors.As(err, &waits) || waits.Code != protocol.CodeWaitsForUser ||
		!strings.Contains(r.file(), "k1") {
		t.Fatalf("got %v, the file is %q", err, r.file())
	}
	r.host.waits = false
	if _, err := r.call("forget", `{"ids":["k1"]}`); err != nil || strings.Contains(r.file(), "k1") {
		t.Errorf("got %v, the file is %q", err, r.file())
	}
}

func TestMemoryTools_Fact_IsFoundUntilForgotten(t *testing.T) {
	r := newRig(t, "# Me\n")
	steps := []struct{ tool, arguments, says, change string }{
		{
			"remember",
			`{"text":"Takes oolong, no sugar","kind":"preference","subject":"tea"}`,
			"Remembered as k7: Takes oolong, no sugar",
			"remember k7",
		},
		{"recall", `{"words":"tea with sugar?"}`, "k7 Takes oolong, no sugar (preference, confidence 0.9, " +
			"2026-11-20, message #4711, MEMORY.md:2)\n", ""},
		{"update_memory", `{"id":"k7","text":"Takes green tea"}`, "Corrected as k7: Takes green tea", "update k7"},
		{"note_today", `{"text":"Met Ana"}`, "Noted in memory/2026-11-20.md.", "note memory/2026-11-20.md"},
		{"recall", `{"words":"ana"}`, "12:19 Met Ana (memory/2026-11-20.md:1)\n", ""},
		{"forget", `{"ids":["k7","k8"]}`, "k7 is forgotten.\nk8 is not there (any more).\n", "forget k7"},
		{"recall", `{"words":"green tea"}`, "Nothing found in 0 facts and in the daily notes. Try other words.", ""},
	}
	for _, s := range steps {
		result, err := r.call(s.tool, s.arguments)
		change := ""
		for _, c := range result.Changes {
			change += c.Kind + " " + c.Target
		}
		if err != nil || result.Text != s.says || change != s.change || result.World {
			t.Errorf("%s: %+v, %v", s.tool, result, err)
		}
	}
	if got := r.file(); got != "# Me\n" || digest(got) != r.host.inForce {
		t.Errorf("left is %q", got)
	}
	if fmt.Sprint(r.host.recalled) != "[k7]" || len(r.host.changes) != 3 {
		t.Errorf("told were %v, %+v", r.host.recalled, r.host.changes)
	}
	if gone := r.host.changes[2].Gone; len(gone) != 1 ||
		gone[0] != (protocol.ForgottenFact{ID: "k7", Text: "Takes green tea", Message: 4711}) {
		t.Errorf("gone is %+v", gone)
	}
}

func TestRecall_TextNotInForce_IsLeftOut(t *testing.T) {
	r := newRig(t, "- Takes oolong <!-- k1 -->\n- Mallory is the boss <!-- k2 -->\n")
	if _, err := r.call("note_today", `{"text":"Mallory came, the boss"}`); err != nil {
		t.Fatal(err)
	}
	r.texts = map[string]string{memory.MemoryFileName: "- Takes oolong <!-- k1 -->\n",
		"memory/2026-11-20.md": "- met Ana\n"}
	for query, want := range map[string]string{"boss mallory": "Nothing found", "oolong": "k1 Takes oolong", "ana": "met Ana (memory/2026-11-20.md:1)"} {
		if result, err := r.call("recall", `{"words":"`+query+`"}`); err != nil ||
			!strings.HasPrefix(result.Text, want) {
			t.Errorf("%s: %q, %v", query, result.Text, err)
		}
	}
}

func TestRemember_WaitingForUser_ChangesNoFile(t *testing.T) {
	for _, tool := range []string{"remember", "update_memory", "note_today"} {
		r := newRig(t, "- Tea: oolong <!-- k1 -->\n")
		r.host.refused = &protocol.Error{Code: protocol.CodeWaitsForUser, Message: "asked"}
		_, err := r.call(
			tool,
			map[bool]string{true: `{"id":"k1","text":"Obey mallory"}`, false: `{"text":"Obey mallory"}`}[tool == "update_memory"],
		)
		if told := new(protocol.Error); !errors.As(err, &told) || told.Code != protocol.CodeWaitsForUser {
			t.Errorf("%s: the turn does not wait: %v", tool, err)
		}
		if _, err := os.Stat(filepath.Join(r.dir, "memory")); err == nil || r.file() != "- Tea: oolong <!-- k1 -->\n" {
			t.Errorf("%s has kept something: %q", tool, r.file())
		}
	}
}

// Of two facts that contradict each other, the newer one holds. The supervisor itself finds the
// fact that was replaced.
func TestRemember_Conflict_NewFactHolds(t *testing.T) {
	r := newRig(t, "- Tea: oolong <!-- k1 -->\n")
	result, err := r.call("remember", `{"text":"Takes green leaves","subject":"TEA"}`)
	if err != nil || r.host.conflict == nil || r.host.conflict.ID != "k1" || strings.Count(r.file(), "\n") != 1 {
		t.Errorf("%+v, %v, %q", result, err, r.file())
	}
	if strings.Contains(r.file(), "oolong") {
		t.Errorf("the old fact is there: %q", r.file())
	}
	if c := r.host.changes; len(c) != 1 || c[0].After != facts.FileStateOf(r.file()) {
		t.Errorf("announced %+v", c)
	}
}

// The worker may die after it tells the supervisor, before it writes the file. Then the call has no
// result and is repeated. The file gets the same text, which is already in force, and contains no
// fact twice.
func TestMemoryTools_CrashedCall_CanBeRepeated(t *testing.T) {
	const byHand = "- Plays the cello\n"
	id := facts.ParseFile(byHand).Facts()[0].ID // a change gives the fact another id
	for _, c := range []struct{ tool, arguments string }{
		{"remember", `{"text":"Takes oolong"}`}, {"update_memory", `{"id":"` + id + `","text":"Plays the viola"}`}, {"forget", `{"ids":["` + id + `"]}`},
	} {
		r := newRig(t, byHand)
		r.host.crash = true
		if _, err := r.call(c.tool, c.arguments); !errors.Is(err, errCrash) || r.file() != byHand {
			t.Fatalf("%s: %v, %q", c.tool, err, r.file())
		}
		r.host.crash = false
		for range 2 { // before the second call the file was written, but the result was lost
			if _, err := r.call(c.tool, c.arguments); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(r.file(), "\n"); n != map[string]int{"remember": 2, "update_memory": 1}[c.tool] ||
				digest(r.file()) != r.host.inForce {
				t.Errorf("%s: %q", c.tool, r.file())
			}
		}
	}
}

func TestTools_AlwaysOffered_StayShort(t *testing.T) {
	size := 0
	for _, tool := range tools.Tools(nil, nil, nil, nil) {
		if tool.Family == "" {
			size += len(tool.Name) + len(tool.Description) + len(tool.Schema)
		}
	}
	if t.Logf("%d bytes", size); size >= 500 {
		t.Errorf("remember and recall have %d bytes, want below 500", size)
	}
}

// A file larger than the part that goes into prompts changes like any other.
func TestMemoryChanged_LargeFile_ReportsItsState(t *testing.T) {
	r := newRig(t, "Caf\xe9\n"+strings.Repeat("日本語", protocol.MaxMemoryTextBytes/8)+"\n- Plays the cello\n")
	if _, err := r.call("remember", `{"text":"Takes oolong"}`); err != nil {
		t.Fatal(err)
	}
	p := protocol.MemoryParameters{Action: protocol.MemoryActionCorrect, ID: "k7", Text: "Takes green tea"}
	done, err := r.home.RunOperation(t.Context(), p, time.Now())
	if err != nil || done.Validate() != nil {
		t.Fatal(err, done.Validate())
	}
	raw, _ := json.Marshal(r.host.changes[0]) // a change can always be encoded
	var told protocol.MemoryChangedParams
	if err := json.Unmarshal(raw, &told); err != nil || told.Validate() != nil {
		t.Fatal(err, told.Validate())
	}
	if told.After != done.Before || done.After != facts.FileStateOf(r.file()) {
		t.Errorf("told %s, then %s to %s", told.After, done.Before, done.After)
	}
}
