package protocol

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MethodMemoryRemember asks whether what a call of remember, update_memory or note_today says may
// be kept, and by which message it goes. It is a call in turn. The worker only names the model's
// call, whose arguments are a MemoryArguments: the supervisor has them. Conflict is what the new
// fact contradicts: the person is asked which holds. Of update_memory it is what the call replaces,
// which they are shown where they are asked. While they have not answered it fails with CodeWaits,
// as question.ask does.
//
//	{"turn":8,"call":"t8-2-1","conflict":{"id":"k7","text":"Takes tea with milk"}}
//	{"message":4711,"at":"2026-11-20T12:19:00Z","after":9,"choice":"both"}
const MethodMemoryRemember = "memory.remember"

// MethodMemoryRecalled tells which facts recall has shown: they count as used that day. It is a
// call in turn.
//
//	{"turn":8,"ids":["k7","k9"]}
//	{}
const MethodMemoryRecalled = "memory.recalled"

// MethodMemoryChanged tells that MEMORY.md is about to be changed by a call of remember,
// update_memory or forget: from a text with one SHA-256 to another. Where that fails it is told of
// the way back. What is gone is not taken up again from where it came from; the person may be asked
// first, and while they have not answered it fails with CodeWaits. It is a call in turn.
//
//	{"turn":8,"call":"t8-2-1","before":"","after":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","text":"dGVzdA==","gone":[{"id":"k7","text":"Takes tea","message":4711}]}
//	{}
const MethodMemoryChanged = "memory.changed"

// Bounds of the memory.
const (
	MaxFacts      = 500 // in MEMORY.md
	MaxFact       = 300 // characters
	MaxMemoryText = 256 << 10

	// MaxFactNumber is above the numbers of ids that Mews gives. Somebody may have written a
	// greater one, which counts for no other.
	MaxFactNumber = 100_000_000
)

// MemoryArguments are what a model says to remember, update_memory and note_today.
type MemoryArguments struct {
	ID         string  `json:"id,omitempty"` // of update_memory
	Text       string  `json:"text"`
	Kind       string  `json:"kind,omitempty"`
	Confidence float64 `json:"confidence,omitempty"` // 0 is not said
	Subject    string  `json:"subject,omitempty"`
	Message    int64   `json:"message,omitempty"` // that it goes by; 0 is the person's newest
}

// MemoryRemember names the model's call.
type MemoryRemember struct {
	Turn     int64           `json:"turn"`
	Call     string          `json:"call"`
	Conflict *MemoryConflict `json:"conflict,omitempty"`
}

// MemoryConflict is a fact that a new one contradicts.
type MemoryConflict struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// MemoryChoice is which of two facts holds.
type MemoryChoice string

const (
	MemoryNew  MemoryChoice = "new"
	MemoryOld  MemoryChoice = "old"
	MemoryBoth MemoryChoice = "both"
)

// MemoryAllowed is the result of memory.remember.
type MemoryAllowed struct {
	Message int64        `json:"message"`
	At      string       `json:"at"`    // when that was sent, as RFC 3339 has it
	After   int          `json:"after"` // the highest number of an id that is forgotten
	Choice  MemoryChoice `json:"choice,omitempty"`
}

// MemoryRecalled are the ids of facts that were shown.
type MemoryRecalled struct {
	Turn int64    `json:"turn"`
	IDs  []string `json:"ids"`
}

// MemoryChanged is a change of MEMORY.md.
type MemoryChanged struct {
	Turn   int64        `json:"turn"`
	Call   string       `json:"call"`
	Before FileState    `json:"before"`
	After  FileState    `json:"after"`
	Text   []byte       `json:"text"` // of the file, after: PromptFileBytes of it at most
	Gone   []MemoryGone `json:"gone,omitempty"`
}

// MemoryGone is a fact that was forgotten.
type MemoryGone struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Message int64  `json:"message,omitempty"` // that it went by
}

// MemoryTold is the result of memory.recalled and of memory.changed.
type MemoryTold struct{}

// Check refuses what no honest worker sends.
func (c MemoryChanged) Check() error {
	if c.Before != FileAbsent && !c.Before.Hashed() || !c.After.Hashed() && c.After != FileAbsent || len(c.Text) > PromptFileBytes("MEMORY.md") || len(c.Gone) > MaxFacts {
		return fmt.Errorf("a text of %d bytes, %d facts gone", len(c.Text), len(c.Gone))
	}
	for _, gone := range c.Gone {
		if err := checkFact(gone.ID, gone.Text); err != nil {
			return err
		}
	}
	return nil
}

// Check refuses what no honest worker sends.
func (r MemoryRemember) Check() error {
	if r.Conflict == nil {
		return nil
	}
	return checkFact(r.Conflict.ID, r.Conflict.Text)
}

