package shell

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/worker"
)

// name returns "terminal 1 (bash)".
func (t *terminal) name() string { return fmt.Sprintf("terminal %d (%s)", t.id, t.title) }

// summary is one line about a terminal.
func (t *terminal) summary() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := fmt.Sprintf("%s, %d rows, %d cols, %s", t.name(), t.screen.rows, t.screen.cols, t.state)
	if t.state == stateEnded {
		line += ": " + t.ending
	}
	return line
}

// show waits as the call demands, and returns the screen. usual is the wait for quiet if the call
// names no wait.
func (t *terminal) show(ctx context.Context, args terminalArgs, usual time.Duration, from waitStart) (worker.Result, error) {
	t.idle.Reset(t.limits.idle)
	p := waitCondition{most: usual, text: args.WaitFor}
	if p.text != "" {
		p.most = min(defaultTextWait, t.limits.maxWait)
	}
	if args.Wait > 0 {
		p.most = time.Duration(args.Wait * float64(time.Second))
	}
	var notes []string
	if p.most > 0 {
		met, err := t.wait(ctx, p, from)
		if err != nil {
			return worker.Result{}, err
		}
		if !met && p.text != "" {
			notes = append(notes, fmt.Sprintf("%.80q has not appeared within %s", oneLine(p.text), formatDuration(p.most)))
		} else if !met {
			notes = append(notes, "still writing")
		}
	}
	return t.describe(args.Above, notes), nil
}

// describe returns the screen with remarks about it.
func (t *terminal) describe(above int, notes []string) worker.Result {
	line := t.summary()
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.screen.cursor
	if t.state == stateRunning {
		notes = slices.Insert(notes, 0, fmt.Sprintf("cursor at row %d, column %d", at.row+1, at.col+1))
	}
	head := strings.Join(append([]string{line}, notes...), "; ")
	shown := t.screen.shown(max(above, 0))
	brief := string(t.state)
	if rows := strings.Fields(shown); len(rows) > 0 {
		brief += ", " + amount.Plural(strings.Count(shown, "\n")+1, "line", "lines")
	}
	return worker.Result{Text: head + "\n" + shown, Brief: brief}
}
