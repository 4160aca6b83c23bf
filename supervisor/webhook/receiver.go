// Package webhook receives calls of other programs on the public listener. These are GitHub's
// deliveries, and calls of the configured hooks, which send messages to a chat or run a task. A
// caller without the secret has no effect and costs little. Success is answered only when the call
// is stored on disk.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/rare"
	"mews/supervisor/internal/slots"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// Options configure a Receiver.
type Options struct {
	Deliveries sqlite.WebhookDeliveries
	Spool      *spool.Spool
	GitHub     *GitHubRoute // nil means that no repository is configured
	Hooks      []Hook
	KeepText   func(name, text string) (supervisor.File, error) // stores a long text as a file
	Queued     func(conversation int64)                         // called when the outbox has a new delivery
	Audit      func(user, action, detail string)
	Log        hclog.Logger
	Now        func() time.Time
}

// Limits for all callers together. Any stranger can send a body before the secret is checked.
const (
	maxAtOnce   = 8         // most bodies that are read at the same time
	chunk       = 256 << 10 // bytes of a body that are in memory at once
	maxPayloads = 200 << 20 // bytes of payloads on disk: bodies being read, and waiting deliveries

	// Timeouts. GitHub waits 10 s for an answer. (docs.github.com: best practices for using
	// webhooks)
	slotTimeout   = time.Second
	bodyTimeout   = 6 * time.Second
	commitTimeout = 1500 * time.Millisecond
)

// Receiver receives the deliveries. Its Run sends the messages of hooks, runs tasks and cleans up.
type Receiver struct {
	o       Options
	bodies  *slots.Slots  // slots for bodies being read
	arrived chan struct{} // holds a token if a hook was called
	refused rare.Throttle // limits the audit log of callers without the secret

	mu       sync.Mutex // guards reserved
	reserved int64      // bytes of bodies being read
}

// New returns a Receiver.
func New(o Options) *Receiver {
	return &Receiver{o: o, bodies: slots.New(maxAtOnce), arrived: make(chan struct{}, 1)}
}

// Feature returns the routes for GitHub and the hooks, and the part that handles hooks. If neither
// GitHub nor a hook is configured, the feature is empty.
func (r *Receiver) Feature() feature.Feature {
	f := feature.Feature{Name: "webhook"}
	add := func(path string, limit int64, handler http.Handler) {
		f.Routes = append(f.Routes, feature.Route{Method: http.MethodPost, Path: path, Limit: limit, Handler: handler})
	}
	if g := r.o.GitHub; g != nil {
		add(g.Path, g.MaxPayload, r.gitHub(*g))
	}
	for _, h := range r.o.Hooks {
		add(h.Path, MaxHookBodyBytes, r.handler(h))
	}
	if len(f.Routes) > 0 {
		f.Parts = []feature.Part{{Name: "webhook messages", Run: r.Run}}
	}
	return f
}

// answer is the HTTP response to a caller. People who set up a webhook read its text.
type answer struct {
	status int
	text   string
	retry  time.Duration // the value of the header Retry-After, for statuses that allow it
	hangUp bool          // whether to close the connection without reading the rest of the body
}

func (a answer) write(w http.ResponseWriter) {
	if a.hangUp {
		w.Header().Set("Connection", "close")
	}
	if a.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((a.retry+time.Second-1)/time.Second)))
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.text+"\n") // an error means that the caller has left
}

// Answers that always have the same text.
var (
	accepted   = answer{status: http.StatusOK, text: textTaken}
	duplicate  = answer{status: http.StatusOK, text: textKnown}
	unsigned   = answer{status: http.StatusUnauthorized, text: textUnsigned, hangUp: true}
	busy       = answer{status: http.StatusServiceUnavailable, text: textBusy, retry: 5 * time.Second, hangUp: true}
	full       = answer{status: http.StatusServiceUnavailable, text: textFull, retry: time.Minute, hangUp: true}
	notKept    = answer{status: http.StatusServiceUnavailable, text: textNotKept, retry: 5 * time.Second, hangUp: true}
	tooLong    = answer{status: http.StatusRequestEntityTooLarge, text: textTooLong, hangUp: true}
	notInTime  = answer{status: http.StatusRequestTimeout, text: textNotInTime, hangUp: true}
	notJSON    = answer{status: http.StatusUnsupportedMediaType, text: textNotJSON, hangUp: true}
	incomplete = answer{status: http.StatusBadRequest, text: textIncomplete, hangUp: true}
)

