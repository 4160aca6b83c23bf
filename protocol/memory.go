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

// MethodMemoryRemember asks whether a fact or note may be kept, and for its source message. The
// fact or note is from a call of remember, update_memory or note_today. It is a call during a turn.
// The worker only names the model's call; its arguments, which the supervisor has, are
// MemoryArguments. Conflict is the fact that the new fact contradicts, and will replace. For
// update_memory, Conflict is the corrected fact. If the user is asked, the question shows Conflict.
// Until the user has answered, the call fails with CodeWaitsForUser, as question.ask does.
//
//	{"turn":8,"call":"t8-2-1","conflict":{"id":"k7","text":"Takes tea with milk"}}
//	{"message":4711,"at":"2026-11-20T12:19:00Z","after":9,"replace":true}
const MethodMemoryRemember = "memory.remember"

// MethodMemoryRecalled reports the facts that recall has shown. These facts count as used that day.
// It is a call during a turn.
//
//	{"turn":8,"ids":["k7","k9"]}
//	{}
const MethodMemoryRecalled = "memory.recalled"

// MethodMemoryChanged announces a change of MEMORY.md by remember, update_memory or forget. It has
// the SHA-256 of the text before and after. The supervisor makes the same change from the call's
// arguments. The new text is in force only if the supervisor gets the same text. If the change
// fails, the worker announces the reverse change. Forgotten facts are not learned again from their
// messages. The user may be asked first; until the answer the call fails with CodeWaitsForUser. If
// remember replaces another fact, the user gets that fact with a button to restore it. It is a call
// during a turn.
//
//	{"turn":8,"call":"t8-2-1","before":"","after":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","gone":[{"id":"k7","text":"Takes tea","message":4711}]}
//	{}
const MethodMemoryChanged = "memory.changed"

// Bounds of the memory.
const (
	MaxFacts           = 500 // facts in MEMORY.md
	MaxFactCharacters  = 300 // characters of a fact
	MaxMemoryTextBytes = 256 << 10

	// MaxFactNumber is greater than every number in the ids that Mews gives. A user may have
	// written a greater number. New ids do not continue from such a number.
	MaxFactNumber = 100_000_000
)

// MemoryArguments are the model's arguments of remember, update_memory and note_today.
type MemoryArguments struct {
	ID         string  `json:"id,omitempty"` // id of the fact to change; only for update_memory
	Text       string  `json:"text"`
	Kind       string  `json:"kind,omitempty"`
	Confidence float64 `json:"confidence,omitempty"` // from 0 to 1; 0 means not given
	Subject    string  `json:"subject,omitempty"`
	Message    int64   `json:"message,omitempty"` // id of the fact's source message; 0 means the user's newest message
}

// MemoryRememberParams names the model's call.
type MemoryRememberParams struct {
	Turn     int64           `json:"turn"`
	Call     string          `json:"call"`
	Conflict *MemoryConflict `json:"conflict,omitempty"`
}

// MemoryConflict is a fact that a new fact contradicts.
type MemoryConflict struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// MemoryRememberResult is the result of memory.remember.
type MemoryRememberResult struct {
	Message          int64  `json:"message"`
	At               string `json:"at"`                // time at which Message was sent, in RFC 3339
	HighestForgotten int    `json:"after"`             // highest number in the id of a forgotten fact
	Replace          bool   `json:"replace,omitempty"` // the new fact replaces the conflicting fact
}

// MemoryRecalledParams holds the ids of facts that were shown.
type MemoryRecalledParams struct {
	Turn int64    `json:"turn"`
	IDs  []string `json:"ids"`
}

// MemoryChangedParams is a change of MEMORY.md.
type MemoryChangedParams struct {
	Turn   int64           `json:"turn"`
	Call   string          `json:"call"`
	Before FileState       `json:"before"`
	After  FileState       `json:"after"`
	Gone   []ForgottenFact `json:"gone,omitempty"`
}

// ForgottenFact is a fact that was forgotten.
type ForgottenFact struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Message int64  `json:"message,omitempty"` // id of the fact's source message
}

// MemoryEmptyResult is the empty result of memory.recalled and memory.changed.
type MemoryEmptyResult struct{}

// Validate refuses a change that no honest worker sends.
func (c MemoryChangedParams) Validate() error {
	if c.Before != FileStateAbsent && !c.Before.IsHash() || !c.After.IsHash() && c.After != FileStateAbsent ||
		len(c.Gone) > MaxFacts {
		return fmt.Errorf("a change from %.80q to %.80q, %d facts gone", c.Before, c.After, len(c.Gone))
	}
	for _, gone := range c.Gone {
		if err := checkFact(gone.ID, gone.Text); err != nil {
			return err
		}
	}
	return nil
}

// Validate refuses parameters that no honest worker sends.
func (r MemoryRememberParams) Validate() error {
	if r.Conflict == nil {
		return nil
	}
	return checkFact(r.Conflict.ID, r.Conflict.Text)
}

