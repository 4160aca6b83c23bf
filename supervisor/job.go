package supervisor

import (
	"errors"
	"time"

	"mews/protocol"
)

// Job is something that is due at times, without a new request.
type Job struct {
	ID    int64
	User  string
	Kind  JobKind
	State JobState
	Name  string // the user's name for it; "" means the beginning of its Text
	Text  string // what it says, or its prompt for a model
	Rule  string // when it is due: a recurrence.Rule, as JSON
	// IANA name of the time zone of its times; "" is the machine's
	Zone string
	// gets its messages: the conversation that made it, unless the user chose another
	Conversation Conversation
	// what made it, unique for the user; a command, a press or a tool call
	MadeBy         string
	Options        JobOptions
	Version        int64     // counts its changes
	FiredUntil     time.Time // all times up to this one were fired, or are from before the job
	Next           time.Time // when it is due; the zero time means never
	FireCount      int       // number of fires
	FailuresInARow int       // consecutive failed fires until now
	CreatedAt      time.Time
}

// JobKind is the kind of a job.
type JobKind string

const (
	JobReminder JobKind = "reminder" // says its text, without a model
	JobTask     JobKind = "agent"    // runs a turn that does what its text says
	// tests a condition, and then says its text or does what that says
	JobCheck   JobKind = "check"
	JobRoutine JobKind = "routine" // is built in; its name says what it does
)

// JobOptions are the options of a job.
type JobOptions struct {
	Missed MissedMode `json:"on_miss,omitempty"`
	// how late it may still run; 0 means the default
	Grace    time.Duration `json:"grace,omitempty"`
	Overlap  OverlapMode   `json:"overlap,omitempty"`
	Priority JobPriority   `json:"priority,omitempty"`
	Exact    bool          `json:"exact,omitempty"` // its turn begins exactly on time
	World    bool          `json:"world,omitempty"` // its text may be somebody else's words

	// For its turn. Unset fields have the default.
	Model     string `json:"model,omitempty"`     // PROVIDER/MODEL
	Workspace string `json:"workspace,omitempty"` // name of the workspace
	Steps     int    `json:"steps,omitempty"`
	Minutes   int    `json:"minutes,omitempty"`

	Check   CheckCondition `json:"look,omitzero"`     // of a check
	ByModel bool           `json:"written,omitempty"` // of the digest: a model writes it

	// when the user last resumed it, in unix milliseconds; 0 means never
	ResumedAt int64 `json:"resumed,omitempty"`
	// the user deleted it; a done job without this has ended by itself
	Deleted bool `json:"deleted,omitempty"`
}

// JobPriority says how noticeable a job is. "" means normal.
type JobPriority string

const (
	JobLow  JobPriority = "low"  // it makes no sound
	JobHigh JobPriority = "high" // it makes a sound and does not wait for the end of quiet hours
)

// CheckCondition is the condition of a check: either files or a command. With Ask a model judges the finding,
// if that has changed.
type CheckCondition struct {
	// a pattern: met if a file is new, changed or gone since the last check
	Files string `json:"files,omitempty"`
	// which of new, changed and gone count; none means all
	Changes []string `json:"changes,omitempty"`
	Command string   `json:"command,omitempty"` // met if this command exits with 0
	Ask     string   `json:"ask,omitempty"`     // the question to the model about it

	// if met, the job's text is done in a turn; otherwise it is said
	Task bool `json:"task,omitempty"`
	// the job is done once the condition was met and reported
	AutoRemove    bool `json:"auto_remove,omitempty"`
	NotifyOnCheck bool `json:"notify_on_check,omitempty"` // the finding is reported at every check
}

// MissedMode says what happens to a time that has passed before it was noticed. "" means MissedRun. A
// reminder comes however late, unless it has a Grace.
type MissedMode string

const (
	// runs once, however many times have passed, unless it is too late
	MissedRun  MissedMode = "run"
	MissedSkip MissedMode = "skip" // left out
	MissedAsk  MissedMode = "ask"  // the user is asked
)

