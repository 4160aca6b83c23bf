package supervisor

import (
	"errors"
	"time"
)

// ErrCheckAgain is wrapped by the error of a check that may succeed a little later.
var ErrCheckAgain = errors.New("the check may go well later")

// CheckFireResult is the result of a fire without a model call, or of a check before a turn.
type CheckFireResult struct {
	// the check failed for a reason that may pass; the fire is repeated, up to the limit of tries
	Retry        bool
	Conversation Conversation // conversation for the Text
	State        FireState    // FireSentMessage, FireSilent or FireFailed; ignored if Turn has a Text
	Text         string       // the text for the user; "" means none
	World        bool         // the text may have words of others
	Turn         Inbound      // inbound of the turn that continues the work; no turn starts if its Text is empty
	Seen         string       // state that the next check compares with; "" keeps the earlier state
	Done         bool         // the job has ended
}

// CheckFire is a fire whose job has a check.
type CheckFire struct {
	ClaimedFire
	Owner User
	Seen  string // state that the previous check has stored; "" means none
	At    time.Time
}

// CheckOutcome is the result of a check. A check does not set Retry, Conversation and Turn.
type CheckOutcome struct {
	CheckFireResult
	Prompt *CheckPrompt // prompt of the turn after the check; nil means no turn
}

// CheckPrompt is the prompt of the turn after a check. Material has words of others.
type CheckPrompt struct{ Text, Material string }

// RoutineHeartbeat is the routine that works through HEARTBEAT.md.
const RoutineHeartbeat = "heartbeat"

// IsEmpty reports whether the condition names neither files nor a command nor a page.
func (c CheckCondition) IsEmpty() bool { return c.Files == "" && c.Command == "" && c.URL == "" }

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
// files, and items that wait for the user.
const RoutineDigest = "digest"

// DigestData holds the stored data of a user that the digest shows.
type DigestData struct {
	Jobs    []JobSummary
	Waiting []WaitingItem
}

// JobSummary sums up the fires of one job.
type JobSummary struct {
	Job   Job // the job; its Conversation is not set
	Fires map[FireState]int
	Cost  int64 // cost in millionths of a US dollar
	World bool  // the job's title may have words of others
}

// WaitingItemKind is the kind of an item that waits for a user's decision or attention.
type WaitingItemKind string

const (
	WaitingQuestion     WaitingItemKind = "question"    // a question without an answer
	WaitingPromptFile   WaitingItemKind = "prompt_file" // a changed prompt file that the user must accept
	WaitingHeldMessages WaitingItemKind = "held"        // messages that a closed gate holds
	WaitingLostMessages WaitingItemKind = "lost"        // messages that may not have arrived
	WaitingJob          WaitingItemKind = "job"         // a proposed job that the user must start
)

// WaitingItem is an item of the digest that waits for a user.
type WaitingItem struct {
	Kind  WaitingItemKind
	Text  string    // text of the question, or path of the file
	Count int       // number of messages
	Since time.Time // time since which the item waits; for several messages, the time of the last
	World bool      // the text may have words of others
}

// HomeFile is a file of a user's home that the index has read.
type HomeFile struct {
	Path     string
	Modified time.Time
}

// RoutineFileChanges is the routine that reports changed files in a user's folder. It reports only
// changes by other people or programs.
const RoutineFileChanges = "files"

// HomeChangePosition is a position in the index's list of changes of a home. The zero value means
// no position.
type HomeChangePosition struct {
	Epoch string `json:"epoch"` // id of the index database; a rebuilt database has a new id
	ID    int64  `json:"id"`
}

// HomeFileChange is a change of a file since a HomeChangePosition. Before and After are states as
// in protocol.FileState. "" means an unknown state, and FileStateMissing means no file.
type HomeFileChange struct {
	Path          string
	Before, After string
	Size          int64 // current size of the file, in bytes
	Modified      time.Time
}

// FileStateMissing is the state of a missing file.
const FileStateMissing = "-"

// FileEffect is an effect that may have changed a user's files. It is a file change or a program
// run.
type FileEffect struct {
	ID     int64
	Kind   string      // kind of the effect in the ledger
	Target string      //
	Change *FileChange // the recorded change; nil means none
	// HasSpan means that the change stands for all changes between two points of the file history.
	HasSpan bool
	At      time.Time
}
