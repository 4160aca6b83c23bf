// Package schedule fires jobs when they are due, in one loop. It also handles users' commands and
// tool calls about jobs. Package recurrence computes when a job is due.
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

// Store stores users' jobs.
type Store interface {
	Put(ctx context.Context, j supervisor.Job, card func(supervisor.Job) supervisor.Delivery) (supervisor.Job,
		[]supervisor.Delivery, error)
	Find(ctx context.Context, user string, id int64) (supervisor.Job, bool, error)
	List(ctx context.Context, user string) ([]supervisor.Job, error)
	Change(ctx context.Context, j supervisor.Job) error
	RunNow(ctx context.Context, j supervisor.Job, tr supervisor.JobTrigger) (begun bool, said []supervisor.Delivery,
		err error)
	ListResults(ctx context.Context, user string, job int64, limit int) ([]supervisor.FireResult, error)
}

// Queue finds jobs and fires by their times.
type Queue interface {
	ListDue(ctx context.Context, now, late time.Time, but []string, limit int) ([]supervisor.Job, error)
	ListUpcoming(ctx context.Context, after supervisor.Job, limit int) ([]supervisor.Job, error)
	NextDue(ctx context.Context, after time.Time) (time.Time, bool, error)
	PutFires(ctx context.Context, firings []supervisor.FireBatch) ([]supervisor.Delivery, error)
	// ListReachableChats lists chats that take messages again, or may do so. ListDueInChat lists
	// the due jobs of such a chat, and PutFiresOfReachableChat stores their fires.
	ListReachableChats(ctx context.Context, now time.Time) ([]supervisor.ChatRefusingMessages, error)
	ListDueInChat(ctx context.Context, c supervisor.ChatRefusingMessages, now time.Time) ([]supervisor.Job, error)
	PutFiresOfReachableChat(ctx context.Context, c supervisor.ChatRefusingMessages,
		firings []supervisor.FireBatch) ([]supervisor.Delivery, error)
	ListFiresToBegin(ctx context.Context, now time.Time, but []string, checks bool,
		limit int) ([]supervisor.ClaimedFire, error)
	BeginFire(ctx context.Context, f supervisor.ClaimedFire, in supervisor.Inbound) (supervisor.Inbound, bool, error)
}

// TurnOrigins says whose words the turns have read.
type TurnOrigins interface {
	// HasWorldWords reports whether a turn has read words of somebody other than its user.
	HasWorldWords(ctx context.Context, turn int64) (bool, error)
	// OwnWords returns the words of a turn's user in that turn.
	OwnWords(ctx context.Context, turn int64) (string, error)
}

// Options configure a Schedule.
type Options struct {
	Store Store
	Queue Queue
	// finds a user who may speak; jobs of users who may not speak do not fire
	Person func(name string) (supervisor.User, bool)
	// reports a new message in the outbox; never blocks
	Queued    func(conversation int64)
	StartTurn func(supervisor.Inbound) // starts the turn of an inbound; never blocks
	Sources   TurnOrigins
	// Foreign names the words of others that a turn has read; "" means none. A nil Foreign names no
	// words.
	Foreign    func(ctx context.Context, turn int64) (string, error)
	CheckStore CheckStore
	// Checks maps kinds of jobs to their check functions. Other kinds have no check.
	Checks     map[supervisor.JobKind]CheckFunc
	CheckRules CheckParser
	// Tools are further tools about jobs for models, by name.
	Tools map[string]Tool
	// Watches start jobs after events, in addition to their times.
	Watches []EventTrigger
	// RoutineTimes returns an error if a routine may not have its new times. nil allows all times.
	RoutineTimes  func(j supervisor.Job) error
	Conversations sqlite.Conversations
	Translate     TranslateTimeFunc // reads times that the parser can't read; nil means no translation
	// Command returns a user's earlier command.
	Command    func(ctx context.Context, user string, id int64) (in supervisor.Inbound, ok bool, err error)
	GroupTitle func(supervisor.Conversation) string // returns a group's title; "" means unknown; may be nil
	// reports whether people may speak in a group
	MaySpeakIn func(supervisor.Conversation) bool
	// allows an effect or returns an error, as approval.Approver.Allow does
	Approve func(context.Context, approval.Request) error
	// asks a question of a command and waits for the answer
	Ask func(context.Context, supervisor.Question) (supervisor.Question, error)
	// returns a model's full name, or an error if the user may not use the model
	Model func(user, spec string) (full string, err error)
	// the limits of any turn; a job can only lower them
	Limits func() protocol.TurnLimits
	// a user's budget for jobs; the zero value has no limits
	Budget func(user string) supervisor.Budget
	Now    func() time.Time
	Log    hclog.Logger
}

// EventTrigger starts jobs after events.
type EventTrigger struct {
	Next func() (at time.Time, any bool) // returns when Run must be called; any is false for never
	Run  func(context.Context) error     // starts the jobs of the event
}

// Schedule fires jobs and runs users' commands about jobs. It is safe for concurrent use.
type Schedule struct {
	*Jobs
	*jobCards
	Chat     *ChatCommands
	Requests *JobRequests
	calls    *toolCalls

	queue      Queue
	checkStore CheckStore
	checks     map[supervisor.JobKind]CheckFunc
	watches    []EventTrigger
	begun      func(supervisor.Inbound)
	log        hclog.Logger

	running  *slots.Slots   // a slot for each running check
	checking sync.WaitGroup // counts the running checks, for Run to wait for them
	turns    checkTurns
}

