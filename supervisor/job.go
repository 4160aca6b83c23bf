package supervisor

import (
	"errors"
	"time"

	"mews/protocol"
)

// Job is a reminder, a task, a check or a routine that the service runs at set times.
type Job struct {
	ID    int64
	User  string
	Kind  JobKind
	State JobState
	Name  string // the user's name for the job; "" means the beginning of Text
	Text  string // the job's message, or the prompt of its turn
	Rule  string // due times: a recurrence.Rule, as JSON
	// IANA name of the time zone of the due times; "" means the machine's
	Zone string
	// conversation for the job's messages: the one in which the job was made, unless the user chose
	// another
	Conversation Conversation
	// key of the command, press or tool call that made the job; a user has one job for each key
	MadeBy  string
	Options JobOptions
	Version int64 // number of changes of the job so far
	// all due times up to FiredUntil were fired; due times before the job was made count as fired
	FiredUntil     time.Time
	Next           time.Time // next due time; the zero time means never
	FireCount      int       // number of fires
	FailuresInARow int       // number of consecutive failed fires until now
	CreatedAt      time.Time
	IsHeld         bool // the job waits, because its chat refuses messages; set when the job is read from the store
}

// ChatRefusingMessages is a chat that has refused a user's messages. The user's jobs for this chat
// wait.
type ChatRefusingMessages struct {
	User    string
	Channel Channel
	Chat    string
}

// JobKind is the kind of a job.
type JobKind string

const (
	JobReminder JobKind = "reminder" // the job sends its text, without a model
	JobTask     JobKind = "agent"    // the job runs a turn with its text as the prompt
	// the job tests a condition; if it is met, the job sends its text or runs a turn
	JobCheck   JobKind = "check"
	JobRoutine JobKind = "routine" // a built-in job, known by its name
)

// JobOptions are the options of a job.
type JobOptions struct {
	Missed MissedRunMode `json:"on_miss,omitempty"`
	// longest delay of a run; a later run is missed; 0 means the default
	Grace    time.Duration `json:"grace,omitempty"`
	Overlap  OverlapMode   `json:"overlap,omitempty"`
	Priority JobPriority   `json:"priority,omitempty"`
	// the turn begins exactly at the due time, without the usual small delay
	Exact bool `json:"exact,omitempty"`
	World bool `json:"world,omitempty"` // the text may have words of others

	// Options of the job's turn. A field without a value means the default.
	Model     string `json:"model,omitempty"`     // model of the turn, as PROVIDER/MODEL
	Workspace string `json:"workspace,omitempty"` // name of the workspace
	Steps     int    `json:"steps,omitempty"`
	Minutes   int    `json:"minutes,omitempty"`

	Check   CheckCondition `json:"look,omitzero"`     // the condition of a check
	ByModel bool           `json:"written,omitempty"` // a model writes the digest

	// when the user last resumed the job, in unix milliseconds; 0 means never
	ResumedAt int64 `json:"resumed,omitempty"`
	// the user deleted the job; a done job without this has ended by itself
	Deleted bool `json:"deleted,omitempty"`
}

// JobPriority says how noticeable a job is. "" means normal.
type JobPriority string

const (
	JobPriorityLow  JobPriority = "low"  // the job's messages make no sound
	JobPriorityHigh JobPriority = "high" // the job's messages make a sound, also in quiet hours
)

// CheckCondition is the condition of a check: changed files, the result of a command, or a changed
// page. With Ask, a model judges each changed result.
type CheckCondition struct {
	// pattern of files; the condition is met if a file is new, changed or gone since the last check
	Files string `json:"files,omitempty"`
	// changes of files that count: new, changed or gone; an empty list means all
	Changes []string `json:"changes,omitempty"`
	Command string   `json:"command,omitempty"` // command; the condition is met if the command exits with 0
	URL     string   `json:"url,omitempty"`     // address of a page; the condition is met if the page has changed
	// text; the condition is met if the page at URL has the text and did not have it before
	Contains string `json:"contains,omitempty"`
	Ask      string `json:"ask,omitempty"` // the question to the model about the result

	// if the condition is met, the job runs a turn with its text; without Task the job sends its
	// text
	Task bool `json:"task,omitempty"`
	// the job ends after it has reported once that the condition is met
	AutoRemove bool `json:"auto_remove,omitempty"`
	// every check reports its result, met or not
	NotifyOnCheck bool `json:"notify_on_check,omitempty"`
}

// MissedRunMode says how to handle a due time that the service noticed late, as after a restart. ""
// means MissedRunModeOnce. A reminder without a Grace is sent however late it is.
type MissedRunMode string

const (
	// the job runs once for all missed times, unless Grace has passed
	MissedRunModeOnce MissedRunMode = "run"
	MissedRunModeSkip MissedRunMode = "skip" // missed times are skipped
	MissedRunModeAsk  MissedRunMode = "ask"  // the user decides about missed times
)