// Validate refuses ids that no honest worker sends.
func (r MemoryRecalledParams) Validate() error {
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

// checkFact returns an error for a long id or text. The text of a hand-written bullet may be longer
// than a fact.
func checkFact(id, text string) error {
	if id == "" || len(id) > 12 || len(text) > 64<<10 || !utf8.ValidString(id+text) {
		return fmt.Errorf("a fact %.20q of %d bytes", id, len(text))
	}
	return nil
}

// OperationKindMemory shows or changes the memory at the user's wish. It takes MemoryParameters and
// returns MemoryResult. Repeated after a crash it has the same result.
const OperationKindMemory OperationKind = "memory"

// MemoryAction is the task of a memory operation.
type MemoryAction string

const (
	MemoryActionList    MemoryAction = "list"    // list facts, in the order of the file
	MemoryActionShow    MemoryAction = "show"    // show one fact to the user
	MemoryActionCorrect MemoryAction = "correct" // change the words of one fact
	MemoryActionForget  MemoryAction = "forget"  // delete one fact
	MemoryActionImport  MemoryAction = "import"  // import another assistant's memory
)

// Bounds of a memory operation: forgotten digests that an import gets, facts on one page, and
// listed texts that were not imported.
const (
	MaxForgottenDigests   = 2000
	MaxFactsPerMemoryPage = 50
	MaxNotImportedNames   = 100
)

// MemoryParameters select the action and its facts.
type MemoryParameters struct {
	Action MemoryAction `json:"action"`
	ID     string       `json:"id,omitempty"`
	Text   string       `json:"text,omitempty"` // new words of the fact, for MemoryActionCorrect
	// for MemoryActionList: the number of facts before the page, and the size of the page
	Offset           int    `json:"offset,omitempty"`
	Limit            int    `json:"limit,omitempty"`
	Path             string `json:"path,omitempty"`  // file or folder to import, relative to the home
	HighestForgotten int    `json:"after,omitempty"` // highest number in the id of a forgotten fact

	// for MemoryActionImport: the newest DigestWords of texts not to import, at most
	// MaxForgottenDigests
	Forgotten []string `json:"forgotten,omitempty"`

	// turns whose facts and notes to show or forget, instead of one fact; only for MemoryActionShow
	// and MemoryActionForget
	Turns *TurnDataQuery `json:"of,omitempty"`
}

// TurnDataQuery are turns that may have left facts, notes or log entries in a home. A fact is found
// by its source message.
type TurnDataQuery struct {
	Turns    []int64  `json:"turns"`
	Messages []int64  `json:"messages,omitempty"`
	Notes    []string `json:"notes,omitempty"` // texts of the turns' notes
	// range of days whose notes and logs are searched, as 2026-11-20
	From string `json:"from"`
	To   string `json:"to"`
}

// MemoryResult is the result of a memory operation. After show, correct and forget it has one fact,
// or no fact if the fact does not exist.
type MemoryResult struct {
	Facts []MemoryFact `json:"facts,omitempty"`
	Total int          `json:"total"` // number of facts in MEMORY.md
	Added int          `json:"added,omitempty"`
	// lines added to daily notes; with Turns, the number of note lines from those turns
	Notes       int      `json:"notes,omitempty"`
	Logs        int      `json:"logs,omitempty"`  // with Turns: number of exchanges in logs
	Known       int      `json:"known,omitempty"` // imported facts that MEMORY.md already had
	NotImported []string `json:"left,omitempty"`  // texts that were not imported, each with the reason
	More        int      `json:"more,omitempty"`  // number of facts not imported that NotImported does not list

	Refused string `json:"refused,omitempty"` // reason why nothing was changed; "" means success

	Before FileState `json:"before,omitempty"` // state of MEMORY.md before the operation; After has the later state
	After  FileState `json:"after,omitempty"`
}

// MemoryFact is a fact as people see it.
type MemoryFact struct {
	ID         string  `json:"id"`
	Text       string  `json:"text"`
	Kind       string  `json:"kind"`
	Confidence float64 `json:"confidence"`
	Message    int64   `json:"message,omitempty"`
	Origin     string  `json:"source"` // origin of the fact, in words for people
	// line in MEMORY.md; 0 means that only earlier versions of the file have the fact
	Line int `json:"line"`
}

// Validate refuses a result that no honest worker sends.
func (r MemoryResult) Validate() error {
	if len(r.Refused) > 4<<10 || len(r.Facts) > MaxFacts ||
		len(r.NotImported) > MaxNotImportedNames || min(r.Total, r.Added, r.Notes, r.Logs, r.Known, r.More) < 0 {
		return fmt.Errorf("%d facts, %d left", len(r.Facts), len(r.NotImported))
	}
	for _, f := range r.Facts {
		if err := checkFact(f.ID, f.Text+f.Kind+f.Origin); err != nil {
			return err
		}
	}
	return nil
}

// DigestWords returns the SHA-256 of a text's NormalizedWords in hexadecimal. One space joins the
// words.
func DigestWords(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(NormalizedWords(text), " ")))
	return hex.EncodeToString(sum[:])
}

// NormalizedWords returns the words of a text in small letters, without punctuation.
func NormalizedWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
}
