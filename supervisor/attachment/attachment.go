// Package attachment prepares the files of inbounds for their turns. An inbound with files is
// arriving: its files are fetched into the spool, the user's worker puts them below uploads/ and
// reads them, and recordings are transcribed. After that the inbound is new. Each step is committed
// before the next begins, and is not repeated after a crash.
//
// receiver.go finds arriving inbounds and decides when they are new; receive.go prepares one
// inbound; fetch.go downloads a file from its channel; material.go formats files for a model.
package attachment

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/signals"
	"mews/supervisor/internal/slots"
	"mews/supervisor/internal/work"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// Inbox keeps arriving inbounds.
type Inbox interface {
	ListArrivingInbounds(ctx context.Context) ([]supervisor.Inbound, error)
	CompleteArrivals(ctx context.Context, list []sqlite.ArrivalResult) (said bool, err error)
}

// Files keeps the files of inbounds.
type Files interface {
	ListFiles(ctx context.Context, inbound int64) ([]supervisor.Attachment, error)
	PutBytes(ctx context.Context, inbound int64, position int, ref protocol.BlobRef) error
	PutFailure(ctx context.Context, inbound int64, position int, why string) error
}

// Operations runs operations in users' workers.
type Operations interface {
	// RunOperation runs op to its end, and returns it. If the attachment of op has an operation
	// already, RunOperation continues that operation. The result ok is false if op could not begin,
	// or if ctx ended first. The end of ctx cancels the operation, unless its cause is
	// context.Canceled. A meanwhile that is not nil is called while the operation runs.
	RunOperation(ctx context.Context, op supervisor.Operation, meanwhile func(ctx context.Context,
		id int64)) (_ supervisor.Operation, ok bool)
}

// Spool keeps the bytes of files.
type Spool interface {
	NewWriter() (*spool.Writer, error)
}

// Recording is a recording to transcribe.
type Recording struct {
	Inbound  supervisor.Inbound
	Position int              // index of the attachment in its inbound, from 0
	Blob     protocol.BlobRef // the recording's bytes in the spool
	Kind     protocol.AttachmentKind
	Path     string // the file's path, relative to the home
	Seconds  int
}

// Options are the dependencies of a Receiver.
type Options struct {
	Inbox      Inbox
	Files      Files
	Operations Operations
	Spool      Spool
	// Fetch writes the bytes of a channel's file to w, in one try. A *supervisor.Error means that
	// another try is useless.
	Fetch func(ctx context.Context, channel supervisor.Channel, file string, w io.Writer) error
	// Transcribe returns a description of a recording for the model, and the spoken words. words is
	// "" if no words are known. Transcribe returns early only if ctx ends.
	Transcribe func(ctx context.Context, r Recording) (text, words string)
	// Missing reports packages that the machine lacks to read files. A package may be named several
	// times.
	Missing func(ctx context.Context, to supervisor.Conversation, packages []string)
	// Serves reports whether a conversation's user is served now; otherwise their inbounds wait.
	Serves func(supervisor.Conversation) bool
	// Wake wakes a conversation's session. It never blocks.
	Wake   func(supervisor.Conversation)
	Queued func(conversation int64) // called after a delivery was queued; never blocks
	Log    hclog.Logger
}

// Limits of concurrent fetches.
const (
	maxFetches       = 4 // most concurrent fetches of all users together
	fetchesOfAPerson = 2
)

// Times after which a group of inbounds, such as an album, counts as complete.
const (
	quietTime    = 600 * time.Millisecond // time since the last inbound arrived
	maxGroupTime = 3 * time.Second        // time since the first inbound arrived, even if more arrive
)

// Receiver prepares arriving inbounds until a turn can take them. Run does the work.
type Receiver struct {
	o       Options
	fetches *slots.Slots
	woken   chan struct{} // holds a token when an inbound may have arrived or been dropped
	ended   chan sqlite.ArrivalResult
	tasks   work.UserWork

	// The running arrivals by inbound. Only Run uses this field.
	arrivals map[int64]*arrival
}

// New makes a Receiver.
func New(o Options) *Receiver {
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	return &Receiver{o: o, fetches: slots.NewWithUserLimit(maxFetches, fetchesOfAPerson), woken: make(chan struct{}, 1),
		ended:    make(chan sqlite.ArrivalResult),
		arrivals: map[int64]*arrival{}}
}

// Wake tells the Receiver that an inbound may have arrived or been dropped. It never blocks.
func (r *Receiver) Wake() { signals.SendToken(r.woken) }

// StopUser stops a user's arrivals and waits for their end. The user is no longer served.
func (r *Receiver) StopUser(ctx context.Context, user string) error {
	if err := r.tasks.EndWork(ctx, user); err != nil {
		return fmt.Errorf("end what arrives of %s: %w", user, err)
	}
	return nil
}
