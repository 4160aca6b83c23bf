// Package sqlite keeps what the service must not lose: conversations, what people sent, turns, the
// transcript, the ledger of effects, and what is still to be delivered. It is the only package with
// SQL over that database.
//
// Each table has a store, and a file of its name; the files of a feature begin with the feature's.
// What must happen together in several tables is one method with one struct: no transaction leaves
// the package, and no text for a person is made in it. What is to be decided or said within a
// transaction is asked of the Policies that Open was given.
//
// When a method that writes has returned nil, what it wrote survives the end of the process and a
// loss of power.
package sqlite

import (
	"context"
	"embed"
	"encoding/json"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/internal/engine"
)

// migrations are numbered without a gap from 0001 on; a file's number is the schema version that it
// leads to. Once released a file is never changed: what differs is a new file.
//
//go:embed migration/*.sql
var migrations embed.FS

// Options are what a DB needs from outside. The zero value works.
type Options struct {
	Now func() time.Time // nil is time.Now
	Log hclog.Logger     // nil logs nothing
	// EndsTurn are the names of the commands that end a turn or part what comes behind them from it
	// (SlashCommand.EndsTurn).
	EndsTurn []string

	Committed func() // called after each commit, before anybody is told of it; nil is nothing
	// Said is called once something that was said in a conversation of a person's is on disk; nil
	// is nothing. It must not wait.
	Said func(user string, conversation int64)
	// Zone says by which time zone a person's messages are dated, of whom chosen is the one that
	// they have chosen themselves, or "". It must not wait. nil: messages are not dated.
	Zone func(user, chosen string) *time.Location
	// What a transaction does not need may be left out.
	Policies Policies

	vfs string // tests count with another one
}

// DB is an open database. Its methods may be called from any goroutine; those that write wait until
// Run has begun.
type DB struct {
	engine    *engine.DB
	endsTurn  string // a JSON array of names
	said      func(user string, conversation int64)
	zone      func(user, chosen string) *time.Location
	policies  Policies
	questions chan struct{} // holds a token when one has changed
}

// Open opens the database at path, makes it if it is not there, and brings its schema up to date.
// It refuses a file system of another machine, an SQLite with known defects, a schema newer than
// this program, and a damaged file. It locks the file: no other program can open it until Close,
// which the caller calls.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	names, _ := json.Marshal(append([]string{}, o.EndsTurn...)) // strings always can be
	e, err := engine.Open(ctx, path, engine.Options{Now: o.Now, Log: o.Log, Migrations: migrations, VFS: o.vfs,
		Committed: o.Committed})
	if err != nil {
		return nil, wrap(err, "open the database %s", path)
	}
	if o.Said == nil {
		o.Said = func(string, int64) {}
	}
	return &DB{e, string(names), o.Said, o.Zone, o.Policies, make(chan struct{}, 1)}, nil
}

// Run writes until ctx ends. Then it finishes the writes that wait, marks the database as properly
// closed and returns; writes that come later are refused. It may be called once. An error means
// that the database is damaged.
func (db *DB) Run(ctx context.Context) error { return explain(db.engine.Run(ctx)) }

// Close closes the database. It is called after Run has returned, or instead of Run.
func (db *DB) Close() error { return db.engine.Close() }

// Inspect gives the engine to sqlitetest, which looks at rows that no store shows. Nobody outside
// of this folder can name what it takes.
func (db *DB) Inspect(fn func(*engine.DB)) { fn(db.engine) }

// Conversations are where people talk.
func (db *DB) Conversations() Conversations { return Conversations{db} }

// Inbox is what people sent.
func (db *DB) Inbox() Inbox { return Inbox{db} }

// Turns are what is done about it.
func (db *DB) Turns() Turns { return Turns{db} }

// Transcript is what was said, as the model sees it.
func (db *DB) Transcript() Transcript { return Transcript{db} }

// Outbox is what people are to be told.
func (db *DB) Outbox() Outbox { return Outbox{db} }

// Posts are the messages in a channel's chats that show it to them.
func (db *DB) Posts() Posts { return Posts{db} }

// Cleanings are what is to be done to messages there.
func (db *DB) Cleanings() Cleanings { return Cleanings{db} }

// Blobs says whose the bytes in the spool are.
func (db *DB) Blobs() Blobs { return Blobs{db} }

// Usage is what the calls of models have counted, and what they cost.
func (db *DB) Usage() Usage { return Usage{db} }

// Settings are what people have chosen while the service runs.
func (db *DB) Settings() Settings { return Settings{db} }

// Audit is who did what, and when.
func (db *DB) Audit() Audit { return Audit{db} }

// Access is who may speak, and how they prove that it is they.
func (db *DB) Access() Access {
	return Access{People{db}, Bindings{db}, Groups{db}, Invites{db}, Factors{db}, Logins{db}}
}
