package hostcall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"mews/protocol"
	"mews/supervisor"
)

// turn is a turn that this connection's worker was given.
type turn struct {
	Turn
	ctx     context.Context // ends with the turn; parent of nothing but its calls
	cancel  context.CancelCauseFunc
	running sync.WaitGroup // its calls

	counts        map[string]int // by method; guarded by the connection
	serialRunning bool           // a call that runs one at a time runs; guarded by the connection

	transcript transcriptCache
	openCalls  openCalls
	failure    error // of the last model call; written by model.stream, which runs alone, and read after it, as are these two

	instead  *supervisor.ReplacedModel // who was to make the last step, where another model did
	answered string                    // provider/model of who made it

	uploads uploads
}

func newTurn(t Turn) *turn {
	ctx, cancel := context.WithCancelCause(context.Background())
	opened := &turn{Turn: t, ctx: ctx, cancel: cancel, counts: map[string]int{}}
	var pending []protocol.ToolCall
	for _, p := range t.Pending {
		pending = append(pending, p.Call)
	}
	opened.openCalls.put(pending)
	return opened
}

// admit counts a message of the worker's, or says why it may not come. The connection's lock is held.
func (t *turn) admit(method string, r row) error {
	if t == nil {
		return errors.New("not a turn of this worker's")
	}
	if t.counts[method]++; t.counts[method] > r.limit {
		return fmt.Errorf("more than %d times", r.limit)
	}
	if r.serial && t.serialRunning {
		return errors.New("already running")
	}
	t.serialRunning = t.serialRunning || r.serial
	t.running.Add(1)
	return nil
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
