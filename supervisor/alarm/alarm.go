// Package alarm tells admins of problems of the service: each once, and its end. The table of
// conditions says what is told. The admins' chats get an alarm by the first way that works. A URL of
// the configuration gets it too, without the database and without Telegram.
package alarm

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
)

// Options of Alarms.
type Options struct {
	// Checks return a condition's details while it holds, and otherwise "". A condition without a
	// check is only told by Report.
	Checks map[Name]func(ctx context.Context) string
	// Tell tells the admins; directly means without storing the text. It never blocks.
	Tell func(text string, directly bool)
	// Send sends to the URL of the configuration. nil means that there is none.
	Send func(ctx context.Context, m Message) error
	// Beat calls the heartbeat's URL. nil means that there is none.
	Beat func(ctx context.Context) error
	// Ready reports whether the service is ready; otherwise the heartbeat waits.
	Ready func(ctx context.Context) bool
	File  string // file in the state folder that keeps raised alarms over a restart
	Now   func() time.Time
	Log   hclog.Logger
}

// Message is an alarm, or its end, for the URL.
type Message struct {
	Name  Name   `json:"name"`
	Text  string `json:"text"`
	Ended bool   `json:"ended,omitempty"`
}

// Times of the alarms.
const (
	checkInterval = 20 * time.Second
	beatInterval  = 5 * time.Minute
	// repeatInterval is the shortest time between the end of an alarm and the same alarm. A condition
	// that comes and goes is told once in that time.
	repeatInterval = 10 * time.Minute
	sendTimeout    = 15 * time.Second
)

// Alarms watches the conditions of the table. Run is its only goroutine; the other methods may be
// called from any, and never block.
type Alarms struct {
	o        Options
	outgoing chan struct{} // holds a token if something waits for the URL
	changed  chan struct{} // holds a token if the file must be written

	mu     sync.Mutex // guards the fields below
	states map[Name]*state
	dirty  bool      // whether the states or the queue have changed since they were kept
	round  time.Time // when the last round of checks ended; at first, when Run began
	queue  []Message // messages that the URL has not taken yet, the oldest first
}

// maxQueue limits the messages that wait for the URL. The oldest are dropped.
const maxQueue = 100

// state is what is known of one condition.
type state struct {
	Raised time.Time `json:"raised,omitzero"` // when its alarm was raised; zero means that it is not
	Ended  time.Time `json:"ended,omitzero"`  // when its last alarm ended

	row  Row
	same int // checks in a row with the other result than the alarm's
}

// New returns the alarms. It reads the raised alarms of an earlier run, and what the URL has not got.
func New(o Options) *Alarms {
	a := &Alarms{o: o, outgoing: make(chan struct{}, 1), changed: make(chan struct{}, 1),
		states: map[Name]*state{}}
	before := readKept(o.File, o.Log)
	for _, row := range table {
		s := before.States[row.Name]
		s.row = row
		a.states[row.Name] = &s
	}
	if o.Send != nil {
		a.queue = before.Queue
	}
	return a
}

// Raised returns whether each alarm of the table is raised.
func (a *Alarms) Raised() map[Name]bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[Name]bool{}
	for name, s := range a.states {
		all[name] = !s.Raised.IsZero()
	}
	return all
}

// Report raises an alarm at once, with a text of the caller, who has been patient. If the alarm is
// raised, it does nothing.
func (a *Alarms) Report(name Name, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.raise(a.states[name], text)
}

// End ends an alarm at once, with a text of the caller. If the alarm is not raised, it does nothing.
func (a *Alarms) End(name Name, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end(a.states[name], text)
}

// Run checks all conditions until ctx ends. Meanwhile it sends what waits for the URL.
func (a *Alarms) Run(ctx context.Context) error {
	a.endRound()
	defer a.keep()
	var sending sync.WaitGroup
	defer sending.Wait()
	if a.o.Send != nil {
		sending.Go(func() { a.send(ctx) })
	}
	if a.o.Beat != nil {
		sending.Go(func() { a.beat(ctx) })
	}
	for next := time.Now().Add(checkInterval); ctx.Err() == nil; {
		retry.SleepOrWake(ctx, time.Until(next), a.changed)
		a.keep()
		if !time.Now().Before(next) {
			a.check(ctx)
			next = time.Now().Add(checkInterval)
		}
	}
	return nil
}

// check runs all checks once. A check that hangs does not keep the others from running.
func (a *Alarms) check(ctx context.Context) {
	for _, row := range table {
		check := a.o.Checks[row.Name]
		if check == nil {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, checkInterval)
		details := check(limited)
		cancel()
		if ctx.Err() != nil {
			return
		}
		a.mu.Lock()
		a.note(a.states[row.Name], details)
		a.mu.Unlock()
	}
	a.endRound()
}

// endRound notes that a round of checks has ended.
func (a *Alarms) endRound() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.round = time.Now()
}

