package supervisor

import (
	"errors"
	"time"
)

// ErrCheckAgain is in the errors of checks that may go well a little later.
var ErrCheckAgain = errors.New("the check may go well later")

// CheckEnd is what becomes of a fire of a job that is checked, or has something to say that no model
// words.
type CheckEnd struct {
	// what failed may pass: the fire is tried again later, as long as that is done
	Again bool
	To    Conversation // where Text is said
	State FireState    // said, silent or failed; not read with a Turn
	Text  string       // what the person is told; "" is nothing, also of one that failed
	World bool         // Text may have words of somebody else than the person
	Turn  Inbound      // the turn that goes on with it; without a Text there is none
	Seen  string       // what the next check gets; "" leaves it as it was
	Done  bool         // the job comes no more
}

// DueCheck is a fire of a job that is checked before something is said.
type DueCheck struct {
	ClaimedFire
	Owner User
	Seen  string // what the check before has kept; "" where there was none
	At    time.Time
}

// CheckOutcome is what a check has come to. Again, To and Turn are not set by it.
type CheckOutcome struct {
	CheckEnd
	Prompt *CheckPrompt // of the turn that goes on with it; nil is none
}

// CheckPrompt is what the turn behind a check is asked, and what comes with it: that is material.
type CheckPrompt struct{ Text, Material string }

// RoutineHeartbeat is the routine that looks into HEARTBEAT.md.
const RoutineHeartbeat = "heartbeat"

// None says whether there is nothing to check.
func (c Check) None() bool { return c.Files == "" && c.Command == "" }

// AsksModel says whether a fire of a job may have a turn.
func (j Job) AsksModel() bool {
	switch j.Kind {
	case JobAgent:
		return true
	case JobCheck:
		return j.Options.Check.Ask != "" || j.Options.Check.Task
	case JobRoutine:
		return j.Name == RoutineHeartbeat || j.Name == RoutineDigest && j.Options.Written
	}
	return false
}

// RoutineDigest is the routine that tells what there is today, what jobs did, which files are new,
// and what waits for its person.
const RoutineDigest = "digest"

// DigestRows are what the rows of a person say for their digest.
type DigestRows struct {
	Did     []JobDid
	Waiting []Waiting
}

// JobDid is what came of one job's fires.
type JobDid struct {
	Job   Job // without its Conversation
	Count map[FireState]int
	Cost  int64 // millionths of a US dollar
	World bool  // its title may have words of somebody else than the person
}

// WaitingKind is what waits for a person.
type WaitingKind string

const (
	WaitingQuestion   WaitingKind = "question"    // it has an answer to come
	WaitingPromptFile WaitingKind = "prompt_file" // it has changed, and is to be accepted
	WaitingHeld       WaitingKind = "held"        // messages that a gate holds
	WaitingLost       WaitingKind = "lost"        // messages that may not have arrived
	WaitingJob        WaitingKind = "job"         // it is to be started
)

// Waiting is something that waits for a person.
type Waiting struct {
	Kind  WaitingKind
	Text  string    // what was asked, or the path of a file
	Count int       // of messages
	Since time.Time // of several the last
	World bool      // its text may have words of somebody else than the person
}

// HomeFile is a file of a person's home, as the index has it.
type HomeFile struct {
	Path     string
	Modified time.Time
}

// RoutineFiles is the routine that tells what others have changed in a person's folder.
const RoutineFiles = "files"

// HomeCursor is a moment in the changes of a home, as the index has seen them. The zero value is
// none.
type HomeCursor struct {
	Epoch string `json:"epoch"` // of the index: of one that was made anew it is another
	ID    int64  `json:"id"`
}

// HomeChange is what has become of a file since a HomeCursor. Was and Now are as protocol.FileState
// has them, "" where that is not known, and NoFile where there was none.
type HomeChange struct {
	Path     string
	Was, Now string
	Size     int64 // now, as is Modified
	Modified time.Time
}

// NoFile is in the place of what a file held that was not there.
const NoFile = "-"

// FileEffect is what the ledger has of a person's files: a change of one, or a program that was
// run.
type FileEffect struct {
	ID     int64
	Kind   string      // the ledger's, as are Target and At
	Target string      //
	Change *FileChange // nil where nothing is on record of it
	At     time.Time
}
