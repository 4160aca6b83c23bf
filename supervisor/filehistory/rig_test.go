package filehistory

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/presses"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// worker is a fake of the user's worker. It answers each action with a result, and stores the
// parameters that it got.
type worker struct {
	results map[protocol.FileHistoryAction]protocol.FileHistoryResult
	undone  protocol.UndoneSpan
	why     string // the reason why an undo ends early; "" means that it does not
	fails   string // the reason why operations fail; "" means that they do not
	asked   []protocol.FileHistoryParameters
	spans   []protocol.HistorySpan
	forced  bool // the last undo also overwrites files that have changed since
	done    supervisor.Operation
	inbound int64 // of the last operation
	kept    sqlite.Operations
	busy    int // number of waits that end before the operation
}

func (w *worker) Start(_ context.Context, op supervisor.Operation) (supervisor.Operation, error) {
	var result any
	w.inbound = op.Inbound
	if op.Kind == protocol.OperationKindUndo {
		var p protocol.UndoParameters
		if err := json.Unmarshal([]byte(op.Parameters), &p); err != nil {
			return op, err
		}
		w.spans, w.forced = append(w.spans, *p.Changes[0].Span), p.Action == protocol.UndoActionForce
		change := protocol.UndoneChange{Outcome: protocol.UndoOutcomeDone, Why: w.why, Span: &w.undone}
		if w.why != "" {
			change.Outcome = protocol.UndoOutcomeFailed
		}
		result = protocol.UndoResult{Changes: []protocol.UndoneChange{change}}
	} else {
		var p protocol.FileHistoryParameters
		if err := json.Unmarshal([]byte(op.Parameters), &p); err != nil {
			return op, err
		}
		w.asked = append(w.asked, p)
		result = w.results[p.Action]
	}
	encoded, err := json.Marshal(result)
	w.done = supervisor.Operation{ID: op.Inbound, User: op.User, Kind: op.Kind, Inbound: op.Inbound,
		Position:   op.Position,
		Parameters: op.Parameters, State: supervisor.OperationDone, Result: string(encoded)}
	if w.fails != "" {
		w.done.State, w.done.Result = supervisor.OperationFailed, w.fails
	}
	if op.Inbound == 0 && err == nil {
		err = w.store(op)
	}
	return w.done, err
}

// store stores the operation, which has ended.
func (w *worker) store(op supervisor.Operation) error {
	stored, err := w.kept.Put(context.Background(), op)
	w.done.ID = stored.ID
	if err == nil {
		err = w.kept.ChangeState(context.Background(), stored.ID, supervisor.OperationRunning, "")
	}
	if err == nil {
		err = w.kept.ChangeState(context.Background(), stored.ID, w.done.State, w.done.Result)
	}
	return err
}

func (w *worker) Wait(ctx context.Context, _ int64) (supervisor.Operation, error) {
	if w.busy--; w.busy >= 0 {
		<-ctx.Done()
		return supervisor.Operation{}, ctx.Err()
	}
	return w.done, nil
}

func (w *worker) last() protocol.FileHistoryParameters { return w.asked[len(w.asked)-1] }

// commands are the inbounds of ann's earlier commands.
type commands map[int64]string

func (c commands) Find(_ context.Context, user string, inbound int64) (in supervisor.Inbound, ok bool, err error) {
	text, ok := c[inbound]
	return supervisor.Inbound{ID: inbound, Text: text, ReceivedAt: now}, ok && user == "ann", nil
}

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// rig is a FileHistory with a database and a fake worker.
type rig struct {
	*testing.T
	*FileHistory
	worker *worker
	db     *sqlite.DB
	sent   commands
	off    string
	told   []string
	chat   supervisor.Conversation
	// number of presses, and the last one
	pressed   int64
	lastPress string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	store, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	r := &rig{T: t, worker: &worker{results: map[protocol.FileHistoryAction]protocol.FileHistoryResult{}},
		db:   sqlitetest.Open(t),
		sent: commands{}, chat: supervisor.Conversation{ID: 1, User: "ann", Channel: supervisor.ChannelTelegram,
			Chat: "42"}}
	r.worker.kept = r.db.Operations()
	r.FileHistory = New(Options{Operations: r.worker, Kept: r.db.Operations(), Effects: r.db.Effects(),
		Settings: r.db.Settings(),
		Blobs:    r.db.Blobs(), Sent: r.sent, Spool: store, WhyOff: func(string) string { return r.off },
		ShowDiff: func(ref protocol.BlobRef) (supervisor.Delivery, error) {
			return supervisor.Delivery{Text: "diff of " + ref.SHA256}, nil
		},
		Running: func() []string { return []string{"ann"} },
		TellOnce: func(_ context.Context, user, name, text string) {
			r.told = append(r.told, user+" "+name+": "+text)
		},
		Zone: func(string) *time.Location { return time.UTC }, Now: func() time.Time { return now },
		Report: func(err error) { t.Error(err) }})
	return r
}

// ask runs `/history files` with arguments.
func (r *rig) ask(arguments string) supervisor.Delivery {
	r.Helper()
	r.sent[7] = "/history files " + arguments
	d, err := r.Subcommand().Run(r.Context(), feature.CommandRequest{Conversation: r.chat, Inbound: 7, At: now,
		Arguments: arguments})
	if err != nil {
		d.Text = err.Error()
	}
	return d
}

// press presses the button with a text below an answer.
func (r *rig) press(below supervisor.Delivery, text string) supervisor.Delivery {
	r.Helper()
	for _, row := range below.Buttons {
		for _, b := range row {
			if b.Text == text {
				return r.pressRaw(b.Press)
			}
		}
	}
	r.Fatalf("no button %q below %+v", text, below)
	return supervisor.Delivery{}
}

func (r *rig) pressRaw(press string) supervisor.Delivery {
	r.Helper()
	r.pressed++
	r.lastPress = press
	return r.pressAgain()
}

// pressAgain runs the last press again, as after a crash.
func (r *rig) pressAgain() supervisor.Delivery {
	r.Helper()
	press := r.lastPress
	if len(press) > 64 {
		r.Errorf("the press %q is too long", press)
	}
	d, err := r.Subcommand().Press(r.Context(), feature.CommandRequest{Conversation: r.chat,
		Inbound: 7 + r.pressed, At: now, Arguments: strings.TrimPrefix(press, presses.FileHistoryPrefix)})
	if err != nil {
		d.Text = err.Error()
	}
	return d
}

// store puts bytes of ann into the spool.
func (r *rig) store(text string) *protocol.BlobRef {
	r.Helper()
	ref, err := r.Spool.StoreBytes("a version", []byte(text))
	if err == nil {
		err = r.db.Blobs().AddOwner(r.Context(), "ann", ref, 0)
	}
	if err != nil {
		r.Fatal(err)
	}
	return &ref
}

// ledger lists the effects of ann, newest first.
func (r *rig) ledger() (lines []string) {
	r.Helper()
	list, err := r.db.Effects().List(r.Context(), supervisor.EffectQuery{User: "ann", Limit: 10})
	if err != nil {
		r.Fatal(err)
	}
	for _, e := range list {
		lines = append(lines, e.Kind+" "+e.Target+" "+e.Detail)
	}
	return lines
}

func texts(d supervisor.Delivery) (texts []string) {
	for _, row := range d.Buttons {
		for _, b := range row {
			texts = append(texts, b.Text)
		}
	}
	return texts
}