// refuse returns the answer to a caller without the secret. It writes to the audit log at most once
// a minute.
func (r *Receiver) refuse(to string, from *http.Request) answer {
	if n := r.refused.CountOccurrence("", r.o.Now()); n > 0 {
		r.o.Audit("", "webhook.refused", fmt.Sprintf(textRefused, n, to, from.RemoteAddr))
	}
	return unsigned
}

// body is a request body in a temporary file of the spool.
type body struct {
	*spool.Writer
	done func()
	kept bool
}

// close frees the slot and the memory of a body. It deletes the body's file unless the file was
// kept.
func (b *body) close() {
	if !b.kept {
		_ = b.Discard() // if Discard fails, RemoveUnwanted removes the file later
	}
	b.done()
}

// keep moves the file into the spool. If durable is true, it also syncs the file to disk, because
// the file is needed for longer than its database row.
func (b *body) keep(durable bool) (ref protocol.BlobRef, err error) {
	b.kept = true
	if durable {
		return b.Commit()
	}
	return b.CommitUnsynced()
}

// read reads a request body of at most the given number of bytes, and writes it to mac. It returns
// either a body, which the caller closes, or the answer that refuses the request.
func (r *Receiver) read(w http.ResponseWriter, req *http.Request, most int64, mac hash.Hash) (*body, answer) {
	size := req.ContentLength
	if size > most {
		return nil, tooLong
	}
	if size < 0 {
		size = most
	}
	done, refused := r.acquireSlot(req.Context(), size)
	if done == nil {
		return nil, refused
	}
	f, err := r.o.Spool.NewWriter()
	if err != nil {
		done()
		return nil, r.answerError(err)
	}
	b := &body{Writer: f, done: done}
	// net/http resets the deadline at the end of the body. An error means that the connection has
	// no deadlines, as in tests.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	_, err = io.CopyBuffer(writerOnly{io.MultiWriter(mac, f)}, http.MaxBytesReader(w, req.Body, most), make([]byte, min(size+1, chunk)))
	if err != nil {
		b.close()
		return nil, r.answerError(err)
	}
	return b, answer{}
}

// writerOnly hides the method ReadFrom, so that io.CopyBuffer uses its buffer.
type writerOnly struct{ io.Writer }

// acquireSlot waits for a slot and reserves bytes on disk. The function done frees the slot and the
// bytes. If the request is refused, done is nil.
func (r *Receiver) acquireSlot(ctx context.Context, size int64) (done func(), refused answer) {
	bounded, cancel := context.WithTimeout(ctx, slotTimeout)
	defer cancel()
	slot, err := r.bodies.Acquire(bounded, "")
	if err != nil {
		return nil, busy
	}
	if err := r.reserve(ctx, size); err != nil {
		slot.Release()
		return nil, r.answerError(err)
	}
	return func() {
		r.mu.Lock()
		r.reserved -= size
		r.mu.Unlock()
		slot.Release()
	}, answer{}
}

var errFull = errors.New("what is yet to be done takes all the room that there is for it")

// reserve reserves bytes on disk. It fails if too many are in use.
func (r *Receiver) reserve(ctx context.Context, size int64) error {
	kept, err := r.o.Deliveries.SumBodySizes(ctx)
	if err == nil && kept+size > maxPayloads/2 {
		if err = r.clean(ctx); err == nil {
			kept, err = r.o.Deliveries.SumBodySizes(ctx)
		}
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if kept+r.reserved+size > maxPayloads {
		return errFull
	}
	r.reserved += size
	return nil
}

// answerError returns the answer to a request whose body could not be read or stored.
func (r *Receiver) answerError(err error) answer {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return tooLong
	case errors.Is(err, errFull), errors.Is(err, spool.ErrFull):
		r.o.Log.Warn("a webhook was refused", "error", err)
		return full
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, new(net.Error)):
		return notInTime
	}
	r.o.Log.Warn("keep what came by a webhook", "error", err)
	return notKept
}

// put stores a delivery and returns the answer. The result fresh is false for a duplicate.
func (r *Receiver) put(ctx context.Context, d supervisor.WebhookDelivery) (fresh bool, a answer) {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	fresh, err := r.o.Deliveries.Put(ctx, d)
	if err != nil {
		return false, r.answerError(err)
	}
	if !fresh {
		return false, duplicate
	}
	return true, accepted
}
