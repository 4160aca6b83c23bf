package supervisor

import (
	"errors"
	"time"
)

// ErrLookAgain is in the errors of looks that may go well a little later.
var ErrLookAgain = errors.New("the look may go well later")

// Looked is what becomes of a fire of a job that looks, or has something to say that no model
// words.
type Looked struct {
	// what failed may pass: the fire is tried again later, as long as that is done
	Again bool
	To    Conversation // where Text is said
	State FireState    // said, silent or failed; not read with a Turn
	Text  string       // what the person is told; "" is nothing, also of one that failed
	World bool         // Text may have words of somebody else than the person
	Turn  Inbound      // the turn that goes on with it; without a Text there is none
	Seen  string       // what the next look gets; "" leaves it as it was
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
	Looked
	Prompt *CheckPrompt // of the turn that goes on with it; nil is none
}

// CheckPrompt is what the turn behind a check is asked, and what comes with it: that is material.
type CheckPrompt struct{ Text, Material string }

// RoutineHeartbeat is the routine that looks into HEARTBEAT.md.
const RoutineHeartbeat = "heartbeat"

// None says whether there is nothing to look at.
func (l Look) None() bool { return l.Files == "" && l.Command == "" }

// AsksModel says whether a fire of a job may have a turn.
func (j Job) AsksModel() bool {
	switch j.Kind {
	case JobAgent:
		return true
	case JobCheck:
		return j.Options.Look.Ask != "" || j.Options.Look.Task
	case JobRoutine:
		return j.Name == RoutineHeartbeat || j.Name == RoutineDigest && j.Options.Written
	}
	return false
}
