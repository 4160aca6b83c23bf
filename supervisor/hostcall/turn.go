package hostcall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"mews/protocol"
)

// turn is a turn that this desk's worker was given.
type turn struct {
	Turn
	ctx     context.Context // ends with the turn; parent of nothing but its calls
	cancel  context.CancelCauseFunc
	running sync.WaitGroup // its calls

	counts map[string]int // by method; guarded by the desk
	alone  bool           // a call that runs one at a time runs; guarded by the desk

	last    atomic.Int64 // the transcript's newest message; results are committed side by side
	failure error        // of the last model call; written by model.stream, which runs alone, and read after it
	uploads uploads
}

func newTurn(t Turn) *turn {
	ctx, cancel := context.WithCancelCause(context.Background())
	opened := &turn{Turn: t, ctx: ctx, cancel: cancel, counts: map[string]int{}}
	opened.committed(t.Last)
	return opened
}

// committed notes that the transcript has a message; newest is the newest of them.
func (t *turn) committed(message int64) {
	for {
		last := t.last.Load()
		if message <= last || t.last.CompareAndSwap(last, message) {
			return
		}
	}
}

func (t *turn) newest() int64 { return t.last.Load() }

// admit counts a message of the worker's, or says why it may not come. The desk's lock is held.
func (t *turn) admit(method string, r row) error {
	if t == nil {
		return errors.New("not a turn of this worker's")
	}
	if t.counts[method]++; t.counts[method] > r.limit {
		return fmt.Errorf("more than %d times", r.limit)
	}
	if r.alone && t.alone {
		return errors.New("already running")
	}
	t.alone = t.alone || r.alone
	t.running.Add(1)
	return nil
}

// maxEventText is how much of a tool's line is shown, in bytes.
const maxEventText = 300

// showEvent passes a tool's line on to whoever watches.
func showEvent(t *turn, event *protocol.TurnEvent) {
	event.Text = printable(event.Text, maxEventText)
	event.Tool = printable(event.Tool, 64)
	t.Reply.Tool(*event)
}

// printable makes a worker's words fit for a line of a terminal or a log: no control characters, and not endless.
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
