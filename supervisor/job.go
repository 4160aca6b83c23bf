package supervisor

import (
	"errors"
	"time"

	"mews/protocol"
)

// Job is something that is due at times, without being asked for again.
type Job struct {
	ID    int64
	User  string
	Kind  JobKind
	State JobState
	Name  string // what its person calls it; "" is as its Text begins
	Text  string // what it says, or what it asks of a model
	Rule  string // when it is due: a recurrence.Rule, as JSON
	// IANA name of the time zone in which its times are read; "" is the machine's
	Zone string
	// where it speaks: where it was made, unless its person wants it elsewhere
	Conversation Conversation
	// what made it, which makes one alone; a command, a press or a tool call
	MadeBy    string
	Options   JobOptions
	Version   int64     // counts its changes
	Since     time.Time // all up to this moment was fired, or was before the job
	Next      time.Time // when it is due; the zero time where it is not
	Fired     int       // how often
	Failures  int       // of its last fires, without one between them that did not fail
	CreatedAt time.Time
}

// JobKind is what a job does.
type JobKind string

const (
	JobReminder JobKind = "reminder" // says its text, and asks no model
	JobAgent    JobKind = "agent"    // has a turn of its own do what its text says
	// checks whether something is so, and then says its text or does what that says
	JobCheck   JobKind = "check"
	JobRoutine JobKind = "routine" // is built in; its name says what it does
)

// JobOptions are how a job goes about it.
type JobOptions struct {
	Missed   Missed        `json:"on_miss,omitempty"`
	Grace    time.Duration `json:"grace,omitempty"` // how late it may still be done; 0 is as usual
	Overlap  Overlap       `json:"overlap,omitempty"`
	Priority JobPriority   `json:"priority,omitempty"`
	Exact    bool          `json:"exact,omitempty"` // its turn begins at the moment itself
	World    bool          `json:"world,omitempty"` // its text may be somebody else's words

	// Of a turn. What is not set is as for all jobs.
	Model     string `json:"model,omitempty"`     // PROVIDER/MODEL
	Workspace string `json:"workspace,omitempty"` // its name
	Steps     int    `json:"steps,omitempty"`
	Minutes   int    `json:"minutes,omitempty"`

	Check   Check `json:"look,omitzero"`     // of a check
	Written bool  `json:"written,omitempty"` // of the digest: a model words it

	// when its person last had it go on, in unix milliseconds; 0 is never
	Resumed int64 `json:"resumed,omitempty"`
	// its person wants it no more: one that is done without this has ended by itself
	Deleted bool `json:"deleted,omitempty"`
}

// JobPriority is how much of a stir a job makes. "" is what is usual.
type JobPriority string

const (
	JobLow  JobPriority = "low"  // it makes no sound
	JobHigh JobPriority = "high" // it sounds, and does not wait for the end of quiet hours
)

// Check is what a check is about, of which there is one: files or a command. With Ask a model judges
// what was found, where that has changed.
type Check struct {
	// a pattern: it is so where a file is new, changed or gone since the last check
	Files string `json:"files,omitempty"`
	// of new, changed and gone, those that count; none is all
	Changes []string `json:"changes,omitempty"`
	Command string   `json:"command,omitempty"` // it is so where this exits with 0
	Ask     string   `json:"ask,omitempty"`     // what the model is asked of it

	// once it is so the job's text is done, in a turn; else it is said
	Task bool `json:"task,omitempty"`
	// once it was so and that was told, the job is done
	AutoRemove    bool `json:"auto_remove,omitempty"`
	NotifyOnCheck bool `json:"notify_on_check,omitempty"` // it is told each time what was found
}

// Missed is what becomes of a time that is past when it is seen. "" is MissedRun: a reminder comes
// however late, unless it has a Grace.
type Missed string

const (
	// done once, however many times have passed, unless it is too late for it
	MissedRun  Missed = "run"
	MissedSkip Missed = "skip" // left out
	MissedAsk  Missed = "ask"  // its person is asked
)

// Overlap is what becomes of a time that comes while the job still runs. "" is OverlapSkip.
type Overlap string