// note records the result of a check. The caller holds a.mu, here and in the functions below.
func (a *Alarms) note(s *state, details string) {
	holds := details != ""
	if holds == !s.Raised.IsZero() {
		s.same = 0
		return
	}
	if s.same++; s.same < Patience {
		return
	}
	since := a.o.Now().Sub(s.Ended) // less than 0 if the clock was ahead then
	switch {
	case !holds:
		a.end(s, s.row.Ended)
	case since < 0, since >= repeatInterval: // an alarm that ended a moment ago waits
		a.raise(s, s.row.text(details))
	}
}

// raise raises an alarm, unless it is raised.
func (a *Alarms) raise(s *state, text string) {
	if !s.Raised.IsZero() {
		return
	}
	s.Raised, s.same = a.o.Now(), 0
	a.tell(s, text, false)
	a.noteChange()
}

func (a *Alarms) end(s *state, text string) {
	if s.Raised.IsZero() {
		return
	}
	s.Raised, s.Ended, s.same = time.Time{}, a.o.Now(), 0
	a.tell(s, text, true)
	a.noteChange()
}

// noteChange makes Run write the file.
func (a *Alarms) noteChange() {
	a.dirty = true
	signals.SendToken(a.changed)
}

// tell sends an alarm or its end on all its ways.
func (a *Alarms) tell(s *state, text string, ended bool) {
	a.o.Log.Warn("alarm", "name", s.row.Name, "ended", ended, "text", text)
	if !s.row.Elsewhere {
		a.o.Tell(text, s.row.Directly)
	}
	if a.o.Send == nil {
		return
	}
	a.queue = append(a.queue, Message{s.row.Name, text, ended})
	a.queue = a.queue[max(0, len(a.queue)-maxQueue):]
	signals.SendToken(a.outgoing)
}

// keep stores the alarms, and what the URL has not got. It does nothing if nothing has changed.
func (a *Alarms) keep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.dirty {
		return
	}
	k := kept{States: map[Name]state{}, Queue: a.queue}
	for name, s := range a.states {
		if !s.Raised.IsZero() || !s.Ended.IsZero() {
			k.States[name] = *s
		}
	}
	text, _ := json.Marshal(k) // it has only times and texts, so this never fails
	err := writeFile(a.o.File, text)
	if a.dirty = err != nil; a.dirty { // then it is tried again
		a.o.Log.Warn("the raised alarms were not kept; after a restart they may be told again", "error", err)
	}
}

// send sends the waiting messages to the URL, in order, until ctx ends. It tries each until the URL
// takes it.
func (a *Alarms) send(ctx context.Context) {
	pauses := retry.Pauses{First: 5 * time.Second, Longest: 5 * time.Minute, Jitter: 0.25}
	for ctx.Err() == nil {
		message, found := a.next()
		if !found {
			retry.SleepOrWake(ctx, time.Hour, a.outgoing)
			continue
		}
		err := retry.UntilDone(ctx, pauses, func() error { return a.attempt(ctx, message) }, refuses, a.logFailure)
		if err != nil && ctx.Err() != nil {
			return // the next run sends it
		}
		if err != nil {
			a.o.Log.Error("the URL of alarms.url refuses an alarm; see `mews help alarms`", "error", err)
		}
		a.remove(message)
	}
}

func (a *Alarms) logFailure(err error, again time.Duration) {
	a.o.Log.Warn("an alarm did not reach the URL of alarms.url", "error", err, "again_in", again.Round(time.Second))
}

func (a *Alarms) attempt(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return a.o.Send(ctx, m)
}

// next returns the oldest message that waits.
func (a *Alarms) next() (m Message, found bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) == 0 {
		return m, false
	}
	return a.queue[0], true
}

// remove removes a message from the queue, if it is still the oldest.
func (a *Alarms) remove(m Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) > 0 && a.queue[0] == m {
		a.queue = a.queue[1:]
		a.noteChange()
	}
}

// beat calls the heartbeat's URL every beatInterval while the service is healthy.
func (a *Alarms) beat(ctx context.Context) {
	for ctx.Err() == nil {
		pause := checkInterval
		if a.IsHealthy() && a.o.Ready(ctx) {
			if err := a.callHeartbeat(ctx); err == nil {
				pause = beatInterval
			} else if ctx.Err() == nil {
				a.o.Log.Warn("the heartbeat did not reach its URL", "error", err)
			}
		}
		retry.Sleep(ctx, pause)
	}
}

func (a *Alarms) callHeartbeat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return a.o.Beat(ctx)
}

// maxRoundAge is how long ago the last round of checks may have ended. Then a check hangs.
const maxRoundAge = 3 * checkInterval

// IsHealthy reports whether no severe alarm is raised, and no check hangs.
func (a *Alarms) IsHealthy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.round) >= maxRoundAge {
		return false
	}
	for s := range maps.Values(a.states) {
		if s.row.Severe && !s.Raised.IsZero() {
			return false
		}
	}
	return true
}
