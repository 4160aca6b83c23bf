package protocol

// MethodTurnStart starts a turn; its result ends the turn. Cancelling the call stops the turn: the
// worker cancels its tools and still answers, with WhyStopped.
const MethodTurnStart = "turn.start"

// TurnStart holds references and limits, not the history: the supervisor owns the transcript.
type TurnStart struct {
	Turn int64  `json:"turn"`
	Kind string `json:"kind"` // chat, job, review, triage
	// where the answer goes: terminal, telegram; for the model, as are Group and Files
	Channel string `json:"channel"`
	Group   bool   `json:"group,omitempty"` // others read the answer too
	// a file that is sent is shown there; without it, only its name is
	Files  bool       `json:"files,omitempty"`
	Limits TurnLimits `json:"limits"`
	// steps committed before this start; 0 for a new turn
	Step int   `json:"step"`
	Last int64 `json:"last"` // the id of the transcript's newest message
	// calls of the last committed step that have no result yet
	Pending []PendingCall `json:"pending,omitempty"`
	// this turn's earlier calls, in order, to notice repetition
	Recent []ToolCall `json:"recent,omitempty"`

	// how often facts of MEMORY.md were recalled in 90 days, by id; none that was not
	Uses map[string]int `json:"uses,omitempty"`

	Material *BlobRef `json:"material,omitempty"` // with kind review and triage: a ReviewMaterial
}

// TurnLimits bound a turn.
type TurnLimits struct {
	Steps   int   `json:"steps"`   // model calls
	Seconds int64 `json:"seconds"` // from this start
	Output  int   `json:"output"`  // bytes of one tool's output that the model is shown
}

// PendingCall is a call that was committed while its result was not, because a process ended in
// between.
type PendingCall struct {
	Call ToolCall `json:"call"`
	// a tool with EffectOnce was committed as begun: its outcome is unknown
	Begun bool `json:"begun,omitempty"`
}

// Why says why a turn ended.
type Why string

const (
	WhyDone    Why = "done"    // the model answered and asked for no more tools
	WhyStopped Why = "stopped" // the person asked for it
	WhySteps   Why = "steps"   // TurnLimits.Steps was reached
	WhyTime    Why = "time"    // TurnLimits.Seconds was reached
	WhyRepeat  Why = "repeat"  // the model made the same call three times running
	WhyError   Why = "error"   // a model call failed for good; the supervisor knows how
	// a call has failed with CodeWaits: the turn has not ended, and goes on when the person has
	// answered
	WhyWaits Why = "waits"
	// the model declined to answer; the supervisor makes it of WhyError, and no worker may say it
	WhyRefused Why = "refused"
)

// TurnEnd is the result of turn.start. The supervisor itself knows what was said and what it cost.
type TurnEnd struct {
	Why   Why `json:"why"`
	Steps int `json:"steps"` // in all, those before this start included

	// Disk is how many bytes the home holds, as far as the worker has counted; 0 if it has not
	// counted. With DiskMore the home holds more than that, too much to be counted.
	Disk     int64 `json:"disk,omitempty"`
	DiskMore bool  `json:"disk_more,omitempty"`
}

// MethodStepCommit commits how far one tool call has come. It is a call in turn.
//
// StateBegun is committed before a tool with EffectOnce runs; the tool runs only after the answer.
// StateDone carries the result and is committed when the tool has ended.
const MethodStepCommit = "step.commit"

// CallState is how far a tool call has come.
type CallState string

const (
	StateBegun CallState = "begun" // its tool is about to run; only for tools with EffectOnce
	StateDone  CallState = "done"  // its tool has ended, with success or not
)

// StepCommit names the call by its id; the supervisor checks that the turn's last step holds it.
type StepCommit struct {
	Turn   int64       `json:"turn"`
	Call   string      `json:"call"`
	State  CallState   `json:"state"`
	Result *ToolResult `json:"result,omitempty"` // with StateDone
}

// StepCommitted is the result of step.commit.
type StepCommitted struct {
	Message int64 `json:"message,omitempty"` // the transcript's id of the result; with StateDone
}

// MethodTurnEvent shows the person what a tool does. It is a notification in turn, and is kept
// nowhere.
const MethodTurnEvent = "turn.event"

// EventKind is what happened to a tool call.
type EventKind string

const (
	ToolBegan      EventKind = "tool.began"      // it runs now
	ToolProgressed EventKind = "tool.progressed" // Text says how far it is
	ToolEnded      EventKind = "tool.ended"      // Failed says how
)

// TurnEvent is one line about one tool call, for the person's eyes.
type TurnEvent struct {
	Turn   int64     `json:"turn"`
	Kind   EventKind `json:"kind"`
	Call   string    `json:"call"`
	Tool   string    `json:"tool"`
	Text   string    `json:"text,omitempty"` // short: "notes/shopping.md", "3 matches in 2 files"
	Failed bool      `json:"failed,omitempty"`
}
