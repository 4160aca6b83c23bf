package supervisor

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"mews/protocol"
)

// PromptFile is a file of a person's home that goes into prompts: its text in force, which prompts
// get, and what is in the home in its place and waits until the person accepts it.
type PromptFile struct {
	User     string
	Path     string
	State    protocol.FileState // of the text in force; with no hash there is none
	Text     []byte
	Accepted bool      // by a tap; else the person has written it
	Since    time.Time // the text has been in force

	Pending PendingFile
	// Refused are states that have waited and were not accepted, the newest last: they wait again
	// wherever they come from.
	Refused []protocol.FileState
}

// PendingReason is why what is in a home waits.
type PendingReason string

const (
	// it changed while a turn ran, or a program that one has started
	PendingTurn    PendingReason = "turn"
	PendingGit     PendingReason = "git"     // it is as git has put it there
	PendingForeign PendingReason = "foreign" // another account may have written it
)

// PendingFile is what waits; with no Why nothing does.
type PendingFile struct {
	State        protocol.FileState
	Text         []byte
	Why          PendingReason
	Turn         int64 // that has made it, or that saw it first
	Conversation int64 // where its person is told
	Since        time.Time
}

// maxRefused is how many states are kept that were not accepted.
const maxRefused = 100

// See is the file once what is at its place has been seen: f.Pending of the answer has no Since
// where that is new. With dirty something else than the person may have changed it. With first
// nothing was ever seen in the person's home.
func (f PromptFile) See(seen protocol.PromptFile, dirty, first bool) PromptFile {
	why := f.why(seen, dirty && !first)
	switch {
	case seen.State == f.State:
		f.withdraw()
	case f.Pending.Why != "" && seen.State == f.Pending.State:
	case why == "":
		f.withdraw()
		f.State, f.Text, f.Accepted, f.Since = seen.State, seen.Text, false, time.Time{}
	default:
		f.withdraw()
		f.Pending = PendingFile{State: seen.State, Text: seen.Text, Why: why}
	}
	return f
}

// why is for what reason another state waits; "" where it counts at once.
func (f PromptFile) why(seen protocol.PromptFile, dirty bool) PendingReason {
	switch {
	case seen.Foreign || seen.State == protocol.FileLink:
		return PendingForeign
	case dirty:
		return PendingTurn
	case seen.Git:
		return PendingGit
	case f.Pending.Why != "":
		return f.Pending.Why // what is written over it has it within
	case slices.Contains(f.Refused, seen.State):
		return PendingTurn
	}
	return ""
}

// withdraw has nothing wait any more. What did was not accepted.
func (f *PromptFile) withdraw() {
	if f.Pending.Why == "" {
		return
	}
	f.Refused = append(slices.Clone(f.Refused), f.Pending.State)
	f.Refused = f.Refused[max(0, len(f.Refused)-maxRefused):]
	f.Pending = PendingFile{}
}

// Knows says whether nothing has to be decided about a state.
func (f PromptFile) Knows(state protocol.FileState) bool {
	if f.Pending.Why != "" {
		return state == f.Pending.State
	}
	return state == f.State
}

// Accept is the file once its person has accepted what waits.
func (f PromptFile) Accept() PromptFile {
	p := f.Pending
	f.State, f.Text, f.Accepted, f.Since, f.Pending = p.State, p.Text, true, time.Time{}, PendingFile{}
	f.Refused = slices.DeleteFunc(slices.Clone(f.Refused), func(s protocol.FileState) bool { return s == p.State })
	return f
}

// emptyFile is the state of a file without bytes.
const emptyFile protocol.FileState = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// Advance is the file once a tool that may has written text over what was in the state before, so
// that it is in the state after. Neither tells an empty file from none. What was written over what
// is in force is in force; what was written over what waits, waits.
func (f PromptFile) Advance(before, after protocol.FileState, text []byte) PromptFile {
	after = cmp.Or(after, emptyFile)
	switch {
	case f.State == after: // again, as after a crash
		f.Pending = PendingFile{}
	case f.State == before, before == protocol.FileAbsent && f.State == emptyFile:
		if f.Pending.State == after {
			f.Pending = PendingFile{}
		}
		f.State, f.Text, f.Since = after, text, time.Time{}
	case f.Pending.Why != "":
		f.Pending.State, f.Pending.Text = after, text
	}
	return f
}

// PromptFileReport is what a worker reports of its person's prompt files for a turn.
type PromptFileReport struct {
	protocol.PromptFileReport
	User    string
	Begins  bool         // it is the first since the turn was started or went on
	Resumed bool         // the turn has run before
	Private Conversation // where nobody else reads what its person is told
}

// PromptFileDecision is what becomes of what waits at a path in a state.
type PromptFileDecision struct {
	User, Path string
	State      protocol.FileState
	Operation  int64         // that has put back what is in force; 0: it is accepted
	Inverse    protocol.Undo // takes that back; with no Path it was as it is in force already
}

// Key names exactly what waits of a file.
func (f PromptFile) Key() string {
	sum := sha256.Sum256([]byte(f.Path + "\x00" + string(f.Pending.State)))
	return hex.EncodeToString(sum[:8])
}

// Acceptable says whether what waits can be accepted: a file, or that there is none any more.
func (f PromptFile) Acceptable() bool {
	return f.Pending.State.Hashed() || f.Pending.State == protocol.FileAbsent
}
