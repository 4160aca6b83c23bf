package hostcall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/retry"
	"mews/supervisor/problem"
)

// errWorkOver cancels the calls of a turn or operation that has ended.
var errWorkOver = errors.New("the turn or operation is over")

// workKey identifies a turn or an operation. In the phase anyTime it identifies the worker's whole
// life.
type workKey struct {
	phase phase
	id    int64
}

// work is a turn or an operation that the worker was given. In the phase anyTime it is the worker's
// whole life. work counts the calls that the table limits.
type work struct {
	*Conn
	workKey
	turn      *turn           // nil unless the work is a turn
	operation *operationWork  // nil unless the work is an operation
	ctx       context.Context // ends with the work; all calls of the work derive from it
	cancel    context.CancelCauseFunc
	running   sync.WaitGroup // counts the running calls of the work

	counts        map[string]int // number of calls by method; guarded by Conn.mu
	moreCalls     int            // number of calls that is added to each limit of the table
	serialRunning bool           // whether a serial call runs; guarded by Conn.mu

	blobs blobStore
	// stores the bytes of files before they change; nil for an operation without a user
	before  blobStore
	uploads uploads
}

func newWork(c *Conn, key workKey) *work {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &work{Conn: c, workKey: key, ctx: ctx, cancel: cancel, counts: map[string]int{}}
}

// turn is a turn that the worker was given.
type turn struct {
	*work
	Turn
	openedTools

	transcript transcriptCache
	openCalls  openCalls
	// version of the stale system text for which a new one was requested; 0 means no request
	askedStale int64
	// result of the last model call; only model.stream writes it, and others read it after that
	// call
	outcome TurnOutcome
	shared  []int    // lengths of the beginnings that a child window shares with others, see ChildWindow
	ended   bool     // whether the turn has ended with its last step; only model.stream writes it
	kept    sync.Map // values that features keep for the turn, for feature.Turn

	foreignCalls foreignCalls
}

// count counts a message of the worker. An error says why the message is not allowed. The caller
// holds Conn.mu.
func (w *work) count(r row) error {
	if w.counts[r.method]++; w.counts[r.method] > r.limit+w.moreCalls {
		return fmt.Errorf("more than %d times", r.limit+w.moreCalls)
	}
	if r.serial && w.serialRunning {
		return errors.New("already running")
	}
	w.serialRunning = w.serialRunning || r.serial
	w.running.Add(1)
	return nil
}

// end cancels the calls, waits for them, and deletes uncommitted blobs.
func (w *work) end() {
	w.cancel(errWorkOver)
	w.running.Wait()
	if err := w.uploads.discard(); err != nil {
		w.log().Warn("drop unfinished blobs", "error", err)
	}
}

func (w *work) log() hclog.Logger { return w.o.Log.With("user", w.user, w.phase.String(), w.id) }

// commit runs the function do, which commits finished work. If the disk is full or the store does
// not answer, it tries again until the work ends.
func (w *work) commit(ctx context.Context, do func() error) error {
	final := func(err error) bool { return supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable }
	return retry.UntilDone(ctx, retry.PausesUpTo(retry.MaxPause), do, final, func(err error, wait time.Duration) {
		w.log().Error("commit a step", "error", err, "again_in", wait)
	})
}

// reply turns a handler's error into the answer to the worker. An offence ends the worker, and a
// *protocol.Error is the answer. Of any other error, the worker gets only the text for users, and
// the rest is logged.
func (w *work) reply(method string, err error) error {
	broken, answer := feature.WorkerOffence{}, new(protocol.Error)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &broken):
		return w.offence(method, err)
	case errors.As(err, &answer):
		return answer
	case errors.Is(err, supervisor.ErrWaitsForAnswer):
		return &protocol.Error{Code: protocol.CodeWaitsForUser, Message: supervisor.ErrWaitsForAnswer.Error()}
	case supervisor.ErrorCodeOf(err) == supervisor.CodeInternal && w.ctx.Err() == nil:
		w.log().Error("answer a host call", "method", method, "error", err)
	}
	return &protocol.Error{Code: protocol.CodeFailed, Message: problem.UserText(err)}
}

// invalidParams returns the answer to parameters that contradict the supervisor's state.
func invalidParams(format string, args ...any) error {
	return &protocol.Error{Code: protocol.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// printable makes a worker's text safe for a terminal or a log. It replaces control characters, and
// cuts the text to the length most, in bytes.
func printable(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
}
