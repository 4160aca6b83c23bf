// Package forget is the feature that deletes the data that users want forgotten. It deletes their
// messages, the answers and effects of these messages, and all copies of this data.
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

// Store stores requests to forget, and deletes the rows that the requests cover. Rows that are
// still in use are deleted later.
type Store interface {
	Put(ctx context.Context, f supervisor.ForgetRequest) (supervisor.ForgetRequest, error)
	ListUnfinished(ctx context.Context) ([]supervisor.ForgetRequest, error)
	CountMatches(ctx context.Context, f supervisor.ForgetRequest) (supervisor.ForgetCounts, error)
	ForgetNextPart(ctx context.Context, f supervisor.ForgetRequest) (supervisor.ForgetStepResult, error)
	ListChangedFiles(ctx context.Context, f supervisor.ForgetRequest) (supervisor.ChangedFiles, error)
	RemoveForgottenBlobs(ctx context.Context, user string, remove func(sha256 string) error) error
	PutProgress(ctx context.Context, f supervisor.ForgetRequest) error
}

// ForgottenTurns records forgotten turns whose data may still be in a home.
type ForgottenTurns interface {
	// WalkForgottenTurns passes to each the turns of a request whose data may be in the home.
	WalkForgottenTurns(ctx context.Context, f supervisor.ForgetRequest, each func(protocol.TurnDataQuery) error) error
	// FindTurnsLeftInHome returns the forgotten turns whose data may still be in the home.
	// MarkTurnsGoneFromHome records that it was deleted.
	FindTurnsLeftInHome(ctx context.Context, user string) (protocol.TurnDataQuery, error)
	MarkTurnsGoneFromHome(ctx context.Context, user string, turns []int64) error
}

// HomeDataDeleter deletes data in users' homes, by the users' workers.
type HomeDataDeleter interface {
	// CountOrDeleteTurnData counts the entries of some turns in a home. Entries are facts, notes
	// and logged exchanges. If gone is true, it also deletes them.
	CountOrDeleteTurnData(ctx context.Context, user string, of protocol.TurnDataQuery,
		gone bool) (supervisor.ForgetCounts, error)
}

// Memories reads the facts of users. Its errors are for the user.
type Memories interface {
	RunAction(ctx context.Context, user string, p protocol.MemoryParameters) (protocol.MemoryResult, error)
	// CountMentions counts the rows that contain the words of a fact, by table.
	CountMentions(ctx context.Context, user string, f protocol.MemoryFact) (map[string]int64, error)
}

// Index is the search index.
type Index interface {
	// RemoveMessages removes messages from the index. They were deleted from the transcript before.
	RemoveMessages(ctx context.Context, user string, ids []int64) error
}

// DatabaseCopies are the copies of the database that were made before migrations.
type DatabaseCopies interface {
	List() ([]string, error)
	Delete() (int, error)
}

// People are the users in the current configuration.
type People interface {
	Names() []string
	Find(name string) (u supervisor.User, ok bool)
}

// Options are the dependencies of a Forgetter.
type Options struct {
	Store    Store
	Index    Index
	Home     HomeDataDeleter
	Turns    ForgottenTurns
	Facts    sqlite.Memories // the forgotten facts whose words may still be in the database
	Memories Memories
	Versions Versions // nil means that there are no earlier versions of files
	// HistoryLeft returns the end of an answer about earlier versions of a user's files that can't
	// be deleted. "" means that this user has none, and nil that nobody has.
	HistoryLeft func(user string) string
	Copies      DatabaseCopies           // nil means that there are no copies
	FactPress   func(fact string) string // returns the press of a button that forgets a fact
	People      People
	Now         func() time.Time
	Remove      func(sha256 string) error // deletes a blob from the spool
	// Requested records a user's request beside the backups, so that a restore can repeat it; nil
	// does nothing.
	Requested func(f supervisor.ForgetRequest)
	Audit     func(user, action, detail string)
	Log       hclog.Logger
}

// Forgetter deletes the data that users want forgotten. Several goroutines may use it.
type Forgetter struct {
	o    Options
	wake chan struct{} // holds a token if there may be data to delete

	working sync.Mutex // locked while data is deleted
}

// New makes a Forgetter. Its Run continues requests of an earlier process.
func New(o Options) *Forgetter { return &Forgetter{o: o, wake: make(chan struct{}, 1)} }

// Feature returns the feature with the command /forget and the part that calls Run.
func (g *Forgetter) Feature() feature.Feature {
	return feature.Feature{Name: "forget", Commands: g.commands(), Parts: []feature.Part{{Name: "forget", Run: g.Run}}}
}

// Count counts the data that Forget would delete.
func (g *Forgetter) Count(ctx context.Context, f supervisor.ForgetRequest) (supervisor.ForgetCounts, error) {
	counts, err := g.o.Store.CountMatches(ctx, f)
	if err != nil {
		return counts, err
	}
	return counts, g.o.Turns.WalkForgottenTurns(ctx, f, func(of protocol.TurnDataQuery) error {
		more, err := g.o.Home.CountOrDeleteTurnData(ctx, f.User, of, false)
		counts = counts.Add(more)
		return err
	})
}

// Forget deletes the data that a request covers, and returns the counts. Data of unanswered
// messages and undelivered answers is deleted later by Run. A repeated request continues the first
// one.
func (g *Forgetter) Forget(ctx context.Context, f supervisor.ForgetRequest) (supervisor.ForgetCounts, error) {
	f, err := g.o.Store.Put(ctx, f)
	if err == nil && g.o.Requested != nil {
		g.o.Requested(f)
	}
	if err == nil && !f.Ended {
		f, err = g.deleteReady(ctx, f)
		g.Wake() // so that Run later deletes the rows that are in use now
	}
	return f.Counts, err
}

