// Package routine is the feature of what is built in, and off until its person turns it on: the
// heartbeat, the digest and the notices of files. Each is a job of the schedule's, which has it
// checked here when it is due.
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

// Jobs is what the schedule does with jobs.
type Jobs interface {
	// Put keeps a new job. show, where it is not nil, is said of it at once.
	Put(ctx context.Context, j supervisor.Job, show func(supervisor.Job) supervisor.Delivery) (supervisor.Job, error)
	// Change changes a job as it was read.
	Change(ctx context.Context, j supervisor.Job) error
	Pause(ctx context.Context, j supervisor.Job) (string, error)
	// Resume has a job go on from now: what was due meanwhile is not made up for.
	Resume(ctx context.Context, j supervisor.Job, now time.Time) (string, error)
	// RunNow has a job be done now.
	RunNow(ctx context.Context, j supervisor.Job, now time.Time) (string, error)
	// Terms are sentences about how a job goes about it.
	Terms(j supervisor.Job) []string
	// Wake has the schedule look at the clock, and at what Next says.
	Wake()
}

// Options are what Routines work on.
type Options struct {
	Store       sqlite.Jobs
	FileEffects sqlite.Effects
	// LookThroughHome has a person's home be looked through as it is now. all is false where that
	// takes longer than ctx.
	LookThroughHome func(ctx context.Context, user string) (all bool, err error)
	// Changes lists what has come to differ in a person's home, and gives the next cursor. ok is
	// false where nothing is known of the time since.
	Changes func(ctx context.Context, user string, since supervisor.HomeCursor) (
		list []supervisor.HomeChange, next supervisor.HomeCursor, ok bool, err error)
	// Jobs is asked when they are needed: a schedule is made of its routines.
	Jobs func() Jobs
	// SetRule has a job be due as words say, from at on; CheckPeriod refuses one that has turns too
	// often, and Line says when one is due, and next.
	SetRule     func(j *supervisor.Job, words string, at time.Time) error
	CheckPeriod func(j supervisor.Job, zone *time.Location) error
	Line        func(j supervisor.Job) string
	// Person finds those who may speak.
	Person func(name string) (supervisor.User, bool)
	// Check has a person's worker check something. Errors are for the person; one that may pass
	// wraps supervisor.ErrCheckAgain.
	Check func(ctx context.Context, user string, p protocol.CheckParameters) (protocol.CheckResult, error)
	// InForce takes what was seen of a person's prompt file, and gives the text of it that is in
	// force.
	InForce func(ctx context.Context, user string, seen protocol.PromptFile) (text []byte, err error)
	// ListFiles lists the files of a person's home, as far as they are known.
	ListFiles func(ctx context.Context, user string) ([]supervisor.HomeFile, error)
	Now       func() time.Time
	Log       hclog.Logger
}

// Routines are what is built in. They may be used from several goroutines.
type Routines struct {
	o       Options
	kinds   map[string]kind
	changed changedHomes
}

// New makes Routines.
func New(o Options) *Routines {
	r := &Routines{o: o}
	r.kinds = r.newKinds()
	return r
}

// Feature is what they add to the service.
func (r *Routines) Feature() feature.Feature {
	return feature.Feature{Name: "routine", Commands: r.commands()}
}
