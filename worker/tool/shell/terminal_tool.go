package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker"
)

var terminalSpec = worker.ToolSpec{
	Name:   "terminal",
	Family: "terminal",
	Effect: protocol.EffectOnce, // a second run of a program may have other effects
	Description: "Programs that go on between calls. Most actions show the screen, " +
		"once it is quiet or wait_for appears.",
	Arguments: []worker.Argument{
		{Name: "action", Values: []string{"open", "send", "read", "resize", "close", "list"}, Required: true},
		{Name: "id", Type: worker.IntegerArgument, Description: "its number"},
		{Name: "command", Type: worker.StringArgument, Description: "to open; default bash"},
		{Name: "text", Type: worker.StringArgument},
		{Name: "keys", Type: worker.StringArgument, Description: "after text: ctrl-c up enter"},
		{Name: "rows", Type: worker.IntegerArgument, Description: "lines"},
		{Name: "cols", Type: worker.IntegerArgument, Description: "characters"},
		{Name: "above", Type: worker.IntegerArgument, Description: "earlier lines, at most 1000"},
		{Name: "wait", Type: worker.NumberArgument, Description: "seconds, at most 30"},
		{Name: "wait_for", Type: worker.StringArgument},
	},
}

type terminalArgs struct {
	Action  string  `json:"action"`
	ID      int     `json:"id"`
	Command string  `json:"command"`
	Text    string  `json:"text"`
	Keys    string  `json:"keys"`
	Rows    int     `json:"rows"`
	Cols    int     `json:"cols"`
	Above   int     `json:"above"`
	Wait    float64 `json:"wait"`
	WaitFor string  `json:"wait_for"`

	turn int64 // id of the turn that makes the call
}

// Sizes of a screen.
const (
	defaultRows, defaultCols = 24, 80
	minRows, minCols         = 2, 10
	maxRows, maxCols         = 200, 400
)

// maxText bounds a text that is typed at once, in bytes.
const maxText = 64 << 10

// Default waits of a call.
const (
	defaultWait     = 5 * time.Second // default wait until the terminal is quiet
	defaultTextWait = 30 * time.Second
)

// terminalActions are all actions of the tool.
var terminalActions = map[string]func(*terminals, context.Context, terminalArgs) (worker.Result, error){
	"open":   (*terminals).open,
	"send":   (*terminals).send,
	"read":   (*terminals).read,
	"resize": (*terminals).resize,
	"close":  (*terminals).closeOne,
	"list":   (*terminals).list,
}

func (m *terminals) act(ctx context.Context, call worker.Call, args terminalArgs) (worker.Result, error) {
	args.turn = call.Turn
	act, ok := terminalActions[args.Action]
	if !ok {
		return worker.Result{}, fmt.Errorf("there is no action %.40q; there are open, send, read, resize, close and list", args.Action)
	}
	if args.Wait < 0 || args.Wait > m.options.limits.maxWait.Seconds() {
		return worker.Result{}, fmt.Errorf("wait %g: want 0 to %g seconds", args.Wait, m.options.limits.maxWait.Seconds())
	}
	if args.Action == "list" {
		return act(m, ctx, args)
	}
	before := m.takeSeen(ctx)
	result, err := act(m, ctx, args)
	title := "terminal"
	if t, unknown := m.find(args.ID); unknown == nil {
		title = t.title
	}
	found := m.changesSinceSeen(context.WithoutCancel(ctx), before, args.turn, title)
	if !found.kept.isEmpty() && len(result.Changes) == 0 {
		result.Changes = []protocol.Change{ranChange(title, "in a terminal, since the last call")}
	}
	if len(result.Changes) > 0 {
		result.Changes[0] = found.kept.complete(result.Changes[0])
	}
	result.Text = insertLine(result.Text, found.kept.note(protocol.MaxNamedPaths))
	result.Changes = append(result.Changes, found.ledger()...)
	return result, err
}

func (m *terminals) open(ctx context.Context, args terminalArgs) (worker.Result, error) {
	if args.Command != "" {
		if err := checkCommand(args.Command); err != nil {
			return worker.Result{}, err
		}
	}
	args.Rows, args.Cols = cmp.Or(args.Rows, defaultRows), cmp.Or(args.Cols, defaultCols)
	if err := checkSize(args); err != nil {
		return worker.Result{}, err
	}
	t, err := m.add(args)
	if err != nil {
		return worker.Result{}, err
	}
	r, err := t.show(ctx, args, defaultWait, waitStart{})
	// recorded even if the wait failed, because the program runs
	r.Changes = []protocol.Change{ranChange(t.title, fmt.Sprintf("in terminal %d", t.id))}
	return r, err
}

func (m *terminals) send(ctx context.Context, args terminalArgs) (worker.Result, error) {
	if args.Text == "" && args.Keys == "" {
		return worker.Result{}, errors.New("send: give text, keys or both")
	}
	if len(args.Text) > maxText {
		return worker.Result{}, fmt.Errorf("send: the text has %s, and at most %s can be typed at once",
			amount.FormatBytes(int64(len(args.Text))), amount.FormatBytes(maxText))
	}
	t, err := m.findRunning(args.ID)
	if err != nil {
		return worker.Result{}, err
	}
	t.mu.Lock()
	app := t.screen.appKeys
	t.mu.Unlock()
	pressed, err := keySequence(args.Keys, app)
	if err != nil {
		return worker.Result{}, err
	}
	from := t.beginWait(args.WaitFor)
	if err := t.typeText(args.Text + pressed); err != nil {
		return worker.Result{}, err
	}
	r, err := t.show(ctx, args, defaultWait, from)
	// recorded even if the wait failed, because the program has the text
	r.Changes = []protocol.Change{ranChange(t.title, fmt.Sprintf("in terminal %d", t.id))}
	return r, err
}

func (m *terminals) read(ctx context.Context, args terminalArgs) (worker.Result, error) {
	t, err := m.find(args.ID)
	if err != nil {
		return worker.Result{}, err
	}
	return t.show(ctx, args, 0, waitStart{})
}

func (m *terminals) resize(ctx context.Context, args terminalArgs) (worker.Result, error) {
	if err := checkSize(args); err != nil {
		return worker.Result{}, err
	}
	t, err := m.findRunning(args.ID)
	if err != nil {
		return worker.Result{}, err
	}
	if err := t.resize(args.Rows, args.Cols); err != nil {
		return worker.Result{}, err
	}
	return t.show(ctx, args, defaultWait, waitStart{})
}

func checkSize(args terminalArgs) error {
	if args.Rows < minRows || args.Rows > maxRows || args.Cols < minCols || args.Cols > maxCols {
		return fmt.Errorf("rows %d, cols %d: want %d to %d rows and %d to %d cols",
			args.Rows, args.Cols, minRows, maxRows, minCols, maxCols)
	}
	return nil
}

func (m *terminals) closeOne(_ context.Context, args terminalArgs) (worker.Result, error) {
	t, err := m.find(args.ID)
	if err != nil {
		return worker.Result{}, err
	}
	t.close(stateClosed)
	return worker.Result{Text: t.name() + " was closed.", Brief: "closed"}, nil
}

func (m *terminals) list(context.Context, terminalArgs) (worker.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var lines []string
	for _, t := range m.sorted() {
		lines = append(lines, t.summary())
	}
	if len(lines) == 0 {
		return worker.Result{Text: "No terminal is open; they end with the worker, after a while without use.", Brief: "none"}, nil
	}
	return worker.Result{Text: strings.Join(lines, "\n"), Brief: amount.Plural(len(lines), "terminal", "terminals")}, nil
}