const (
	OverlapSkip  Overlap = "skip"  // left out
	OverlapQueue Overlap = "queue" // done afterwards; of several, one
)

// JobState is whether a job is due at all.
type JobState string

const (
	JobProposed JobState = "proposed" // its person has not said yes to it
	JobActive   JobState = "active"
	JobPaused   JobState = "paused"
	JobDone     JobState = "done" // it comes no more, or was deleted
)

// What may be wrong with a change of a job.
var (
	ErrTooManyJobs = errors.New("there is no room for another job")
	ErrJobChanged  = errors.New("the job has changed since it was read")
)

// Limits of jobs.
const (
	MaxJobs    = 200     // of a person's that are not done
	MaxJobText = 8 << 10 // in bytes
	MaxJobName = 80      // in characters
)

// FireState is how far a fire has come.
type FireState string

const (
	FireClaimed FireState = "claimed" // it begins when its time has come
	FireRunning FireState = "running" // it has its inbound
	FireAsked   FireState = "asked"   // its turn waits for a person
	FireSaid    FireState = "said"
	FireSilent  FireState = "silent" // it had nothing to say
	FireFailed  FireState = "failed"
	FireMissed  FireState = "missed"  // it was too late for it
	FireSkipped FireState = "skipped" // the fire before it still ran
)

// Fire is one time that a job was due. There is one for a job and a moment.
type Fire struct {
	Job     Job       // as it was; it was due at its Next
	Last    time.Time // the last of its times that have passed: its Next, or a later one
	Next    time.Time // when the job is due again; the zero time is never
	Since   time.Time // the job's from now on
	State   JobState  // the job's from now on
	As      FireState // what becomes of the fire
	BeginAt time.Time // of one that is claimed
}

// Firing is what is done of fires in one piece: all of it, or none where one of the jobs has
// changed.
type Firing struct {
	Fires []Fire
	// its Conversation, Text, Buttons, Silent and Urgent; without a text nothing is said
	Say Delivery

	Private Conversation // where nobody but the person reads
}

// Trigger has a job be done once more, beside its own times.
type Trigger struct {
	Due      time.Time
	Material string        // what comes with it from outside; "" is nothing
	Gap      time.Duration // how long it is at least from its last fire to this

	// Private is where nobody but the person reads. Of what begins by itself it is told there that
	// it does not, where that rests since they have written nothing for too long. The zero value is
	// what the person wants now.
	Private Conversation
}

// ClaimedFire is a fire that is to begin.
type ClaimedFire struct {
	Job   Job
	Due   time.Time
	Tries int // how often it was tried before

	Material string // what came with it from outside; "" is nothing
}

// FireResult is what came of a fire.
type FireResult struct {
	Job     int64     `json:"job"`
	Due     time.Time `json:"due"`
	State   FireState `json:"state"`
	Text    string    `json:"text,omitempty"` // what it said
	Cost    int64     `json:"cost,omitempty"` // millionths of a US dollar
	EndedAt time.Time `json:"ended_at"`
	World   bool      `json:"world,omitempty"` // it may have words of somebody else than the person

	SaidIn int64 `json:"-"` // the conversation; 0 where it was not said
}

// JobPrefix begins the presses of a job's buttons.
const JobPrefix = "job:"

// What the buttons of a job do. The job's id stands behind it.
const (
	JobRun    = "run"
	JobStart  = "start"
	JobPause  = "pause"
	JobResume = "resume"
	JobChange = "change"
	JobDelete = "delete"
)

// JobQuoteBegins begins what a model reads of what a job has said.
const JobQuoteBegins = "[Unasked, "

// ChannelJob is where nobody talks: a conversation there is the work of one job. Its chat is the
// job's id.
const ChannelJob Channel = "job"

// ToolJobResult is the tool with which a job's turn ends.
const ToolJobResult = "job_result"

// JobCall is a call of a tool about jobs.
type JobCall struct {
	User        string
	Destination int64 // the conversation in which the call's turn answers
	Turn        int64
	Kind        TurnKind // of that turn
	Call        protocol.ToolCall
}
