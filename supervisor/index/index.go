// Package index searches what was said and what the files of homes hold. It keeps a database of its
// own, which can be made anew at any time: it is in no backup, and a damaged one is set aside.
//
// A commit does not wait for the disk, so a power cut may lose up to 256 KiB of the newest ones.
// The next start compares the index with the transcript and mends the difference; each person's
// worker does the same for their home as it starts.
//
// The index reads the transcript in the background, with a cursor for each conversation. It is told
// what homes hold. The words of each person are in a table of their own, and each statement names
// the person.
package index

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/ncruces/go-sqlite3/ext/vec1"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
)

//go:embed migration/*.sql
var migrations embed.FS

// Transcript is what was said. Each question names a person; for them, another person's
// conversation has no messages.
type Transcript interface {
	// Conversations lists a person's conversations.
	Conversations(ctx context.Context, user string) ([]int64, error)
	// Said lists the messages after one, in order: what the person said and was answered, and
	// nothing of tools.
	Said(ctx context.Context, user string, conversation, after int64, limit int) ([]supervisor.SaidMessage, error)
	// Sizes gives the size in bytes of each message after one, up to and including last.
	Sizes(ctx context.Context, user string, conversation, after, last int64) (map[int64]int64, error)
	// CountSaid counts the messages after one.
	CountSaid(ctx context.Context, user string, conversation, after int64) (int64, error)
}

// Embedder turns texts of a person's into vectors, which they pay for.
type Embedder interface {
	// Embed gives a vector for each text, all of one length. Where the model fails, the error is a
	// *modelcall.Error.
	Embed(ctx context.Context, user string, texts []string) ([][]float32, error)
}

// Options are what an Index needs from outside.
type Options struct {
	Path       string
	Transcript Transcript
	People     func() []string // whose conversations are read at the start
	// called each time the index has opened and may be told of homes; must not block; nil: not
	// called
	Opened   func()
	Embedder Embedder // nil: sections are found by their words alone
	// the Embedder's model: vectors of different models are not compared
	Model string
	Now   func() time.Time // nil is time.Now
	Log   hclog.Logger     // nil logs nothing
}

// Index is the full-text index. Its methods may be called from any goroutine. Until Run has opened
// the database, nothing is found.
type Index struct {
	o Options
	// holds a token when there is something in changed, or the database is damaged
	wake      chan struct{}
	embedWake chan struct{} // holds a token when sections may await their vectors

	mu       sync.Mutex // guards what follows
	db       *engine.DB // nil while there is none
	ready    bool       // it has been compared with the transcript, so it may be searched
	damaged  error      // why it is to be made anew
	full     bool       // the disk was full at the last write
	changed  map[chat]bool
	progress map[string]progress // of the people whose messages are still being read
	pauses   map[string]pause    // by person
	queries  map[string][]byte   // vectors of queries, by the digests of their texts
}

// chat is a person's conversation.
type chat struct {
	user string
	id   int64
}

// New makes an index, which is opened by Run.
func New(o Options) *Index {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	return &Index{o: o, wake: make(chan struct{}, 1), embedWake: make(chan struct{}, 1), changed: map[chat]bool{},
		progress: map[string]progress{}, pauses: map[string]pause{}, queries: map[string][]byte{}}
}

// Run opens the index and reads what is said into it until ctx ends. It makes a damaged index anew.
// It always returns nil: without an index nothing is found, and everything else goes on.
func (x *Index) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := x.serve(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if rebuildable(err) {
			x.o.Log.Warn("the index is set aside, and made anew from the messages and files", "error", err)
			err = setAside(x.o.Path, x.o.Now())
		}
		if err != nil {
			x.o.Log.Warn("the index can't be used for now", "error", err)
			retry.Wait(ctx, retryAfter)
		}
	}
	return nil
}

// retryAfter is how long Run waits after it could not open the index or make it anew, and after a
// write that failed.
const retryAfter = 30 * time.Second

// serve opens the database and reads the transcript into it until ctx ends or something is wrong
// with it.
func (x *Index) serve(ctx context.Context) (err error) {
	db, err := engine.Open(ctx, x.o.Path, engine.Options{Now: x.o.Now, Log: x.o.Log, Migrations: migrations,
		Rebuildable: true, Extend: x.extend})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	written := make(chan error, 1)
	go func() { // waited for below
		defer cancel()
		written <- db.Run(ctx)
	}()
	x.use(db)
	embedded := make(chan struct{})
	go func() { // waited for below
		defer close(embedded)
		x.embed(ctx)
	}()
	err = x.feed(ctx)
	cancel()
	<-embedded
	err = cmp.Or(<-written, err)
	x.use(nil)
	return errors.Join(err, db.Close())
}

// extend gives a connection the functions that the index's statements need.
func (x *Index) extend(conn *sqlite3.Conn) error {
	err := fts5.Register(conn)
	if err == nil && x.o.Embedder != nil {
		err = vec1.Register(conn)
	}
	return err
}

// use makes db the database of all methods; nil takes it away.
func (x *Index) use(db *engine.DB) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.db, x.ready, x.damaged = db, false, nil
}

// opened is the database, nil while there is none.
func (x *Index) opened() *engine.DB {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.db
}

// reconciled is the database once it may be told of homes, nil until then. (Opening drops sections
// that no file has, which would drop newly told ones.)
func (x *Index) reconciled() *engine.DB {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.ready {
		return nil
	}
	return x.db
}

// errNotOpen is the error of a write while there is no database.
var errNotOpen = errors.New("the index is not open yet")

// write runs fn in a transaction. format and args say in an error what was attempted.
func (x *Index) write(ctx context.Context, fn func(*tx) error, format string, args ...any) error {
	db := x.opened()
	if db == nil {
		return errNotOpen
	}
	err := db.Write(ctx, func(t *engine.Tx) error { return fn(&tx{t, x.o.Embedder != nil}) })
	x.mu.Lock()
	x.full = isFull(err)
	x.mu.Unlock()
	signals.Send(x.embedWake)
	return x.explain(err, format, args...)
}

// explain adds to an error what was attempted. Where the database is damaged it has feed return, so
// that Run makes it anew.
func (x *Index) explain(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf(format+": %w", append(args, err)...)
	if rebuildable(err) {
		x.mu.Lock()
		x.damaged = err
		x.mu.Unlock()
		signals.Send(x.wake)
	}
	return err
}
