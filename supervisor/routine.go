package supervisor

import (
	"errors"
	"time"
)

// ErrCheckAgain is wrapped by errors of checks that may succeed a little later.
var ErrCheckAgain = errors.New("the check may go well later")

// CheckFireResult is the result of a fire that ends without a model, or of a check before a turn.
type CheckFireResult struct {
	// the check failed for a passing reason; the fire is tried again, up to the limit of tries
	Retry        bool
	Conversation Conversation // the conversation for the Text
	State        FireState    // FireSaid, FireSilent or FireFailed; ignored with a Turn
	Text         string       // the text for the user; "" means none
	World        bool         // the text may have words of others
	Turn         Inbound      // inbound of the turn that continues the work; without a Text there is no turn
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
	CheckFireResult
	Prompt *CheckPrompt // prompt of the turn that follows; nil means no turn
}

// CheckPrompt is the prompt of the turn after a check, with material for the turn.
type CheckPrompt struct{ Text, Material string }

// RoutineHeartbeat is the routine that works through HEARTBEAT.md.
const RoutineHeartbeat = "heartbeat"

// IsEmpty reports whether the condition names neither files nor a command.
func (c CheckCondition) IsEmpty() bool { return c.Files == "" && c.Command == "" }

// MayStartTurn reports whether a fire of the job may start a turn.
func (j Job) MayStartTurn() bool {
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

// RoutineDigest is the routine that summarises the day. It lists due jobs, results of jobs, new
// files, and things that wait for the user.
const RoutineDigest = "digest"

// DigestRows holds a user's stored data for the digest.
type DigestRows struct {
	Jobs    []JobSummary
	Waiting []WaitingItem
}

// JobSummary sums up the fires of one job.
type JobSummary struct {
	Job   Job // the job, without its Conversation
	Fires map[FireState]int
	Cost  int64 // cost in millionths of a US dollar
	World bool  // the job's title may have words of others
}

// WaitingItemKind is the kind of a thing that waits for a user's decision or attention.
type WaitingItemKind string

const (
	WaitingQuestion   WaitingItemKind = "question"    // a question without an answer
	WaitingPromptFile WaitingItemKind = "prompt_file" // a changed prompt file that the user must accept
	WaitingHeld       WaitingItemKind = "held"        // messages that a gate holds
	WaitingLost       WaitingItemKind = "lost"        // messages that may not have arrived
	WaitingJob        WaitingItemKind = "job"         // a proposed job that the user must start
)

// WaitingItem is a thing that waits for a user, as the digest shows it.
type WaitingItem struct {
	Kind  WaitingItemKind
	Text  string    // the question, or the path of a file
	Count int       // number of messages
	Since time.Time // time since when the thing waits; of several messages, the latest time
	World bool      // the text may have words of others
}

// HomeFile is a file of a user's home that the index has read.
type HomeFile struct {
	Path     string
	Modified time.Time
}

// RoutineFiles is the routine that reports files in a user's folder that others changed. Others are
// other people and programs.
const RoutineFiles = "files"

// HomeCursor is a position in the index's list of changes of a home. The zero value means no
// position.
type HomeCursor struct {
	Epoch string `json:"epoch"` // id of the index database; a rebuilt database has another id
	ID    int64  `json:"id"`
}

// HomeChange is a change of a file since a HomeCursor. Before and After are states as in
// protocol.FileState. "" means unknown, and FileMissing means that there was no file.
type HomeChange struct {
	Path          string
	Before, After string
	Size          int64 // current size of the file, in bytes
	Modified      time.Time
}

// FileMissing is the state of a missing file.
const FileMissing = "-"

// FileEffect is a file change or a program run, which may have changed a user's files.
type FileEffect struct {
	ID     int64
	Kind   string      // kind of the effect in the ledger
	Target string      //
	Change *FileChange // the recorded change; nil means none
	At     time.Time
}
