// Package webhook is the feature that takes what other programs send to the public listener:
// GitHub's deliveries, and messages that a hook of the configuration brings to a chat. Whoever can't show the secret costs
// little and has no effect. What was answered with success is a row that is on disk.
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

// Options are what a Receiver works on.
type Options struct {
	Deliveries sqlite.WebhookDeliveries
	Spool      *spool.Spool
	GitHub     *GitHub // nil means that no repository is served
	Hooks      []Hook
	KeepText   func(name, text string) (supervisor.File, error) // what is too long for a message
	Queued     func(conversation int64)                         // something was put into its outbox
	Audit      func(user, action, detail string)
	Log        hclog.Logger
	Now        func() time.Time
}

// The bounds of what all callers cost together, who may be anybody until their bodies have been
// read.
const (
	maxAtOnce   = 8         // bodies that are read
	chunk       = 256 << 10 // bytes of a body in memory
	maxPayloads = 200 << 20 // bytes on disk: of what is read, and of what is yet to be done

	// GitHub waits 10 s for an answer. (docs.github.com: best practices for using webhooks)
	slotTimeout   = time.Second
	bodyTimeout   = 6 * time.Second
	commitTimeout = 1500 * time.Millisecond
)

// Receiver takes deliveries. Run does what follows from those of hooks, and cleans up.
type Receiver struct {
	o       Options
	bodies  *slots.Slots  // that are read
	arrived chan struct{} // holds a token when a hook has brought something
	refused rare.Throttle // callers who could not show a secret

	mu       sync.Mutex // guards reserved
	reserved int64      // bytes that are being read
}

// New makes a Receiver.
func New(o Options) *Receiver {
	return &Receiver{o: o, bodies: slots.New(maxAtOnce), arrived: make(chan struct{}, 1)}
}

// Feature is what it adds to the service: a route for GitHub and for each hook. Without a route it
// adds nothing.
func (r *Receiver) Feature() feature.Feature {
	f := feature.Feature{Name: "webhook"}
	add := func(path string, limit int64, handler http.Handler) {
		f.Routes = append(f.Routes, feature.Route{Method: http.MethodPost, Path: path, Limit: limit, Handler: handler})
	}
	if g := r.o.GitHub; g != nil {
		add(g.Path, g.MaxPayload, r.gitHub(*g))
	}
	for _, h := range r.o.Hooks {
		add(h.Path, MaxMessage, r.handler(h))
	}
	if len(f.Routes) > 0 {
		f.Parts = []feature.Part{{Name: "webhook messages", Run: r.Run}}
	}
	return f
}

// answer is what a caller is told. Who has set the webhook up reads the text.
type answer struct {
	status int
	text   string
	retry  time.Duration // after it, with a status that asks for it
	hangUp bool          // the rest of the body is not wanted
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
	_, _ = io.WriteString(w, a.text+"\n") // who does not wait for the answer does not read it
}

// Answers that need no detail.
var (
	accepted      = answer{status: http.StatusOK, text: textTaken}
	duplicate      = answer{status: http.StatusOK, text: textKnown}
	unsigned   = answer{status: http.StatusUnauthorized, text: textUnsigned, hangUp: true}
	busy       = answer{status: http.StatusServiceUnavailable, text: textBusy, retry: 5 * time.Second, hangUp: true}
	full       = answer{status: http.StatusServiceUnavailable, text: textFull, retry: time.Minute, hangUp: true}
	notKept    = answer{status: http.StatusServiceUnavailable, text: textNotKept, retry: 5 * time.Second, hangUp: true}
	tooLong    = answer{status: http.StatusRequestEntityTooLarge, text: textTooLong, hangUp: true}
	notInTime  = answer{status: http.StatusRequestTimeout, text: textNotInTime, hangUp: true}
	notJSON    = answer{status: http.StatusUnsupportedMediaType, text: textNotJSON, hangUp: true}
	incomplete = answer{status: http.StatusBadRequest, text: textIncomplete, hangUp: true}
)

// refuse is the answer to somebody who can't show the secret. Admins find it in the audit log, once
// a minute at most.
func (r *Receiver) refuse(to string, from *http.Request) answer {
	if n := r.refused.Count("", r.o.Now()); n > 0 {
		r.o.Audit("", "webhook.refused", fmt.Sprintf(textRefused, n, to, from.RemoteAddr))
	}
	return unsigned
}

// body is what a caller has sent, in a file that has no name yet.
type body struct {
	*spool.Writer
	done func()
	kept bool
}

// close lets go of what a body has taken, and of the file where nobody has kept it.
func (b *body) close() {
	if !b.kept {
		_ = b.Discard() // Sweep removes what is left
	}
	b.done()
}

// keep gives the file its name; one that is needed for more than the row that follows is durable.
func (b *body) keep(durable bool) (ref protocol.BlobRef, err error) {
	b.kept = true
	if durable {
		return b.Commit()
	}
	return b.Keep()
}

// read reads a request's body of at most so many bytes while it is hashed. Without a body there is
// an answer. The caller closes it.
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
	f, err := r.o.Spool.Create()
	if err != nil {
		done()
		return nil, r.answerError(err)
	}
	b := &body{Writer: f, done: done}
	// net/http takes the deadline back at the body's end. A writer that can have none is no
	// connection.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	_, err = io.CopyBuffer(writerOnly{io.MultiWriter(mac, f)}, http.MaxBytesReader(w, req.Body, most), make([]byte, min(size+1, chunk)))
	if err != nil {
		b.close()
		return nil, r.answerError(err)
	}
	return b, answer{}
}

// writerOnly has io.CopyBuffer use its buffer.
type writerOnly struct{ io.Writer }

// acquireSlot waits for a slot, and takes so many bytes of what may be on disk. done gives both back;
// nil is for a refusal.
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

// reserve takes so many bytes of what may be on disk.
func (r *Receiver) reserve(ctx context.Context, size int64) error {
	kept, err := r.o.Deliveries.SumBodies(ctx)
	if err == nil && kept+size > maxPayloads/2 {
		if err = r.clean(ctx); err == nil {
			kept, err = r.o.Deliveries.SumBodies(ctx)
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

// answerError is the answer where a body could not be read or kept.
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

// put keeps a delivery, and is the answer to it.
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