// New returns a Schedule. Its Run fires the jobs.
func New(o Options) *Schedule {
	jobs := &Jobs{store: o.Store, person: o.Person, wakeOutbox: o.Queued, now: o.Now, woken: make(chan struct{}, 1)}
	to := &destinations{conversations: o.Conversations, people: o.Person, allowed: o.MaySpeakIn, title: o.GroupTitle}
	show := &jobCards{destinations: to, rules: o.CheckRules, budget: o.Budget}
	edit := &editor{Jobs: jobs, jobCards: show, allow: o.Approve, ask: o.Ask, resolveModel: o.Model, limits: o.Limits,
		routineTimes: o.RoutineTimes, translateWords: o.Translate}
	return &Schedule{
		Jobs: jobs, jobCards: show, Chat: &ChatCommands{edit, o.Command}, Requests: &JobRequests{edit},
		calls: &toolCalls{editor: edit, sources: o.Sources, foreign: o.Foreign, others: o.Tools},
		queue: o.Queue, checkStore: o.CheckStore, checks: o.Checks, watches: o.Watches, begun: o.StartTurn, log: o.Log,
		running: slots.New(maxChecks), turns: checkTurns{},
	}
}

// EffectPostInOtherGroup is the effect of a job that posts in another group than its own. A job's
// own group is the group in which it was set.
const EffectPostInOtherGroup = "post_elsewhere"

// EffectChangeJobs is the effect of a model that sets, changes or cancels a job.
const EffectChangeJobs = "jobs"

// Feature returns the commands, host calls, effect, control call and part of the schedule.
func (s *Schedule) Feature() feature.Feature {
	return feature.Feature{Name: "schedule", Commands: s.Chat.commands(), HostCalls: s.calls.hostCalls(),
		Effects: []feature.Effect{{Name: EffectPostInOtherGroup, Rule: string(approval.RuleAsk)},
			{Name: EffectChangeJobs, Rule: string(approval.RuleAllow), Tainted: string(approval.RuleAsk)}},
		Calls: []feature.ControlCall{feature.NewControlCall(MethodJob, s.Requests.answerCall)},
		Parts: []feature.Part{{Name: "schedule", Run: s.Run}}}
}

const (
	// The loop wakes at least this often: timers stop while the machine is suspended, and the clock
	// may be set.
	maxSleep      = 30 * time.Second
	retryInterval = 5 * time.Second // the pause after an error of the store
	// maximum number of due jobs in one transaction; the late jobs of one user may exceed this
	// maximum
	maxDue = 100
)

// Run fires jobs until ctx ends. It returns when all running checks have ended.
func (s *Schedule) Run(ctx context.Context) error {
	defer s.checking.Wait()
	ready, seen := false, time.Time{}
	for {
		err := error(nil)
		now := s.now()
		if seen.Sub(now) > clockWrongBy {
			s.checking.Wait() // wait, because a check that ends gives up its reserved fire
			ready = false
		}
		if seen = now; !ready {
			err = s.recompute(ctx)
			ready = err == nil
		}
		if err == nil {
			err = errors.Join(s.resumeReturned(ctx), s.fire(ctx), s.watch(ctx), s.beginDue(ctx), s.release(ctx))
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

// release sends messages whose quiet hours are over. Messages for a user who may not speak keep
// waiting, because the outbox would drop them.
func (s *Schedule) release(ctx context.Context) error {
	said, err := s.checkStore.ReleaseHeldNotices(ctx, s.now(), func(user string) bool {
		_, known := s.person(user)
		return !known
	})
	s.queued(said)
	return err
}

// watch starts the jobs whose events have happened.
func (s *Schedule) watch(ctx context.Context) (err error) {
	for _, w := range s.watches {
		err = errors.Join(err, w.Run(ctx))
	}
	return err
}

// untilNext returns how long the loop may sleep until the next job is due.
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

// clockWrongBy is how far in the future a job's last fire must be to show that the clock was wrong.
// A fire that is so far ahead is ignored. If the fire is less far ahead, the clock was set back,
// and no fire is repeated.
const clockWrongBy = 30 * 24 * time.Hour

// firedUntil returns the time up to which a job has fired. It is now if the job fired while the
// clock was wrong.
func firedUntil(j supervisor.Job, now time.Time) time.Time {
	if j.FiredUntil.Sub(now) > clockWrongBy {
		return now
	}
	return j.FiredUntil
}

// recompute computes all due times again: the rules of a time zone may have changed, or the clock
// was wrong. Due jobs stay due, and interrupted checks begin again.
//
// It returns memory to the system after many jobs, because the next garbage collection may be
// minutes away.
func (s *Schedule) recompute(ctx context.Context) error {
	if err := s.checkStore.FreeReservedFires(ctx, s.now()); err != nil {
		return err
	}
	now := s.now()
	last, zones := supervisor.Job{Next: now}, recurrence.ZoneCache{}
	for batch := 0; ; batch++ {
		list, err := s.queue.ListUpcoming(ctx, last, maxDue)
		if err != nil || len(list) == 0 {
			if batch > 1 {
				debug.FreeOSMemory()
			}
			return err
		}
		last = list[len(list)-1]
		for _, j := range list {
			since := firedUntil(j, now)
			next, found, err := zones.NextDue(j, since)
			if err != nil || !found || next.Equal(j.Next) {
				continue // an unreadable rule is reported when the job is due
			}
			j.FiredUntil, j.Next = since, next
			// if the job has changed meanwhile, that change has computed its next time
			if err := s.store.Change(ctx, j); err != nil && !errors.Is(err, supervisor.ErrJobChanged) {
				return err
			}
		}
	}
}