// ForgetFacts deletes the words of a user's forgotten facts from the database. The user's own
// messages keep these words. Rows of running turns and undelivered messages still have the words.
// Run deletes them when the turns and messages are done.
func (g *Forgetter) ForgetFacts(ctx context.Context, user string) error {
	if _, err := g.deleteCopies(); err != nil {
		return err
	}
	left, err := g.blankFacts(ctx, user)
	if left > 0 {
		g.Wake()
	}
	return err
}

// deleteCopies deletes the copies of the database, because they contain the data to forget. It
// returns their number.
func (g *Forgetter) deleteCopies() (int64, error) {
	if g.o.Copies == nil {
		return 0, nil
	}
	n, err := g.o.Copies.Delete()
	return int64(n), err
}

// countCopies returns the number of copies that Forget would delete.
func (g *Forgetter) countCopies() (int64, error) {
	if g.o.Copies == nil {
		return 0, nil
	}
	list, err := g.o.Copies.List()
	return int64(len(list)), err
}

func (g *Forgetter) blankFacts(ctx context.Context, user string) (left int, err error) {
	g.working.Lock()
	defer g.working.Unlock()
	return g.o.Facts.EraseFactWords(ctx, user, g.o.Index.RemoveMessages)
}

// Wake tells Run that there may be data to delete.
func (g *Forgetter) Wake() { signals.SendToken(g.wake) }

// retryEvery is the pause before Run tries again to delete rows that were in use.
const retryEvery = 10 * time.Second

// expireEvery is the interval at which Run deletes expired messages.
const expireEvery = 24 * time.Hour

// Run continues unfinished requests until ctx ends. It does that at its start, and when Wake is
// called. At its start and once a day, it deletes messages that are older than the configuration
// allows.
func (g *Forgetter) Run(ctx context.Context) error {
	day := time.NewTicker(expireEvery)
	defer day.Stop()
	g.expire(ctx)
	for ctx.Err() == nil {
		var later <-chan time.Time
		open, err := g.o.Store.ListUnfinished(ctx)
		for _, f := range open {
			if err == nil {
				_, err = g.deleteReady(ctx, f)
			}
		}
		left, failed := g.blankFacts(ctx, "")
		if err = errors.Join(err, failed); err != nil && ctx.Err() == nil {
			g.o.Log.Warn("forget", "error", err)
		}
		if len(open)+left > 0 || err != nil {
			later = time.After(retryEvery)
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

// expire deletes each user's messages that are older than the configuration allows. A row that is
// in use or can't be deleted waits for the next day.
func (g *Forgetter) expire(ctx context.Context) {
	for _, name := range g.o.People.Names() {
		u, known := g.o.People.Find(name)
		if !known || u.History == 0 {
			continue
		}
		f := supervisor.ForgetRequest{User: name, Since: time.Unix(0, 0), Until: g.o.Now().AddDate(0, 0, -u.History),
			Expired: true}
		if _, err := g.deleteReady(ctx, f); err != nil && ctx.Err() == nil {
			g.o.Log.Warn("delete what is too old", "user", name, "error", err)
		}
	}
}

// deleteReady deletes the data of a request that is not in use now. The copies of the database are
// deleted first. For expired messages they stay, because copies expire by themselves.
func (g *Forgetter) deleteReady(ctx context.Context, f supervisor.ForgetRequest) (supervisor.ForgetRequest, error) {
	g.working.Lock()
	defer g.working.Unlock()
	if !f.Expired {
		n, err := g.deleteCopies()
		if err != nil {
			return f, err
		}
		f.Counts.Copies += n
	}
	p, err := g.o.Store.ForgetNextPart(ctx, f)
	if err == nil {
		err = g.o.Index.RemoveMessages(ctx, f.User, p.Messages)
	}
	if err == nil && !f.Expired {
		p.Counts, err = g.clearHome(ctx, p.ForgetRequest)
	}
	if err == nil {
		err = g.o.Store.RemoveForgottenBlobs(ctx, f.User, g.o.Remove)
	}
	changed := p.Counts != f.Counts || p.Counts.Waiting == 0
	if f = p.ForgetRequest; err != nil || !changed {
		return f, err
	}
	action := "forgotten"
	if f.Expired {
		action = "expired"
	}
	if err = g.o.Store.PutProgress(ctx, f); err == nil && (!f.Expired ||
		f.Counts != supervisor.ForgetCounts{Waiting: f.Counts.Waiting}) {
		g.o.Audit(f.User, action, fmt.Sprintf("%d messages, %d answers, %d results; %d wait", f.Counts.Messages, f.Counts.Answers, f.Counts.Results, f.Counts.Waiting))
	}
	return f, err
}

// clearHome deletes the data of forgotten turns from a user's home. It adds the counts to those of
// f.
func (g *Forgetter) clearHome(ctx context.Context, f supervisor.ForgetRequest) (supervisor.ForgetCounts, error) {
	for {
		of, err := g.o.Turns.FindTurnsLeftInHome(ctx, f.User)
		if err != nil || len(of.Turns) == 0 {
			return f.Counts, err
		}
		gone, err := g.o.Home.CountOrDeleteTurnData(ctx, f.User, of, true)
		if f.Counts = f.Counts.Add(gone); err == nil {
			err = g.o.Turns.MarkTurnsGoneFromHome(ctx, f.User, of.Turns)
		}
		if err != nil {
			return f.Counts, err
		}
	}
}