// Check refuses what no honest worker sends.
func (r MemoryRecalled) Check() error {
	if len(r.IDs) > 20 {
		return errors.New("more facts than are found at once")
	}
	for _, id := range r.IDs {
		if err := checkFact(id, ""); err != nil {
			return err
		}
	}
	return nil
}

// checkFact refuses an id that is too long. A bullet that was written by hand may be longer than a
// fact.
func checkFact(id, text string) error {
	if id == "" || len(id) > 12 || len(text) > 64<<10 || !utf8.ValidString(id+text) {
		return fmt.Errorf("a fact %.20q of %d bytes", id, len(text))
	}
	return nil
}

// OperationMemory sees to what is remembered, at its person's wish: MemoryParameters to
// MemoryResult. Done again after a crash it comes to the same.
const OperationMemory OperationKind = "memory"

// MemoryAction is what is to be done.
type MemoryAction string

const (
	MemoryList    MemoryAction = "list"    // some facts, in the order of the file
	MemoryShow    MemoryAction = "show"    // one
	MemoryCorrect MemoryAction = "correct" // give one other words
	MemoryForget  MemoryAction = "forget"  // delete one
	MemoryImport  MemoryAction = "import"  // take in what another assistant has kept
)

// MaxForgotten is how many digests an import is told of, MaxMemoryPage how many facts are listed at
// once, and MaxMemoryLeft how many things that were not taken in are named.
const (
	MaxForgotten  = 2000
	MaxMemoryPage = 50
	MaxMemoryLeft = 100
)

// MemoryParameters say what is to be done.
type MemoryParameters struct {
	Action MemoryAction `json:"action"`
	ID     string       `json:"id,omitempty"`
	Text   string       `json:"text,omitempty"` // of MemoryCorrect
	// of MemoryList: how many facts stand before, and at most how many are listed
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
	Path   string `json:"path,omitempty"`  // of MemoryImport, relative to the home
	After  int    `json:"after,omitempty"` // the highest number of an id that is forgotten

	// of MemoryImport: the newest DigestOfWords of what is not taken in, at most MaxForgotten
	Forgotten []string `json:"forgotten,omitempty"`

	// of MemoryShow and MemoryForget: all that came of these, instead of the fact
	Of *MemoryExchanges `json:"of,omitempty"`
}

// MemoryExchanges are turns of which something may stand in a home: facts that go by their
// messages, notes, and exchanges in the log.
type MemoryExchanges struct {
	Turns    []int64  `json:"turns"`
	Messages []int64  `json:"messages,omitempty"`
	Notes    []string `json:"notes,omitempty"` // the texts of notes
	// the days of the notes and logs that are looked at, as 2026-11-20
	From string `json:"from"`
	To   string `json:"to"`
}

// MemoryResult says what there is. Of show, correct and forget it has the one fact; none where it
// is not there.
type MemoryResult struct {
	Facts []MemoryFact `json:"facts,omitempty"`
	Total int          `json:"total"` // facts in the file
	Added int          `json:"added,omitempty"`
	// lines of daily notes that were added; with Of, that are theirs
	Notes int      `json:"notes,omitempty"`
	Logs  int      `json:"logs,omitempty"`  // with Of: exchanges in logs
	Known int      `json:"known,omitempty"` // what was there before
	Left  []string `json:"left,omitempty"`  // what was not taken in, and why
	More  int      `json:"more,omitempty"`  // how many are not in Left

	Refused string `json:"refused,omitempty"` // why it was not done; nothing was changed then

	Before FileState `json:"before,omitempty"` // of MEMORY.md
	After  FileState `json:"after,omitempty"`
	Text   []byte    `json:"text,omitempty"` // of it, where it was changed: PromptFileBytes at most
}

// MemoryFact is a fact as people see it.
type MemoryFact struct {
	ID         string  `json:"id"`
	Text       string  `json:"text"`
	Kind       string  `json:"kind"`
	Confidence float64 `json:"confidence"`
	Message    int64   `json:"message,omitempty"`
	Source     string  `json:"source"` // where it comes from, in words
	Line       int     `json:"line"`
}

// Check refuses a result that no honest worker sends.
func (r MemoryResult) Check() error {
	if len(r.Text) > PromptFileBytes("MEMORY.md") || len(r.Refused) > 4<<10 || len(r.Facts) > MaxFacts || len(r.Left) > MaxMemoryLeft || min(r.Total, r.Added, r.Notes, r.Logs, r.Known, r.More) < 0 {
		return fmt.Errorf("%d facts, %d left", len(r.Facts), len(r.Left))
	}
	for _, f := range r.Facts {
		if err := checkFact(f.ID, f.Text+f.Kind+f.Source); err != nil {
			return err
		}
	}
	return nil
}

// DigestOfWords is the SHA-256 of a text's words in hexadecimal: in small letters, without
// punctuation, with one space between them.
func DigestOfWords(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(Words(text), " ")))
	return hex.EncodeToString(sum[:])
}

// Words are a text's, in small letters.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
}
