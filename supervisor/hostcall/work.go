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

// errWorkOver ends what the calls of a turn or operation are doing when that has ended.
var errWorkOver = errors.New("the turn or operation is over")

// workKey names what the worker was given: a turn, an operation, or with anyTime nothing yet.
type workKey struct {
	phase phase
	id    int64
}

// work is a turn or an operation that the worker was given, or with anyTime the worker's life. It
// has the state that the table asks for.
type work struct {
	*Conn
	workKey
	turn      *turn           // nil in any other phase
	operation *operationWork  // likewise
	ctx       context.Context // ends with the work; parent of nothing but its calls
	cancel    context.CancelCauseFunc
	running   sync.WaitGroup // its calls

	counts        map[string]int // by method; guarded by Conn.mu
	moreCalls     int            // of each method than the table's limit
	serialRunning bool           // a serial call runs; guarded by Conn.mu

	blobs blobStore
	// for the bytes of files before they are changed; nil of an operation that is nobody's
	before  blobStore
	uploads uploads
}

func newWork(c *Conn, key workKey) *work {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &work{Conn: c, workKey: key, ctx: ctx, cancel: cancel, counts: map[string]int{}}
}

// turn is a turn that this connection's worker was given.
type turn struct {
	*work
	Turn
	openedTools

	transcript transcriptCache
	openCalls  openCalls
	// how stale the system text was for which the worker was asked for another; 0: it was not asked
	askedStale int64
	// of the last model call; written by model.stream, which is serial, and read after it
	outcome TurnOutcome
	ended   bool     // with its last step; as outcome
	kept    sync.Map // feature.Turn's
}

// count counts a message of the worker's, or says why it may not come. Conn.mu is held.
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

// end cancels what the calls still do, waits for them, and drops the blobs that were not committed.
func (w *work) end() {
	w.cancel(errWorkOver)
	w.running.Wait()
	if err := w.uploads.discard(); err != nil {
		w.log().Warn("drop unfinished blobs", "error", err)
	}
}

func (w *work) log() hclog.Logger { return w.o.Log.With("user", w.user, w.phase.String(), w.id) }

// commit has something committed, and where the disk is full or does not answer it tries again
// until there is room or the work ends: what was done already must not be lost for want of a
// commit.
func (w *work) commit(ctx context.Context, do func() error) error {
	final := func(err error) bool { return supervisor.ErrorCode(err) != supervisor.CodeUnavailable }
	return retry.Do(ctx, retry.UpTo(retry.Longest), do, final, func(err error, wait time.Duration) {
		w.log().Error("commit a step", "error", err, "again_in", wait)
	})
}

// reply makes a handler's error the answer to the worker. An offence ends the worker, and a
// *protocol.Error is the answer. Of any other error the worker is told only what a person may read;
// one that nobody may read is logged.
func (w *work) reply(method string, err error) error {
	broken, answer := feature.Offence{}, new(protocol.Error)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &broken):
		return w.offence(method, err)
	case errors.As(err, &answer):
		return answer
	case errors.Is(err, supervisor.ErrWaits):
		return &protocol.Error{Code: protocol.CodeWaits, Message: supervisor.ErrWaits.Error()}
	case supervisor.ErrorCode(err) == supervisor.CodeInternal && w.ctx.Err() == nil:
		w.log().Error("answer a host call", "method", method, "error", err)
	}
	return &protocol.Error{Code: protocol.CodeFailed, Message: problem.Message(err)}
}

// invalidParams is the answer to a worker whose parameters do not fit what the supervisor knows.
func invalidParams(format string, args ...any) error {
	return &protocol.Error{Code: protocol.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// printable makes a worker's words fit for a line of a terminal or a log: no control characters,
// and at most so many bytes.
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
