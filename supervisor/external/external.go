// Package external makes calls of tools to other servers, so that a crash neither loses an answer
// nor makes a call twice.
//
// A call is one tool call of a model. Do stores that it begins, makes it, and stores its answer
// before the worker gets that. If the worker asks again after a crash, it gets the stored answer.
// If there is none, the call is made again only if it is repeatable. The answer is deleted in the
// transaction that stores the call's result, which then counts as words of others.
package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/egress"
	"mews/supervisor/feature"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// maxResult is the maximum size of a Result as JSON, in bytes. Larger contents are blobs.
const maxResult = 512 << 10

// Store stores the calls that have begun.
type Store interface {
	Find(ctx context.Context, turn int64, call string, repeatable bool) (sqlite.ExternalCallState, error)
	Begin(ctx context.Context, turn int64, call string, repeatable bool) (sqlite.ExternalCallState, error)
	KeepAnswer(ctx context.Context, turn int64, call string, a sqlite.ExternalAnswer) error
	Delete(ctx context.Context, turn int64, call string) error
}

// Options are the dependencies of Calls.
type Options struct {
	Store Store
	Spool *spool.Spool
	Blobs Blobs
	Now   func() time.Time
}

// Blobs counts the bytes that users keep.
type Blobs interface {
	SumTurnBytes(ctx context.Context, user string, since time.Time) (bytes int64, err error)
}

// Calls makes and stores calls. Its methods may be called from any goroutine.
type Calls struct {
	o Options

	mu      sync.Mutex // guards the following field
	running map[key]bool
}

type key struct {
	turn int64
	call string
}

// New makes a Calls.
func New(o Options) *Calls { return &Calls{o: o, running: map[key]bool{}} }

// Call is a tool call that leaves the service. Its arguments come from Turn.FindCall.
type Call struct {
	Turn feature.Turn
	Call protocol.ToolCall
	// Repeatable means that making the call twice does no harm: it only reads, or the server
	// honours an idempotency key.
	Repeatable bool
	// Allow asks for permission; nil means that none is needed. Do runs it only for a call that has
	// not begun, because an answered question permits one call.
	Allow func(context.Context) error
}

// Answer is the answer to a call.
type Answer[R any] struct {
	Result  R                   // what the worker gets
	Origins []string            // where words of others in it come from, such as web:example.org; empty means none
	Blobs   []protocol.BlobRef  // blobs that Keep has stored; the worker may read them
	Effects []supervisor.Effect // Kind, Target and Detail of the call's effects, for the ledger
}

// NotSent is the error of a call that no server has got.
type NotSent struct{ Err error }

func (e NotSent) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e NotSent) Unwrap() error { return e.Err }

// Do makes a call with the function do, and returns the result for the worker. A second Do of the
// same call returns the stored answer. If a call that is not repeatable was interrupted, the error
// says that its outcome is unknown. An error of do must have no words of others. If it shows that
// no server got the call, a further Do makes the call again.
func Do[R any](ctx context.Context, c *Calls, call Call,
	do func(context.Context) (Answer[R], error)) (result R, err error) {
	end, err := c.start(call)
	if err != nil {
		return result, err
	}
	defer end()
	state, err := c.allowAndBegin(ctx, call)
	if err != nil {
		return result, err
	}
	if state.Answer != nil {
		if err := protocol.DecodeStrict([]byte(state.Answer.Result), &result); err != nil {
			return result, fmt.Errorf("read the kept answer to call %s: %w", call.Call.ID, err)
		}
		return result, nil
	}
	answer, err := do(ctx)
	if err != nil {
		return result, errors.Join(err, c.drop(ctx, call, err))
	}
	text, err := json.Marshal(answer.Result)
	if err != nil {
		return result, fmt.Errorf("write the answer to call %s: %w", call.Call.ID, err)
	}
	if len(text) > maxResult {
		return result, feature.NewRefusal(textAnswerTooLarge, maxResult>>10)
	}
	kept := sqlite.ExternalAnswer{Result: string(text), Origins: answer.Origins, Blobs: answer.Blobs,
		Effects: answer.Effects}
	if err := c.keep(ctx, call, kept); err != nil {
		return result, err
	}
	return answer.Result, nil
}

// start marks a call as running. The function end removes the mark.
func (c *Calls) start(call Call) (end func(), err error) {
	k := key{call.Turn.ID, call.Call.ID}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running[k] {
		return nil, feature.NewRefusal(textRunning)
	}
	c.running[k] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, k)
	}, nil
}

// allowAndBegin asks for permission and records that a call begins, or returns its answer.
func (c *Calls) allowAndBegin(ctx context.Context, call Call) (state sqlite.ExternalCallState, err error) {
	if call.Allow != nil {
		state, err = c.o.Store.Find(ctx, call.Turn.ID, call.Call.ID, call.Repeatable)
		if err == nil && !state.Begun {
			err = call.Allow(ctx)
		}
		if err != nil {
			return state, err
		}
	}
	err = call.Turn.Commit(ctx, func() (err error) {
		state, err = c.o.Store.Begin(ctx, call.Turn.ID, call.Call.ID, call.Repeatable)
		return err
	})
	if err == nil && state.Unknown {
		err = feature.NewRefusal(textOutcomeUnknown)
	}
	return state, err
}

// keep stores an answer, even if the worker waits no longer.
func (c *Calls) keep(ctx context.Context, call Call, a sqlite.ExternalAnswer) error {
	return call.Turn.Commit(ctx, func() error {
		return c.o.Store.KeepAnswer(context.WithoutCancel(ctx), call.Turn.ID, call.Call.ID, a)
	})
}

// drop deletes a call that failed, if it may be made again.
func (c *Calls) drop(ctx context.Context, call Call, failed error) error {
	if !call.Repeatable && !isUnsent(failed) {
		return nil
	}
	return c.o.Store.Delete(context.WithoutCancel(ctx), call.Turn.ID, call.Call.ID)
}

// isUnsent reports whether an error shows that no server has got the call.
func isUnsent(err error) bool {
	var failure *egress.Failure
	return errors.As(err, new(NotSent)) || errors.As(err, &failure) && !failure.Sent
}

// Keep stores the bytes of an answer in the spool. They belong to nobody before Do has stored the
// answer with their reference in Blobs.
func (c *Calls) Keep(ctx context.Context, turn feature.Turn, r io.Reader) (protocol.BlobRef, error) {
	kept, err := c.o.Blobs.SumTurnBytes(ctx, turn.User, c.o.Now().Add(-spool.Retention))
	if err != nil {
		return protocol.BlobRef{}, err
	}
	room := max(spool.MaxTurnBytes-kept, 0)
	file, err := c.o.Spool.NewWriter()
	if err != nil {
		return protocol.BlobRef{}, explainFull(err)
	}
	n, err := io.Copy(file, io.LimitReader(r, room+1))
	if err == nil && n > room {
		err = feature.NewRefusal(textNoRoom, spool.Retention/(24*time.Hour))
	}
	if err != nil {
		return protocol.BlobRef{}, errors.Join(explainFull(err), file.Discard())
	}
	return file.Commit()
}

// explainFull returns a text for people if the disk is full.
func explainFull(err error) error {
	if errors.Is(err, spool.ErrFull) {
		return feature.NewRefusal(textDiskFull)
	}
	return err
}
