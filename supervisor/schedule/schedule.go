// Package schedule does what is due without being asked for again. One loop fires jobs; the rest is
// what people do about theirs. When a job is due package recurrence says.
package schedule

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/internal/slots"
	"mews/supervisor/recurrence"
	"mews/supervisor/sqlite"
)

// Store keeps people's jobs.
type Store interface {
	Put(ctx context.Context, j supervisor.Job, card func(supervisor.Job) supervisor.Delivery) (supervisor.Job,
		[]supervisor.Delivery, error)
	Find(ctx context.Context, user string, id int64) (supervisor.Job, bool, error)
	List(ctx context.Context, user string) ([]supervisor.Job, error)
	Change(ctx context.Context, j supervisor.Job) error
	RunNow(ctx context.Context, j supervisor.Job, tr supervisor.Trigger) (begun bool, said []supervisor.Delivery,
		err error)
	Results(ctx context.Context, user string, job int64, limit int) ([]supervisor.FireResult, error)
}

// Queue has the jobs by when they are due.
type Queue interface {
	ListDue(ctx context.Context, now, late time.Time, but []string, limit int) ([]supervisor.Job, error)
	ListNext(ctx context.Context, after supervisor.Job, limit int) ([]supervisor.Job, error)
	NextDue(ctx context.Context, after time.Time) (time.Time, bool, error)
	PutFires(ctx context.Context, firings []supervisor.FireBatch) ([]supervisor.Delivery, error)
	ListBegin(ctx context.Context, now time.Time, but []string, checks bool,
		limit int) ([]supervisor.ClaimedFire, error)
	Begin(ctx context.Context, f supervisor.ClaimedFire, in supervisor.Inbound) (supervisor.Inbound, bool, error)
}

// Sources say where the words of turns come from.
type Sources interface {
	// World says whether a turn has read words of somebody else than its person.
	World(ctx context.Context, turn int64) (bool, error)
}

// Options are what a Schedule works on.
type Options struct {
	Store Store
	Queue Queue
	// not of those who may not speak: their jobs rest
	Person func(name string) (supervisor.User, bool)
	// something was put into its outbox; never blocks
	Queued     func(conversation int64)
	Begun      func(supervisor.Inbound) // has its turn begin; never blocks
	Sources    Sources
	CheckStore CheckStore
	// Checks are those of kinds of jobs that are checked before something is said or done.
	Checks     map[supervisor.JobKind]Check
	CheckRules CheckRules
	// Tools do what models' calls say, by name, beside the schedule's own.
	Tools map[string]Tool
	// Watches have jobs be due by what happens, beside their times.
	Watches []Watch
	// RoutineTimes refuses that a routine comes at other times. nil allows it.
	RoutineTimes  func(j supervisor.Job) error
	Conversations sqlite.Conversations
	// whether people may speak in a group
	Allowed func(supervisor.Conversation) bool
	// nil where an effect may leave the walls, as approval.Approver's Allow
	Approve func(context.Context, approval.Request) error
	// waits for the answer to a command's question
	Ask func(context.Context, supervisor.Question) (supervisor.Question, error)
	// a model's whole name; an error for a person who may not have it
	Model func(user, spec string) (full string, err error)
	// of any turn: a job has no more
	Limits func() protocol.TurnLimits
	// of jobs; the zero value has no limits
	Budget func(user string) supervisor.Budget
	Now    func() time.Time
	Log    hclog.Logger
}

// Watch has jobs be due by what happens.
type Watch struct {
	Next func() (at time.Time, any bool) // when it is to run
	Run  func(context.Context) error     // has those jobs be due
}

// Schedule fires people's jobs. Jobs changes them, Chat and Questions do what people want of them.
// It may be used from several goroutines.
type Schedule struct {
	*Jobs
	*cards
	Chat      *Chat
	Questions *Questions
	calls     *toolCalls

	queue      Queue
	checkStore CheckStore
	checks     map[supervisor.JobKind]Check
	watches    []Watch
	begun      func(supervisor.Inbound)
	log        hclog.Logger

	running  *slots.Slots   // one for each check that runs
	checking sync.WaitGroup // those checks
	turns    checkTurns
}

// New makes a Schedule; Run fires its jobs.
func New(o Options) *Schedule {
	jobs := &Jobs{store: o.Store, person: o.Person, wakeOutbox: o.Queued, now: o.Now, woken: make(chan struct{}, 1)}
	to := &destinations{conversations: o.Conversations, people: o.Person, allowed: o.Allowed}
	show := &cards{destinations: to, rules: o.CheckRules, budget: o.Budget}
	edit := &editor{Jobs: jobs, cards: show, allow: o.Approve, ask: o.Ask, resolveModel: o.Model, limits: o.Limits,
		routineTimes: o.RoutineTimes}
	return &Schedule{
		Jobs: jobs, cards: show, Chat: &Chat{edit}, Questions: &Questions{edit},
		calls: &toolCalls{editor: edit, sources: o.Sources, others: o.Tools},
		queue: o.Queue, checkStore: o.CheckStore, checks: o.Checks, watches: o.Watches, begun: o.Begun, log: o.Log,
		running: slots.New(maxChecks), turns: checkTurns{},
	}
}

