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

// PromptFile is a file of a home that is part of prompts. A model sees the text in force. A pending
// version of the file waits until the user accepts it.
type PromptFile struct {
	User     string
	Path     string
	State    protocol.FileState // state of the text in force; a state without a hash means that no text is in force
	Text     []byte
	Accepted bool      // the user accepted the text by a tap; false means that the user wrote it
	Since    time.Time // time since which the text is in force

	Pending PendingPromptFile
	// Refused lists the pending states that the user did not accept, newest last. If such a state
	// comes back, it becomes pending again, whoever wrote it.
	Refused []protocol.FileState
}

// PendingReason is the reason why a version of a file waits for the user.
type PendingReason string

const (
	// the file changed during a turn, or while a program of a turn or a check's command ran
	PendingReasonChangedInTurn PendingReason = "turn"
	PendingReasonChangedByGit  PendingReason = "git"     // git changed the file
	PendingReasonOtherAccount  PendingReason = "foreign" // another account may have written the file
)

// PendingPromptFile is a version of a prompt file that waits for the user. If Why is "", no version
// waits.
type PendingPromptFile struct {
	State        protocol.FileState
	Text         []byte
	Why          PendingReason
	Turn         int64 // id of the turn that made or first saw the version; 0 means a check
	Conversation int64 // id of the conversation for the question to the user
	Since        time.Time
}

// maxRefused is the maximum number of refused versions that are stored for a file.
const maxRefused = 100

// RecordState returns the prompt file after its state in the home was read. If Pending is a new
// version, its Since is zero. The flag dirty means that somebody other than the user may have
// changed the file. The flag first means that the home was never read before.
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
		f.Pending = PendingPromptFile{State: seen.State, Text: seen.Text, Why: why}
	}
	return f
}

// pendingReason returns why a state seen in the home must wait; "" means that it is in force at
// once.
func (f PromptFile) pendingReason(seen protocol.PromptFile, dirty bool) PendingReason {
	switch {
	case seen.FromOtherAccount || seen.State == protocol.FileStateLink:
		return PendingReasonOtherAccount
	case dirty:
		return PendingReasonChangedInTurn
	case seen.FromGit:
		return PendingReasonChangedByGit
	case f.Pending.Why != "":
		return f.Pending.Why // the later version includes the pending version, so the reason stays the same
	case slices.Contains(f.Refused, seen.State):
		return PendingReasonChangedInTurn
	}
	return ""
}

// withdraw moves the pending version to the list of refused versions.
func (f *PromptFile) withdraw() {
	if f.Pending.Why == "" {
		return
	}
	f.Refused = append(slices.Clone(f.Refused), f.Pending.State)
	f.Refused = f.Refused[max(0, len(f.Refused)-maxRefused):]
	f.Pending = PendingPromptFile{}
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
	f.State, f.Text, f.Accepted, f.Since, f.Pending = p.State, p.Text, true, time.Time{}, PendingPromptFile{}
	f.Refused = slices.DeleteFunc(slices.Clone(f.Refused), func(s protocol.FileState) bool { return s == p.State })
	return f
}

// emptyFile is the state of a file without bytes.
const emptyFile protocol.FileState = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// RecordWrite returns the file after a permitted tool has written text. The write changed the file
// from the state before to the state after. An empty and a missing file have equal states. A write
// to the text in force is in force at once. A write to the pending version stays pending.
func (f PromptFile) RecordWrite(before, after protocol.FileState, text []byte) PromptFile {
	after = cmp.Or(after, emptyFile)
	switch {
	case f.State == after: // the write was recorded before, and is repeated after a crash
		f.Pending = PendingPromptFile{}
	case f.State == before, before == protocol.FileStateAbsent && f.State == emptyFile:
		if f.Pending.State == after {
			f.Pending = PendingPromptFile{}
		}
		f.State, f.Text, f.Since = after, text, time.Time{}
	case f.Pending.Why != "":
		f.Pending.State, f.Pending.Text = after, text
	}
	return f
}

// FindStateBeforeNotes returns the state that a file had before notes were added to it. The seen
// text must begin with the text in force, or with the pending text. After that text there may only
// be notes, each once. ok is false for any other text.
func (f PromptFile) FindStateBeforeNotes(seen protocol.PromptFile, notes []facts.Note) (before protocol.FileState,
	ok bool) {
	if !seen.State.IsHash() || facts.FileStateOf(string(seen.Text)) != seen.State {
		return "", false // seen has only the beginning of the text
	}
	if hasNotes(f.Path, f.State, f.Text, string(seen.Text), notes) {
		return f.State, true
	}
	p := f.Pending
	return p.State, p.Why != "" && hasNotes(f.Path, p.State, p.Text, string(seen.Text), notes)
}

// hasNotes reports whether a text consists of the text before and of notes, each once. The notes
// must be for the path.
func hasNotes(path string, state protocol.FileState, before []byte, text string, notes []facts.Note) bool {
	if !IsWholeFileText(state, before) {
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
		if i < 0 || notes[i].IsInText(base) {
			return false
		}
		base += line
	}
	return true
}

// IsWholeFileText reports whether a text is the whole text of a file in a state. It is false if the
// text is only the beginning of a long file, or if forgotten words were removed.
func IsWholeFileText(state protocol.FileState, text []byte) bool {
	return state == protocol.FileStateAbsent && len(text) == 0 || facts.FileStateOf(string(text)) == state
}

// PromptFileReport is a worker's report on the user's prompt files for a turn.
type PromptFileReport struct {
	protocol.PromptFileReport
	User    string
	Notes   []facts.Note // notes that calls of the current attempt at the turn may have added
	First   bool         // this is the first report since the turn started or continued, or of the check
	Resumed bool         // the turn was interrupted before this report
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
