// Package sqlite is the database of the service: conversations, inbounds, turns, the transcript,
// the ledger of effects, and the outbox. It is the only package with SQL over that database.
//
// Each table has a store and a file of its name. The files of a feature begin with the feature's
// name. If several tables must change together, one method changes them: no transaction leaves the
// package. The package makes no text for users. Decisions and texts within a transaction come from
// the Policies that Open gets.
//
// When a writing method has returned nil, its data survives the end of the process and a loss of
// power.
package sqlite

import (
	"context"
	"embed"
	"encoding/json"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor/internal/engine"
)

// migrations holds the SQL files that update the schema. They are numbered from 0001 without a gap.
// The number of a file is the schema version after it. A released file never changes: further
// changes need a new file.
//
//go:embed migration/*.sql
var migrations embed.FS

// newSchema holds the statements for a new database. Their result is that of all migrations, which
// a test checks: `go test ./supervisor/sqlite -run TestNewSchema -update` writes the file.
//
//go:embed schema.sql
var newSchema string

// Options configures a DB. The zero value works.
type Options struct {
	Now func() time.Time // returns the current time; nil means time.Now
	Log hclog.Logger     // log for errors; nil means no log
	// EndsTurn lists the commands that end a turn, or separate later texts from the turn
	// (SlashCommand.EndsTurn).
	EndsTurn []string

	OnCommit func() // called after each commit, before the writers return; nil means no call
	// OnStatement is called before each run of a statement. It must not wait. nil means no call.
	OnStatement func()
	// OnMessage is called after a message of a user's conversation was stored. It must not wait.
	// nil means no call.
	OnMessage func(user string, conversation int64)
	// Zone returns the time zone for the times of a user's messages. The argument chosen is the
	// user's own choice, or "". Zone must not wait. nil means that messages have no times.
	Zone func(user, chosen string) *time.Location
	// Policies of the features. A policy that no transaction needs may be missing.
	Policies    Policies
	WithoutCopy bool // Open makes no copy of the database before a migration
	MustExist   bool // Open refuses a missing or empty file instead of making a new database
	RefuseOlder bool // Open refuses a database that needs migrations
	// If the database can't be opened for writing, Open opens it for reading. Writers then return
	// the reason.
	ReadOnlyIfUnwritable bool
	// Open accepts a database whose schema differs from this program's
	AllowDifferences bool

	vfs string // SQLite's VFS; tests set a VFS that counts system calls
}

// DB is an open database. Its methods may be called from any goroutine; writing methods wait until
// Run has begun.
type DB struct {
	engine    *engine.DB
	endsTurn  string // names of the commands that end a turn, as a JSON array
	said      func(user string, conversation int64)
	zone      func(user, chosen string) *time.Location
	policies  Policies
	settings  settingsCache
	questions chan struct{} // holds a token after a question has changed
}

// Open opens or creates the database at path and updates its schema. It refuses a network file
// system, an SQLite with known defects, the schema of a newer or another program, and a damaged
// file. It locks the file: no other program can open the file until Close, which the caller must
// call.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	names, _ := json.Marshal(append([]string{}, o.EndsTurn...)) // strings can always be encoded, so there is no error
	e, err := engine.Open(ctx, path, engine.Options{Now: o.Now, Log: o.Log, Migrations: migrations,
		NewSchema: newSchema, VFS: o.vfs, OnCommit: o.OnCommit, OnStatement: o.OnStatement, KnownSchemas: knownSchemas,
		KeepCopy:  !o.WithoutCopy,
		MustExist: o.MustExist, RefuseOlder: o.RefuseOlder, AllowDifferences: o.AllowDifferences,
		ReadOnlyIfUnwritable: o.ReadOnlyIfUnwritable})
	if err != nil {
		return nil, wrap(err, "open the database %s", path)
	}
	if o.OnMessage == nil {
		o.OnMessage = func(string, int64) {}
	}
	return &DB{engine: e, endsTurn: string(names), said: o.OnMessage, zone: o.Zone, policies: o.Policies,
		questions: make(chan struct{}, 1)}, nil
}

// Run writes until ctx ends. Then it finishes the waiting writes, marks the database as properly
// closed and returns; later writes fail. Call Run once. An error means that the database is
// damaged, or that its file was removed or replaced. If the file was removed, Run writes it again
// before it returns.
func (db *DB) Run(ctx context.Context) error { return explain(db.engine.Run(ctx)) }

// Fault returns why a transaction could not be stored. Once a later one is stored, it returns nil.
func (db *DB) Fault() error { return explain(db.engine.Fault()) }

// Ping returns nil once the writer has run a transaction that changes nothing. An error that is not
// the end of ctx is the reason why it could not.
func (db *DB) Ping(ctx context.Context) error { return explain(db.engine.Ping(ctx)) }

// Close closes the database. Call it after Run has returned, or instead of Run.
func (db *DB) Close() error { return db.engine.Close() }

// WithEngine calls fn with the database engine. Only package sqlitetest uses it, to read any rows.
// Code outside this folder cannot import the engine.
func (db *DB) WithEngine(fn func(*engine.DB)) { fn(db.engine) }

// Conversations returns the store of conversations.
func (db *DB) Conversations() Conversations { return Conversations{db} }

// Inbox returns the store of inbounds.
func (db *DB) Inbox() Inbox { return Inbox{db} }

// Turns returns the store of turns.
func (db *DB) Turns() Turns { return Turns{db} }

// Transcript returns the store of messages, as the model sees them.
func (db *DB) Transcript() Transcript { return Transcript{db} }

// Outbox returns the store of deliveries.
func (db *DB) Outbox() Outbox { return Outbox{db} }

// Posts returns the store of messages in chats that show replies and deliveries.
func (db *DB) Posts() Posts { return Posts{db} }

// MessageCleanups returns the store of pending changes of messages in chats.
func (db *DB) MessageCleanups() MessageCleanups { return MessageCleanups{db} }

// Blobs returns the store that knows which users own which bytes in the spool.
func (db *DB) Blobs() Blobs { return Blobs{db} }

// Usage returns the store of model calls and their costs.
func (db *DB) Usage() Usage { return Usage{db} }

// Settings returns the store of users' settings.
func (db *DB) Settings() Settings { return Settings{db} }

// Audit returns the audit log.
func (db *DB) Audit() Audit { return Audit{db} }

// UserAccessStores returns the stores of added users, accounts, invites, factors and logins.
func (db *DB) UserAccessStores() UserAccessStores {
	return UserAccessStores{Users{db}, AccountBindings{db}, AllowedGroups{db}, Invites{db}, SecondFactors{db},
		Logins{db}}
}
