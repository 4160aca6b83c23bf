package supervisor

import (
	"errors"
	"time"
)

// Job is something that is due at times, without being asked for again.
type Job struct {
	ID           int64
	User         string
	Kind         JobKind
	State        JobState
	Text         string       // what it says
	Rule         string       // when it is due: a recurrence.Rule, as JSON
	Zone         string       // IANA name of the time zone in which its times are read; "" is the machine's
	Conversation Conversation // where it was made
	Inbound      int64        // the command or the press that made it, which makes one alone
	Version      int64        // counts its changes
	Since        time.Time    // all up to this moment was fired, or was before the job
	Next         time.Time    // when it is due; the zero time where it is not
	Fired        int          // how often
	CreatedAt    time.Time
}

// JobKind is what a job does.
type JobKind string

// JobReminder says its text, and asks no model.
const JobReminder JobKind = "reminder"

// JobState is whether a job is due at all.
type JobState string

const (
	JobActive JobState = "active"
	JobPaused JobState = "paused"
	JobDone   JobState = "done" // it comes no more, or was deleted
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
)

// Fire is one time that a job was due. There is one for a job and a moment.
type Fire struct {
	Job   Job       // as it was; it was due at its Next
	Next  time.Time // when the job is due again; the zero time is never
	Since time.Time // the job's from now on
	State JobState  // the job's from now on
}

// Firing is what is done of fires in one piece: all of it, or none where one of the jobs has changed.
type Firing struct {
	Fires []Fire
	Say   Delivery // its Conversation, Text and Buttons
}

// JobPrefix begins the presses of a job's buttons.
const JobPrefix = "job:"