// EffectPostElsewhere is that what comes by itself is said in a group other than where it was set.
const EffectPostElsewhere = "post_elsewhere"

// Feature is what it adds to the service.
func (s *Schedule) Feature() feature.Feature {
	return feature.Feature{Name: "schedule", Commands: s.Chat.commands(), HostCalls: s.calls.hostCalls(),
		Effects: []feature.Effect{{Name: EffectPostElsewhere, Rule: string(approval.RuleAsk)}},
		Calls:   []feature.Call{feature.NewCall(MethodJob, s.Questions.answerCall)},
		Parts:   []feature.Part{{Name: "schedule", Run: s.Run}}}
}

const (
	// a timer stands still while the machine is suspended, and a clock may be set
	maxSleep      = 30 * time.Second
	retryInterval = 5 * time.Second // after an error of the store
	// jobs in one transaction, but for those of one person who has more that are late
	maxDue = 100
)

// Run fires jobs until ctx ends. It returns when no check runs any more.
func (s *Schedule) Run(ctx context.Context) error {
	defer s.checking.Wait()
	ready, seen := false, time.Time{}
	for {
		err := error(nil)
		now := s.now()
		if seen.Sub(now) > clockWrongBy {
			s.checking.Wait() // their leases are renewed too
			ready = false
		}
		if seen = now; !ready {
			err = s.recompute(ctx)
			ready = err == nil
		}
		if err == nil {
			err = errors.Join(s.fire(ctx), s.watch(ctx), s.beginDue(ctx), s.release(ctx))
		}
		sleep := retryInterval
		if err == nil {
			sleep, err = s.untilNext(ctx)
		}
		if err != nil && ctx.Err() == nil {
			s.log.Error("fire jobs", "error", err)
		}
		timer := time.NewTimer(sleep)
		select {
		case <-ctx.Done():
		case <-s.woken:
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return nil
		}
	}
}

// release says what was held for the end of quiet hours. For who may not speak it waits: they would
// not be sent it.
func (s *Schedule) release(ctx context.Context) error {
	said, err := s.checkStore.Release(ctx, s.now(), func(user string) bool {
		_, known := s.person(user)
		return !known
	})
	s.queued(said)
	return err
}

// watch runs what has jobs be due by what happens.
func (s *Schedule) watch(ctx context.Context) (err error) {
	for _, w := range s.watches {
		err = errors.Join(err, w.Run(ctx))
	}
	return err
}

// untilNext is how long the loop may sleep.
func (s *Schedule) untilNext(ctx context.Context) (time.Duration, error) {
	now := s.now()
	next, any, err := s.queue.NextDue(ctx, now)
	for _, w := range s.watches {
		if at, has := w.Next(); has && (!any || at.Before(next)) {
			next, any = at, true
		}
	}
	if err != nil || !any {
		return maxSleep, err
	}
	return min(next.Sub(now), maxSleep), nil
}

// clockWrongBy is how far ahead a clock must have been to count as wrong, so that nothing is taken for
// fired up to then. Up to that a clock that is set back repeats nothing.
const clockWrongBy = 30 * 24 * time.Hour

// firedUntil is up to when all of a job was fired, by a clock that may have been set back since.
func firedUntil(j supervisor.Job, now time.Time) time.Time {
	if j.FiredUntil.Sub(now) > clockWrongBy {
		return now
	}
	return j.FiredUntil
}

// recompute computes anew when jobs are due: a zone's law may have changed since, or the clock been
// wrong. What was due stays so, and what was checked when an earlier life ended begins again.
// What many jobs have taken of memory meanwhile goes back at once: the next collection may be
// minutes away.
func (s *Schedule) recompute(ctx context.Context) error {
	if err := s.checkStore.FreeLeases(ctx, s.now()); err != nil {
		return err
	}
	now := s.now()
	last, zones := supervisor.Job{Next: now}, recurrence.Zones{}
	for batch := 0; ; batch++ {
		list, err := s.queue.ListNext(ctx, last, maxDue)
		if err != nil || len(list) == 0 {
			if batch > 1 {
				debug.FreeOSMemory()
			}
			return err
		}
		last = list[len(list)-1]
		for _, j := range list {
			since := firedUntil(j, now)
			next, found, err := zones.NextOf(j, since)
			if err != nil || !found || next.Equal(j.Next) {
				continue // what can't be read is told of when it is due
			}
			j.FiredUntil, j.Next = since, next
			// who has changed it has computed it too
			if err := s.store.Change(ctx, j); err != nil && !errors.Is(err, supervisor.ErrJobChanged) {
				return err
			}
		}
	}
}
