package supervisor

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/facts"
)

// PromptFile is a file of a home that is part of prompts. Prompts have its text in force. A pending
// version of the file waits until the user accepts it.
type PromptFile struct {
	User     string
	Path     string
	State    protocol.FileState // state of the text in force; without a hash no text is in force
	Text     []byte
	Accepted bool      // the user accepted the text by a tap; otherwise the user wrote it
	Since    time.Time // since when the text is in force

	Pending PendingFile
	// Refused lists states that were pending and not accepted, newest last. If such a state comes
	// back, it waits again, whoever wrote it.
	Refused []protocol.FileState
}

// PendingReason is the reason why a version of a file waits for the user.
type PendingReason string

const (
	// the file changed during a turn, or while a program of a turn ran
	PendingTurn    PendingReason = "turn"
	PendingGit     PendingReason = "git"     // git changed the file
	PendingForeign PendingReason = "foreign" // another account may have written the file
)

// PendingFile is a version of a prompt file that waits for the user. Without a Why no version
// waits.
type PendingFile struct {
	State        protocol.FileState
	Text         []byte
	Why          PendingReason
	Turn         int64 // the turn that made the version, or first saw it
	Conversation int64 // the conversation in which the user is asked
	Since        time.Time
}

// maxRefused is the largest number of refused versions that are remembered for a file.
const maxRefused = 100

// RecordState returns the prompt file after its state in the home was read. If a new version waits,
// Pending has no Since. The argument dirty means that the user may not be the one who changed the
// file. The argument first means that the home was never read before.
func (f PromptFile) RecordState(seen protocol.PromptFile, dirty, first bool) PromptFile {
	why := f.pendingReason(seen, dirty && !first)
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

// pendingReason returns why a state seen in the home must wait; "" means that it is in force at
// once.
func (f PromptFile) pendingReason(seen protocol.PromptFile, dirty bool) PendingReason {
	switch {
	case seen.FromOtherAccount || seen.State == protocol.FileStateLink:
		return PendingForeign
	case dirty:
		return PendingTurn
	case seen.FromGit:
		return PendingGit
	case f.Pending.Why != "":
		return f.Pending.Why // the later version includes the pending version
	case slices.Contains(f.Refused, seen.State):
		return PendingTurn
	}
	return ""
}

// withdraw removes the pending version. That version counts as refused.
func (f *PromptFile) withdraw() {
	if f.Pending.Why == "" {
		return
	}
	f.Refused = append(slices.Clone(f.Refused), f.Pending.State)
	f.Refused = f.Refused[max(0, len(f.Refused)-maxRefused):]
	f.Pending = PendingFile{}
}

// IsStateDecided reports whether a state of the file needs no decision of the user.
func (f PromptFile) IsStateDecided(state protocol.FileState) bool {
	if f.Pending.Why != "" {
		return state == f.Pending.State
	}
	return state == f.State
}

// AcceptPending returns the file after the user has accepted the pending version.
func (f PromptFile) AcceptPending() PromptFile {
	p := f.Pending
	f.State, f.Text, f.Accepted, f.Since, f.Pending = p.State, p.Text, true, time.Time{}, PendingFile{}
	f.Refused = slices.DeleteFunc(slices.Clone(f.Refused), func(s protocol.FileState) bool { return s == p.State })
	return f
}

// emptyFile is the state of a file without bytes.
const emptyFile protocol.FileState = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// RecordWrite returns the file after a permitted tool has written text. The write changed the file
// from the state before to the state after. An empty and a missing file have equal states. A change
// of the text in force is in force at once. A change of the pending version stays pending.
func (f PromptFile) RecordWrite(before, after protocol.FileState, text []byte) PromptFile {
	after = cmp.Or(after, emptyFile)
	switch {
	case f.State == after: // the write is repeated, as after a crash
		f.Pending = PendingFile{}
	case f.State == before, before == protocol.FileStateAbsent && f.State == emptyFile:
		if f.Pending.State == after {
			f.Pending = PendingFile{}
		}
		f.State, f.Text, f.Since = after, text, time.Time{}
	case f.Pending.Why != "":
		f.Pending.State, f.Pending.Text = after, text
	}
	return f
}

// FindNotes returns the state that a file had before notes were added to it. The seen text must
// begin with the text in force, or with the pending text. Behind that it must have only notes, each
// once. ok is false for any other text.
func (f PromptFile) FindNotes(seen protocol.PromptFile, notes []facts.Note) (before protocol.FileState, ok bool) {
	if !seen.State.IsHash() || facts.StateOf(string(seen.Text)) != seen.State {
		return "", false // the text is cut
	}
	if hasNotes(f.Path, f.State, f.Text, string(seen.Text), notes) {
		return f.State, true
	}
	p := f.Pending
	return p.State, p.Why != "" && hasNotes(f.Path, p.State, p.Text, string(seen.Text), notes)
}

// hasNotes reports whether a text is the text before with notes of the path added, each once.
func hasNotes(path string, state protocol.FileState, before []byte, text string, notes []facts.Note) bool {
	if !IsTextOf(state, before) {
		return false
	}
	base := string(before)
	if base != "" && !strings.HasSuffix(base, "\n") {
		base += "\n"
	}
	added, ok := strings.CutPrefix(text, base)
	if !ok || added == "" {
		return false
	}
	for line := range strings.Lines(added) {
		i := slices.IndexFunc(notes, func(n facts.Note) bool { return n.Path == path && n.Line+"\n" == line })
		if i < 0 || notes[i].IsIn(base) {
			return false
		}
		base += line
	}
	return true
}

// IsTextOf reports whether a text is the whole text of a file in a state. Only the beginning of a
// long file is stored, and forgotten words are removed from stored texts.
func IsTextOf(state protocol.FileState, text []byte) bool {
	return state == protocol.FileStateAbsent && len(text) == 0 || facts.StateOf(string(text)) == state
}

// PromptFileReport is a worker's report on the user's prompt files for a turn.
type PromptFileReport struct {
	protocol.PromptFileReport
	User    string
	Notes   []facts.Note // notes that calls of the current attempt at the turn may have added
	First   bool         // the report is the first since the turn started or continued
	Resumed bool         // the turn was interrupted before
	Private Conversation // a conversation that only the user reads
}

// PromptFileDecision is the user's decision about the pending version of a path.
type PromptFileDecision struct {
	User, Path string
	State      protocol.FileState
	Operation  int64 // the operation that restored the text in force; 0 means that the user accepted
	// data to undo the restoring; without a Path nothing was restored
	Inverse protocol.Undo
}

// PendingKey returns a short key of the pending version, made from its path and state.
func (f PromptFile) PendingKey() string {
	sum := sha256.Sum256([]byte(f.Path + "\x00" + string(f.Pending.State)))
	return hex.EncodeToString(sum[:8])
}

// CanAcceptPending reports whether the pending version can be accepted. It must be a regular file,
// or the file must be missing.
func (f PromptFile) CanAcceptPending() bool {
	return f.Pending.State.IsHash() || f.Pending.State == protocol.FileStateAbsent
}
