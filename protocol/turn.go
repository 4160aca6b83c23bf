package protocol

// MethodTurnStart starts a turn; its result ends the turn. Cancelling the call stops the turn: the
// worker cancels its tools and still answers, with TurnEndStopped.
const MethodTurnStart = "turn.start"

// TurnStart holds references and limits, but no history: the supervisor owns the transcript.
type TurnStart struct {
	Turn int64  `json:"turn"`
	Kind string `json:"kind"` // kind of turn: chat, job, review or triage
	// channel of the answer: terminal, telegram. The model is told Channel, Group and ShowsFiles.
	Channel string `json:"channel"`
	// other people read the answer too; the system text then has nothing of MEMORY.md and USER.md
	Group bool `json:"group,omitempty"`
	// the channel shows a sent file, and not only its name
	ShowsFiles bool       `json:"files,omitempty"`
	Limits     TurnLimits `json:"limits"`
	// steps committed before this start; 0 for a new turn
	CommittedSteps int   `json:"step"`
	LastMessage    int64 `json:"last"` // the id of the transcript's newest message
	// calls of the last committed step without a result
	PendingCalls []PendingCall `json:"pending,omitempty"`
	// earlier calls of the turn, in order, by which the worker notices repetition
	RecentCalls []ToolCall `json:"recent,omitempty"`

	// recalls of facts in MEMORY.md in 90 days, by id; facts without recalls are left out
	RecallCounts map[string]int `json:"uses,omitempty"`

	Material *BlobRef `json:"material,omitempty"` // blob with a ReviewMaterial, for kind review and triage
}

// TurnLimits bound a turn.
type TurnLimits struct {
	Steps   int   `json:"steps"`   // maximum of model calls in the turn
	Seconds int64 `json:"seconds"` // maximum seconds from this start
	Output  int   `json:"output"`  // bytes of one tool's output that the model is shown
}

// PendingCall is a committed call without a committed result. A process ended in between.
type PendingCall struct {
	Call ToolCall `json:"call"`
	// the call's beginning was committed (EffectOnce), so the outcome is unknown
	Begun bool `json:"begun,omitempty"`
}

// TurnEndReason is the reason why a turn ended.
type TurnEndReason string

const (
	TurnEndDone       TurnEndReason = "done"    // the model answered without another tool call
	TurnEndStopped    TurnEndReason = "stopped" // the user stopped the turn
	TurnEndStepLimit  TurnEndReason = "steps"   // TurnLimits.Steps was reached
	TurnEndTimeLimit  TurnEndReason = "time"    // TurnLimits.Seconds was reached
	TurnEndRepetition TurnEndReason = "repeat"  // the model made the same call three times in a row
	TurnEndError      TurnEndReason = "error"   // a model call failed for good; the supervisor knows the details
	// a call failed with CodeWaitsForUser: the turn has not ended, and goes on when the user has
	// answered
	TurnEndWaitsForUser TurnEndReason = "waits"
	// the model declined to answer; only the supervisor sets this reason, in place of TurnEndError
	TurnEndRefused TurnEndReason = "refused"
)

// TurnEnd is the result of turn.start. The supervisor itself knows the messages and the cost.
type TurnEnd struct {
	Why   TurnEndReason `json:"why"`
	Steps int           `json:"steps"` // all steps of the turn, including those before this start

	// Disk is the number of bytes in the home, as far as the worker has counted; 0 means not
	// counted. DiskMore means that the home holds more than the worker could count.
	Disk     int64 `json:"disk,omitempty"`
	DiskMore bool  `json:"disk_more,omitempty"`
}

// MethodStepCommit commits the state of one tool call. It is a call during a turn.
//
// CallStateBegun is committed before a tool with EffectOnce runs; the tool runs only after the
// answer. CallStateDone carries the result and is committed when the tool has ended.
const MethodStepCommit = "step.commit"

// CallState is the state of a tool call.
type CallState string

const (
	CallStateBegun CallState = "begun" // the tool is about to run; only for tools with EffectOnce
	CallStateDone  CallState = "done"  // the tool has ended, successfully or not
)

// StepCommitParams names the call by its id. The supervisor checks that the turn's last step has
// this call.
type StepCommitParams struct {
	Turn   int64       `json:"turn"`
	Call   string      `json:"call"`
	State  CallState   `json:"state"`
	Result *ToolResult `json:"result,omitempty"` // result of the call, with CallStateDone
}

// StepCommitResult is the result of step.commit.
type StepCommitResult struct {
	Message int64 `json:"message,omitempty"` // id of the result in the transcript; only with CallStateDone
}

// MethodTurnEvent shows the user the progress of a tool. It is a notification during a turn, and is
// not recorded.
const MethodTurnEvent = "turn.event"

// EventKind is the kind of a tool call's event.
type EventKind string

const (
	EventToolBegan    EventKind = "tool.began"      // the tool has begun
	EventToolProgress EventKind = "tool.progressed" // the tool has progressed; Text says how far
	EventToolEnded    EventKind = "tool.ended"      // the tool has ended; Failed says whether it failed
)

// TurnEvent is one line about one tool call, for the user.
type TurnEvent struct {
	Turn   int64     `json:"turn"`
	Kind   EventKind `json:"kind"`
	Call   string    `json:"call"`
	Tool   string    `json:"tool"`
	Text   string    `json:"text,omitempty"` // short text, such as "notes/shopping.md" or "3 matches in 2 files"
	Failed bool      `json:"failed,omitempty"`
}
