// Package forget is the feature that deletes what people want forgotten: what they sent, what came
// of it, and the copies of it elsewhere.
package forget

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/signals"
	"mews/supervisor/sqlite"
)

// Store keeps what is wanted, and takes out what it is about. What waits is left for another time.
type Store interface {
	Put(ctx context.Context, f supervisor.Forgetting) (supervisor.Forgetting, error)
	Open(ctx context.Context) ([]supervisor.Forgetting, error)
	Count(ctx context.Context, f supervisor.Forgetting) (supervisor.ForgetCounts, error)
	Forget(ctx context.Context, f supervisor.Forgetting) (supervisor.ForgottenPiece, error)
	ForgetBytes(ctx context.Context, user string, remove func(sha256 string) error) error
	Done(ctx context.Context, f supervisor.Forgetting) error
}

// HomeTurns keeps of which turns that are forgotten something may stand in homes.
type HomeTurns interface {
	// InHome has each get what may stand in the home of what is to be forgotten.
	InHome(ctx context.Context, f supervisor.Forgetting, each func(protocol.MemoryExchanges) error) error
	// LeftInHome is what may still stand there of some turns that are forgotten; GoneFromHome keeps
	// that it does not.
	LeftInHome(ctx context.Context, user string) (protocol.MemoryExchanges, error)
	GoneFromHome(ctx context.Context, user string, turns []int64) error
}

// Home is what people have in their homes, which their workers see to.
type Home interface {
	// Of counts what stands in a person's home of some turns: Facts, Notes and Logged. With gone it
	// is taken out.
	Of(ctx context.Context, user string, of protocol.MemoryExchanges, gone bool) (supervisor.ForgetCounts, error)
}

// Memories are the facts of people. Errors are for the person.
type Memories interface {
	See(ctx context.Context, user string, p protocol.MemoryParameters) (protocol.MemoryResult, error)
	// Mentions counts the rows of the service in which the words of a fact stand, by table.
	Mentions(ctx context.Context, user string, f protocol.MemoryFact) (map[string]int64, error)
}

// Index finds again what was said.
type Index interface {
	// RemoveMessages has messages not be found any more that are gone from the transcript.
	RemoveMessages(ctx context.Context, user string, ids []int64) error
}

// People are those whom the configuration in force knows.
type People interface {
	Names() []string
	Find(name string) (u supervisor.User, ok bool)
}

// Options are what a Forgetter works on.
type Options struct {
	Store     Store
	Index     Index
	Home      Home
	Turns     HomeTurns
	Facts     sqlite.Memories // of forgotten facts of which words may stand elsewhere than in MEMORY.md
	Memories  Memories
	FactPress func(fact string) string // the press of a button that forgets a fact
	People    People
	Now       func() time.Time
	Remove    func(sha256 string) error // takes bytes out of the spool
	Audit     func(user, action, detail string)
	Log       hclog.Logger
}

// Forgetter takes out what people want to be forgotten. It may be used from several goroutines.
type Forgetter struct {
	o    Options
	wake chan struct{} // holds a token when something waits

	working sync.Mutex // held by whoever takes something out
}

// New makes a Forgetter; Run goes on with what an earlier run has left.
func New(o Options) *Forgetter { return &Forgetter{o: o, wake: make(chan struct{}, 1)} }

// Feature is what it adds to the service.
func (g *Forgetter) Feature() feature.Feature {
	return feature.Feature{Name: "forget", Commands: g.commands(), Parts: []feature.Part{{Name: "forget", Run: g.Run}}}
}

// Count says how much there is to be forgotten.
func (g *Forgetter) Count(ctx context.Context, f supervisor.Forgetting) (supervisor.ForgetCounts, error) {
	counts, err := g.o.Store.Count(ctx, f)
	if err != nil {
		return counts, err
	}
	return counts, g.o.Turns.InHome(ctx, f, func(of protocol.MemoryExchanges) error {
		more, err := g.o.Home.Of(ctx, f.User, of, false)
		counts = counts.Plus(more)
		return err
	})
}

// Forget takes out what a person wants to be forgotten, and says what that was. What is not
// answered or delivered yet goes once it is. The same wish again goes on with it.
func (g *Forgetter) Forget(ctx context.Context, f supervisor.Forgetting) (supervisor.ForgetCounts, error) {
	f, err := g.o.Store.Put(ctx, f)
	if err == nil && !f.Ended {
		f, err = g.work(ctx, f)
		g.Wake() // something may be left
	}
	return f.Counts, err
}

