// Package routine is the feature of the built-in jobs: the heartbeat, the digest and the notices
// about files. Each routine is off until its user turns it on. Package schedule runs the routines
// as jobs.
package routine

import (
	"context"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/sqlite"
)

// JobScheduler changes jobs, as package schedule does.
type JobScheduler interface {
	// Add stores a new job. show returns a message about the job, which is sent at once; nil means
	// no message.
	Add(ctx context.Context, j supervisor.Job, show func(supervisor.Job) supervisor.Delivery) (supervisor.Job, error)
	// Change stores a changed job. It fails if the stored job has changed since it was read.
	Change(ctx context.Context, j supervisor.Job) error
	Pause(ctx context.Context, j supervisor.Job) (string, error)
	// Resume resumes a paused job from now on; times missed meanwhile are skipped.
	Resume(ctx context.Context, j supervisor.Job, now time.Time) (string, error)
	// RunNow starts a job now.
	RunNow(ctx context.Context, j supervisor.Job, now time.Time) (string, error)
	// DescribeOptions returns sentences about the options of a job.
	DescribeOptions(j supervisor.Job) []string
	// WakeLoop makes the schedule look for due jobs now, and ask again when the next changed home
	// is due.
	WakeLoop()
}

// Options configure Routines.
type Options struct {
	Store       sqlite.Jobs
	FileEffects sqlite.Effects
	// IndexHomeNow updates the index of a user's home. all is false if it did not finish before ctx
	// ended.
	IndexHomeNow func(ctx context.Context, user string) (all bool, err error)
	// Changes lists the changes in a user's home since a cursor, and returns the next cursor. ok is
	// false if some changes since then are unknown.
	Changes func(ctx context.Context, user string, since supervisor.HomeChangePosition) (
		list []supervisor.HomeFileChange, next supervisor.HomeChangePosition, ok bool, err error)
	// Jobs returns the schedule. It is a function, because the schedule is made after the routines.
	Jobs func() JobScheduler
	// SetRule sets a job's times from words; now is at. ValidatePeriod refuses a job that would
	// start turns too often. DescribeTimes describes when a job is due.
	SetRule        func(j *supervisor.Job, words string, at time.Time) error
	ValidatePeriod func(j supervisor.Job, zone *time.Location) error
	DescribeTimes  func(j supervisor.Job) string
	// Person finds a user who may speak.
	Person func(name string) (supervisor.User, bool)
	// Check runs a check in a user's worker. Errors are for the user. A temporary error wraps
	// supervisor.ErrCheckAgain.
	Check func(ctx context.Context, user string, p protocol.CheckParameters) (protocol.CheckResult, error)
	// InForce reports a version of a user's prompt file, and returns the accepted text of that
	// file.
	InForce func(ctx context.Context, user string, seen protocol.PromptFile) (text []byte, err error)
	// ListFiles lists the files of a user's home that the index knows.
	ListFiles func(ctx context.Context, user string) ([]supervisor.HomeFile, error)
	// Agenda lists the events of a time in a user's calendars, and the to-dos that are due before
	// its end, by time. The notes tell which subscribed calendars are old or missing.
	Agenda func(ctx context.Context, user string, from, until time.Time) (list []protocol.AgendaEntry,
		notes []string, err error)
	Now func() time.Time
	Log hclog.Logger
}

// Routines are the built-in jobs. They are safe for concurrent use.
type Routines struct {
	o       Options
	kinds   map[string]kind
	changed changedHomes
}

// New returns Routines.
func New(o Options) *Routines {
	r := &Routines{o: o}
	r.kinds = r.newKinds()
	return r
}

// Feature returns the commands of the routines.
func (r *Routines) Feature() feature.Feature {
	return feature.Feature{Name: "routine", Commands: r.commands()}
}
