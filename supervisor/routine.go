package supervisor

import (
	"errors"
	"time"
)

// ErrCheckAgain is wrapped by errors of checks that may pass a little later.
var ErrCheckAgain = errors.New("the check may go well later")

// CheckEnd is the result of a fire that had a check, or needed no model.
type CheckEnd struct {
	// the failure may pass: the fire is tried again, up to the limit of tries
	Retry        bool
	Conversation Conversation // the conversation for the Text
	State        FireState    // FireSaid, FireSilent or FireFailed; ignored with a Turn
	Text         string       // the text for the user; "" means none, also for a failed fire
	World        bool         // Text may have words of others
	Turn         Inbound      // the turn that continues the work; without a Text there is none
	Seen         string       // data for the next check; "" keeps the earlier data
	Done         bool         // the job has ended
}

// CheckFire is a fire whose job has a check.
type CheckFire struct {
	ClaimedFire
	Owner User
	Seen  string // data of the previous check; "" means none
	At    time.Time
}

// CheckOutcome is the result of a check. Checks do not set Retry, Conversation and Turn.
type CheckOutcome struct {
	CheckEnd
	Prompt *CheckPrompt // prompt of the turn that follows; nil means no turn
}

// CheckPrompt is the prompt of the turn after a check, and the material for it.
type CheckPrompt struct{ Text, Material string }

// RoutineHeartbeat is the routine that works through HEARTBEAT.md.
const RoutineHeartbeat = "heartbeat"

// IsEmpty reports whether there is no condition.
func (c CheckCondition) IsEmpty() bool { return c.Files == "" && c.Command == "" }

// AsksModel reports whether a fire of the job may start a turn.
func (j Job) AsksModel() bool {
	switch j.Kind {
	case JobTask:
		return true
	case JobCheck:
		return j.Options.Check.Ask != "" || j.Options.Check.Task
	case JobRoutine:
		return j.Name == RoutineHeartbeat || j.Name == RoutineDigest && j.Options.ByModel
	}
	return false
}

// RoutineDigest is the routine that summarises the day: due jobs, results of jobs, new files, and
// what waits for the user.
const RoutineDigest = "digest"

// DigestRows holds a user's stored data for the digest.
type DigestRows struct {
	Jobs    []JobSummary
	Waiting []Waiting
}

// JobSummary sums up the fires of one job.
type JobSummary struct {
	Job   Job // the job, without its Conversation
	Fires map[FireState]int
	Cost  int64 // cost in millionths of a US dollar
	World bool  // the job's title may have words of others
}

// WaitingKind is the kind of a thing that waits for a user.
type WaitingKind string

const (
	WaitingQuestion   WaitingKind = "question"    // a question without an answer
	WaitingPromptFile WaitingKind = "prompt_file" // a changed prompt file that needs acceptance
	WaitingHeld       WaitingKind = "held"        // messages that a gate holds
	WaitingLost       WaitingKind = "lost"        // messages that may not have arrived
	WaitingJob        WaitingKind = "job"         // a proposed job that must be started
)

// Waiting is a thing that waits for a user.
type Waiting struct {
	Kind  WaitingKind
	Text  string    // the question, or the path of a file
	Count int       // number of messages
	Since time.Time // since when it waits; the latest time of several messages
	World bool      // the text may have words of others
}

// HomeFile is a file of a user's home, as the index knows it.
type HomeFile struct {
	Path     string
	Modified time.Time
}

// RoutineFiles is the routine that reports files which others changed in a user's folder.
const RoutineFiles = "files"

// HomeCursor is a position in the changes of a home that the index has seen. The zero value means
// none.
type HomeCursor struct {
	Epoch string `json:"epoch"` // id of the index database; a rebuilt database has another one
	ID    int64  `json:"id"`
}

// HomeChange is a change of a file since a HomeCursor. Was and Now are states as in
// protocol.FileState; "" means unknown, and FileMissing means that there was no file.
type HomeChange struct {
	Path          string
	Before, After string
	Size          int64 // the current size; Modified is current too
	Modified      time.Time
}

// FileMissing is the state of a missing file.
const FileMissing = "-"

// FileEffect is an effect that changed a user's files or may have: a file change, or a program run.
type FileEffect struct {
	ID     int64
	Kind   string      // kind in the ledger; Target and At are the ledger's too
	Target string      //
	Change *FileChange // the recorded change; nil means none
	At     time.Time
}