// OverlapMode says what happens to a time that comes while the job still runs. "" means OverlapSkip.
type OverlapMode string

const (
	OverlapSkip  OverlapMode = "skip"  // left out
	OverlapQueue OverlapMode = "queue" // runs afterwards; several run as one
)

// JobState is the state of a job.
type JobState string

const (
	JobProposed JobState = "proposed" // waits for the user's consent
	JobActive   JobState = "active"
	JobPaused   JobState = "paused"
	JobDone     JobState = "done" // it has ended, or was deleted
)

// Errors of a changed job.
var (
	ErrTooManyJobs = errors.New("there is no room for another job")
	ErrJobChanged  = errors.New("the job has changed since it was read")
)

// Limits of jobs.
const (
	MaxJobs    = 200     // jobs of a user that are not done
	MaxJobText = 8 << 10 // in bytes
	MaxJobName = 80      // in characters
)

// FireState is the state of a fire.
type FireState string

const (
	FireClaimed FireState = "claimed" // it begins when its time has come
	FireRunning FireState = "running" // its inbound is stored
	FireAsked   FireState = "asked"   // its turn waits for the user
	FireSaid    FireState = "said"
	FireSilent  FireState = "silent" // it had nothing to say
	FireFailed  FireState = "failed"
	FireMissed  FireState = "missed"  // it was too late
	FireSkipped FireState = "skipped" // the fire before it still ran
)

// Fire is one due time of a job. There is one for each job and time.
type Fire struct {
	Job      Job       // before the fire; it was due at its Next
	LastDue  time.Time // the last of its times that have passed: its Next, or a later one
	NextDue  time.Time // when the job is due again; zero means never
	JobSince time.Time // the new value for the job
	JobState JobState  // the new state of the job
	State    FireState // the new state of the fire
	BeginAt  time.Time // for a claimed fire
}

// FireBatch is a set of fires that are stored together: all, or none if one of the jobs has changed.
type FireBatch struct {
	Fires []Fire
	// read: Conversation, Text, Buttons, Silent and Urgent; without a text nothing is said
	Notice Delivery

	Private Conversation // a conversation that only the user reads
}

// Trigger starts a job once more, outside its own times.
type Trigger struct {
	Due      time.Time
	Material string        // material from outside; "" means none
	Gap      time.Duration // least time since its last fire

	// Private is a conversation that only the user reads. It is told that the job rests, if the
	// user has written nothing for too long. The zero value means that the user starts the job now.
	Private Conversation
}

// ClaimedFire is a fire that will begin.
type ClaimedFire struct {
	Job   Job
	Due   time.Time
	Tries int // earlier tries

	Material string // material from outside; "" means none
}

// FireResult is the result of a fire.
type FireResult struct {
	Job     int64     `json:"job"`
	Due     time.Time `json:"due"`
	State   FireState `json:"state"`
	Text    string    `json:"text,omitempty"` // what it said
	Cost    int64     `json:"cost,omitempty"` // millionths of a US dollar
	EndedAt time.Time `json:"ended_at"`
	World   bool      `json:"world,omitempty"` // it may have words of others

	Conversation int64 `json:"-"` // the conversation; 0 means that it was not said
}

// JobPrefix begins the presses of a job's buttons.
const JobPrefix = "job:"

// Buttons of a job; the job's id follows.
const (
	JobRun    = "run"
	JobStart  = "start"
	JobPause  = "pause"
	JobResume = "resume"
	JobChange = "change"
	JobDelete = "delete"
)

// JobQuoteBegins begins the model's quote of what a job said.
const JobQuoteBegins = "[Unasked, "

// ChannelJob is the channel of jobs, where nobody talks. A conversation there is the work of one
// job, and its chat is the job's id.
const ChannelJob Channel = "job"

// ToolJobResult is the tool that ends a job's turn.
const ToolJobResult = "job_result"

// JobCall is a call of a tool about jobs.
type JobCall struct {
	User        string
	Destination int64 // the conversation that the call's turn answers in
	Turn        int64
	Kind        TurnKind // the kind of that turn
	Call        protocol.ToolCall
}