// OverlapMode says how to handle a due time of a job that still runs. "" means OverlapSkip.
type OverlapMode string

const (
	OverlapSkip OverlapMode = "skip" // the due time is skipped
	// the job runs once more when it has ended, for all due times that came meanwhile
	OverlapQueue OverlapMode = "queue"
)

// JobState is the state of a job.
type JobState string

const (
	JobProposed JobState = "proposed" // the job waits for the user's consent; a one-time job expires at Next
	JobActive   JobState = "active"
	JobPaused   JobState = "paused"
	JobDone     JobState = "done" // the job has ended, or was deleted
)

// Errors of changing a job.
var (
	ErrTooManyJobs = errors.New("there is no room for another job")
	ErrJobChanged  = errors.New("the job has changed since it was read")
)

// Limits of jobs.
const (
	MaxJobs    = 200     // maximum number of a user's jobs that are not done
	MaxJobText = 8 << 10 // maximum length of a job's text, in bytes
	MaxJobName = 80      // maximum length of a job's name, in characters
)

// FireState is the state of a fire.
type FireState string

const (
	FireClaimed        FireState = "claimed" // the fire waits for the time at which it begins
	FireRunning        FireState = "running" // the fire's inbound is stored
	FireWaitsForAnswer FireState = "asked"   // the fire's turn waits for an answer of the user
	FireSentMessage    FireState = "said"
	FireSilent         FireState = "silent" // the fire ended without a message
	FireFailed         FireState = "failed"
	FireMissed         FireState = "missed"  // the due time was noticed too late
	FireSkipped        FireState = "skipped" // an earlier fire of the job still ran
)

// Fire is one due time of a job.
type Fire struct {
	Job      Job       // the job as it was before the fire; its Next is the due time
	LastDue  time.Time // the latest due time that has passed: the job's Next or a later time
	NextDue  time.Time // the job's next due time; zero means never
	JobSince time.Time // the FiredUntil of the job after the fire
	JobState JobState  // the state of the job after the fire
	State    FireState // the state of the fire itself
	BeginAt  time.Time // time when a claimed fire begins
}

// FireBatch is a set of fires to store together. If one of the jobs has changed, no fire is stored.
type FireBatch struct {
	Fires []Fire
	// notice about the fires, with only Conversation, Text, Buttons, Silent and Urgent set; an
	// empty Text means no notice
	Notice Delivery

	Private Conversation // a conversation that only the user reads
}

// JobTrigger starts a job once more, besides its due times.
type JobTrigger struct {
	Due      time.Time
	Material string        // words of others for the turn, such as the body of a webhook; "" means none
	Gap      time.Duration // minimum time between the job's last fire and this start

	// Private is a conversation that only the user reads. If the job is paused because the user is
	// away, the notice about the pause goes there. The zero value means that the user starts the
	// job now.
	Private Conversation
}

// ClaimedFire is a fire that will begin.
type ClaimedFire struct {
	Job   Job
	Due   time.Time
	Tries int // number of earlier tries of the fire

	Material string // words of others for the turn, such as the body of a webhook; "" means none
}

// FireResult is the result of a fire.
type FireResult struct {
	Job     int64     `json:"job"`
	Due     time.Time `json:"due"`
	State   FireState `json:"state"`
	Text    string    `json:"text,omitempty"` // text that the user got
	Cost    int64     `json:"cost,omitempty"` // cost in millionths of a US dollar
	EndedAt time.Time `json:"ended_at"`
	World   bool      `json:"world,omitempty"` // the text may have words of others

	Conversation int64 `json:"-"` // id of the conversation of the text; 0 means that no text was sent
}

// JobPressPrefix is the beginning of the presses of a job's buttons.
const JobPressPrefix = "job:"

// Presses of the buttons of a job, after JobPressPrefix. The job's id follows.
const (
	JobPressRun    = "run"
	JobPressStart  = "start"
	JobPressPause  = "pause"
	JobPressResume = "resume"
	JobPressChange = "change"
	JobPressDelete = "delete"
)

// JobQuotePrefix is the beginning of a quote of a job's message, for the model.
const JobQuotePrefix = "[Unasked, "

// TaskPromptSeparator is the line before and after the order in the prompt of a task's turn.
const TaskPromptSeparator = "\n---\n"

// ChannelJob is the channel of jobs, where nobody talks. A conversation on it is the work of one
// job, and its chat is the job's id.
const ChannelJob Channel = "job"

// JobResultToolName is the name of the tool that ends a job's turn.
const JobResultToolName = "job_result"

// JobToolCall has the context of a tool call about jobs.
type JobToolCall struct {
	User        string
	Destination int64 // id of the conversation for the answer of the call's turn
	Turn        int64
	Kind        TurnKind // kind of the turn that makes the call
	Call        protocol.ToolCall
}