// ForgetFacts takes the words of a person's forgotten facts out of what is kept of them, but for
// what they have said. What runs, or is not answered or delivered yet, keeps them until it is.
func (g *Forgetter) ForgetFacts(ctx context.Context, user string) error {
	left, err := g.blankFacts(ctx, user)
	if left > 0 {
		g.Wake()
	}
	return err
}

func (g *Forgetter) blankFacts(ctx context.Context, user string) (left int, err error) {
	g.working.Lock()
	defer g.working.Unlock()
	return g.o.Facts.BlankFacts(ctx, user, g.o.Index.RemoveMessages)
}

// Wake has Run look for what is to be forgotten.
func (g *Forgetter) Wake() { signals.Send(g.wake) }

// again is after how long what waits is looked at anew.
const again = 10 * time.Second

// expireEvery is how often what is too old is looked for.
const expireEvery = 24 * time.Hour

// Run takes out what is left, at the start and as what it waited for is done, until ctx ends. At
// the start and once a day it takes out what is too old.
func (g *Forgetter) Run(ctx context.Context) error {
	day := time.NewTicker(expireEvery)
	defer day.Stop()
	g.expire(ctx)
	for ctx.Err() == nil {
		var later <-chan time.Time
		open, err := g.o.Store.Open(ctx)
		for _, f := range open {
			if err == nil {
				_, err = g.work(ctx, f)
			}
		}
		left, failed := g.blankFacts(ctx, "")
		if err = errors.Join(err, failed); err != nil && ctx.Err() == nil {
			g.o.Log.Warn("forget what people want to be forgotten", "error", err)
		}
		if len(open)+left > 0 || err != nil {
			later = time.After(again)
		}
		select {
		case <-ctx.Done():
		case <-g.wake:
		case <-later:
		case <-day.C:
			g.expire(ctx)
		}
	}
	return nil
}

// expire takes out what is older than the configuration keeps of each person. What waits, or fails,
// is left for the next day.
func (g *Forgetter) expire(ctx context.Context) {
	for _, name := range g.o.People.Names() {
		u, known := g.o.People.Find(name)
		if !known || u.History == 0 {
			continue
		}
		f := supervisor.Forgetting{User: name, Since: time.Unix(0, 0), Until: g.o.Now().AddDate(0, 0, -u.History), Expired: true}
		if _, err := g.work(ctx, f); err != nil && ctx.Err() == nil {
			g.o.Log.Warn("take out what is too old", "user", name, "error", err)
		}
	}
}

// work takes out what may be taken out now.
func (g *Forgetter) work(ctx context.Context, f supervisor.Forgetting) (supervisor.Forgetting, error) {
	g.working.Lock()
	defer g.working.Unlock()
	p, err := g.o.Store.Forget(ctx, f)
	if err == nil {
		err = g.o.Index.RemoveMessages(ctx, f.User, p.Messages)
	}
	if err == nil && !f.Expired {
		p.Counts, err = g.clearHome(ctx, p.Forgetting)
	}
	if err == nil {
		err = g.o.Store.ForgetBytes(ctx, f.User, g.o.Remove)
	}
	changed := p.Counts != f.Counts || p.Counts.Waiting == 0
	if f = p.Forgetting; err != nil || !changed {
		return f, err
	}
	action := "forgotten"
	if f.Expired {
		action = "expired"
	}
	if err = g.o.Store.Done(ctx, f); err == nil && (!f.Expired || f.Counts != supervisor.ForgetCounts{Waiting: f.Counts.Waiting}) {
		g.o.Audit(f.User, action, fmt.Sprintf("%d messages, %d answers, %d results; %d wait", f.Counts.Messages, f.Counts.Answers, f.Counts.Results, f.Counts.Waiting))
	}
	return f, err
}

// clearHome takes out of a person's home what came of turns that are forgotten, and adds that to
// what is gone.
func (g *Forgetter) clearHome(ctx context.Context, f supervisor.Forgetting) (supervisor.ForgetCounts, error) {
	for {
		of, err := g.o.Turns.LeftInHome(ctx, f.User)
		if err != nil || len(of.Turns) == 0 {
			return f.Counts, err
		}
		gone, err := g.o.Home.Of(ctx, f.User, of, true)
		if f.Counts = f.Counts.Plus(gone); err == nil {
			err = g.o.Turns.GoneFromHome(ctx, f.User, of.Turns)
		}
		if err != nil {
			return f.Counts, err
		}
	}
}
