// Package attachment brings what people send with their messages to where a turn can take it. An
// inbound that files came with is arriving: its files are fetched into the spool, its person's
// worker puts them below uploads/ and reads them, recordings are transcribed, and then it is new.
// Each step is on disk before the next begins, and is not done again after a crash.
//
// receiver.go finds what arrives and decides when it is new; receive.go takes one inbound there;
// fetch.go has its channel give the bytes; material.go says what a model reads.
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

// Inbox is where inbounds arrive.
type Inbox interface {
	Arriving(ctx context.Context) ([]supervisor.Inbound, error)
	PutArrived(ctx context.Context, list []sqlite.Arrived) (said bool, err error)
}

// Files are what came with inbounds.
type Files interface {
	List(ctx context.Context, inbound int64) ([]supervisor.Attachment, error)
	PutBytes(ctx context.Context, inbound int64, position int, ref protocol.BlobRef) error
	PutFailure(ctx context.Context, inbound int64, position int, why string) error
}

// Operations are done by people's workers.
type Operations interface {
	// Do has an operation done, or finds the one that is there for its attachment, and gives it as
	// it has ended. It is not ok where ctx has ended, or it could not be begun. Where ctx has ended
	// for a cause of its own, the operation has too. meanwhile may be nil.
	Do(ctx context.Context, op supervisor.Operation, meanwhile func(ctx context.Context, id int64)) (_ supervisor.Operation, ok bool)
}

// Spool is where bytes go.
type Spool interface {
	Create() (*spool.Writer, error)
}

// Recording is one that is to be transcribed.
type Recording struct {
	Inbound  supervisor.Inbound
	Position int              // of its attachment
	Blob     protocol.BlobRef // its bytes in the spool
	Kind     protocol.AttachmentKind
	Path     string // relative to the home
	Seconds  int
}

// Options are what a Receiver needs.
type Options struct {
	Inbox      Inbox
	Files      Files
	Operations Operations
	Spool      Spool
	// Fetch writes the bytes of a channel's file to w, in one try. A *supervisor.Error says that
	// there is no use in another one.
	Fetch func(ctx context.Context, channel supervisor.Channel, file string, w io.Writer) error
	// Transcribe gives what a model reads of a recording, and the words in it: "" where there are
	// none. It ends early with ctx alone.
	Transcribe func(ctx context.Context, r Recording) (text, words string)
	// Missing is told what a person's machine lacks to read files: names of packages, perhaps
	// several times the same.
	Missing func(ctx context.Context, to supervisor.Conversation, packages []string)
	// whether its person is still to be served; what they sent stays as it is until they are again
	Serves func(supervisor.Conversation) bool
	// has a conversation's session look for work; never blocks
	Wake   func(supervisor.Conversation)
	Queued func(conversation int64) // something was put into its outbox; never blocks
	Log    hclog.Logger
}

// How many files are fetched at once.
const (
	fetchesAtOnce    = 4 // of all people together
	fetchesOfAPerson = 2
)

// When inbounds that belong together are taken to be complete.
const (
	quietAfter = 600 * time.Millisecond // nothing more has come for so long
	longest    = 3 * time.Second        // or since the first
)

// Receiver has what arrives come to where a turn can take it. Run works it.
type Receiver struct {
	o       Options
	fetches *slots.Slots
	woken   chan struct{} // holds a token when something may arrive, or may not be wanted any more
	ended   chan sqlite.Arrived
	tasks   work.ByUser

	// These are Run's.
	arrivals map[int64]*arrival
}

// New makes a Receiver.
func New(o Options) *Receiver {
	o.Log = cmp.Or(o.Log, hclog.NewNullLogger())
	return &Receiver{o: o, fetches: slots.NewEach(fetchesAtOnce, fetchesOfAPerson), woken: make(chan struct{}, 1), ended: make(chan sqlite.Arrived),
		arrivals: map[int64]*arrival{}}
}

// Wake has the Receiver look for what arrives, and for what is not to any more. It never blocks.
func (r *Receiver) Wake() { signals.Send(r.woken) }

// End ends what arrives of a person who is not served any more, and waits until nothing of it runs.
func (r *Receiver) End(ctx context.Context, user string) error {
	if err := r.tasks.End(ctx, user); err != nil {
		return fmt.Errorf("end what arrives of %s: %w", user, err)
	}
	return nil
}
