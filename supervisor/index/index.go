// Package index searches messages and files of homes. It has a database of its own, which can be
// rebuilt at any time: it is in no backup, and a damaged database is set aside.
//
// A commit does not wait for the disk, so a power cut may lose up to 256 KiB of the newest commits.
// The next start compares the index with the transcript and repairs the difference; each user's
// worker does the same for its home when it starts.
//
// The index reads the transcript in the background, with a cursor for each conversation. Workers
// report the homes. The words of each user are in a table of their own, and each statement names
// the user.
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

// Transcript reads messages. Each call names a user, and finds only messages of that user.
type Transcript interface {
	// ListConversations lists a user's conversations.
	ListConversations(ctx context.Context, user string) ([]int64, error)
	// ListDialogMessages lists the messages of the user and the assistant after an id, in order. It
	// leaves out messages of tools.
	ListDialogMessages(ctx context.Context, user string, conversation, after int64,
		limit int) ([]supervisor.DialogMessage, error)
	// MessageSizes returns the bytes of each message after an id, up to and including last.
	MessageSizes(ctx context.Context, user string, conversation, after, last int64) (map[int64]int64, error)
	// CountDialogMessages counts the messages after an id.
	CountDialogMessages(ctx context.Context, user string, conversation, after int64) (int64, error)
}

// Embedder turns texts of a user into vectors, at the user's cost.
type Embedder interface {
	// Embed returns a vector for each text, all of one length. If the model fails, the error is a
	// *modelcall.Error.
	Embed(ctx context.Context, user string, texts []string) ([][]float32, error)
}

// Options configures an Index.
type Options struct {
	Path       string
	Transcript Transcript
	People     func() []string // returns the users whose conversations are read at the start
	// OnOpen is called after each opening, when the index takes reports of homes. It must not
	// block, and may be nil.
	OnOpen   func()
	Embedder Embedder // makes vectors for searches by meaning; nil means a search by words only
	// Model names the Embedder's model. Vectors of different models are never compared.
	Model string
	Now   func() time.Time // returns the current time; nil means time.Now
	Log   hclog.Logger     // log of the index; nil means no log
}

// Index is the search index. Its methods may be called from any goroutine. A search finds nothing
// before Run has opened the database.
type Index struct {
	o Options
	// wake holds a token if changed is not empty or the database is damaged.
	wake      chan struct{}
	embedWake chan struct{} // holds a token if sections may need vectors

	mu       sync.Mutex // guards the following fields
	db       *engine.DB // the open database; nil while the index is closed
	ready    bool       // whether the database was compared with the transcript and can be searched
	damaged  error      // reason why the database must be rebuilt
	full     bool       // whether the disk was full at the last write
	changed  map[chat]bool
	progress map[string]progress // progress of the users whose messages are still being read
	pauses   map[string]pause    // pauses in making vectors, by user
	queries  map[string][]byte   // vectors of queries, by the digests of their texts
}

// chat is a user's conversation.
type chat struct {
	user string
	id   int64
}

// New makes an index, which Run opens.
func New(o Options) *Index {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	return &Index{o: o, wake: make(chan struct{}, 1), embedWake: make(chan struct{}, 1), changed: map[chat]bool{},
		progress: map[string]progress{}, pauses: map[string]pause{}, queries: map[string][]byte{}}
}

// Run opens the index and reads messages into it until ctx ends. It rebuilds a damaged index. It
// always returns nil, because the rest of Mews works without an index; searches then find nothing.
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
			retry.Sleep(ctx, retryAfter)
		}
	}
	return nil
}

// retryAfter is how long Run waits after a failure to open or rebuild the index, and after a failed
// write.
const retryAfter = 30 * time.Second

// serve opens the database and reads the transcript into it until ctx ends or the database fails.
func (x *Index) serve(ctx context.Context) (err error) {
	db, err := engine.Open(ctx, x.o.Path, engine.Options{Now: x.o.Now, Log: x.o.Log, Migrations: migrations,
		Rebuildable: true, Extend: x.extend})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	written := make(chan error, 1)
	go func() { // serve waits below until this goroutine has ended
		defer cancel()
		written <- db.Run(ctx)
	}()
	x.setDB(db)
	embedded := make(chan struct{})
	go func() { // serve waits below until this goroutine has ended
		defer close(embedded)
		x.embed(ctx)
	}()
	err = x.feed(ctx)
	cancel()
	<-embedded
	err = cmp.Or(<-written, err)
	x.setDB(nil)
	return errors.Join(err, db.Close())
}

// extend adds the functions that the index's SQL uses to a connection.
func (x *Index) extend(conn *sqlite3.Conn) error {
	err := fts5.Register(conn)
	if err == nil && x.o.Embedder != nil {
		err = vec1.Register(conn)
	}
	return err
}

// setDB makes db the database of all methods; nil removes it.
func (x *Index) setDB(db *engine.DB) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.db, x.ready, x.damaged = db, false, nil
}

// openDB returns the database, or nil while it is closed.
func (x *Index) openDB() *engine.DB {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.db
}

// reconciledDB returns the database once it takes reports of homes, and nil before that. (Opening
// deletes sections without a file, which would delete newly reported ones.)
func (x *Index) reconciledDB() *engine.DB {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.ready {
		return nil
	}
	return x.db
}

// errNotOpen is the error of a write while the database is closed.
var errNotOpen = errors.New("the index is not open yet")

// write runs fn in a transaction. The arguments format and args describe the action in errors.
func (x *Index) write(ctx context.Context, fn func(*tx) error, format string, args ...any) error {
	db := x.openDB()
	if db == nil {
		return errNotOpen
	}
	err := db.Write(ctx, func(t *engine.Tx) error { return fn(&tx{t, x.o.Embedder != nil}) })
	x.mu.Lock()
	x.full = isFull(err)
	x.mu.Unlock()
	signals.SendToken(x.embedWake)
	return x.explain(err, format, args...)
}

// explain adds the attempted action to an error. If the database is damaged, it also makes feed
// return, so that Run rebuilds the database.
func (x *Index) explain(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf(format+": %w", append(args, err)...)
	if rebuildable(err) {
		x.mu.Lock()
		x.damaged = err
		x.mu.Unlock()
		signals.SendToken(x.wake)
	}
	return err
}
