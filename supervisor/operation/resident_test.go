package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/pool"
)

// workerOperations are operations of a worker that also runs its user's turns. Each writes a line
// with its process into the file runs.
var workerOperations = map[protocol.OperationKind]func(
	*testWorker, context.Context, protocol.OperationStart,
) (any, error){
	protocol.OperationKindIndex:   (*testWorker).index,
	protocol.OperationKindCheck:   (*testWorker).check,
	protocol.OperationKindReceive: (*testWorker).receive,
	protocol.OperationKindTranscribe: func(w *testWorker, ctx context.Context, start protocol.OperationStart) (any,
		error) {
		var p protocol.TranscribeParameters
		if err := json.Unmarshal(start.Parameters, &p); err != nil {
			return nil, err
		}
		return w.transcribe(ctx, start, p)
	},
}

// noteRun appends a line to the file runs, and returns how often the line is in the file.
func noteRun(line string) int {
	return strings.Count("\n"+note("runs", fmt.Sprintf("%s %d\n", line, os.Getpid())), "\n"+line+" ")
}

// waitWhileHeld waits while a file with that name is in the home or in the folder above.
func waitWhileHeld(ctx context.Context, name string) {
	for ctx.Err() == nil {
		_, err := os.Stat(name)
		if _, all := os.Stat(filepath.Join("..", name)); err != nil && all != nil {
			return
		}
		<-time.After(time.Millisecond)
	}
}

// index fails at its first two attempts.
func (w *testWorker) index(ctx context.Context, _ protocol.OperationStart) (any, error) {
	times := noteRun("index")
	waitWhileHeld(ctx, "hold-index")
	if times < 3 {
		return nil, &protocol.Error{Code: protocol.CodeFailed, Message: "not now"}
	}
	return protocol.OperationEnd{Result: json.RawMessage(`{}`)}, nil
}

func (w *testWorker) check(ctx context.Context, _ protocol.OperationStart) (any, error) {
	noteRun("look")
	waitWhileHeld(ctx, "hold-look")
	return protocol.OperationEnd{Result: json.RawMessage(`{}`)}, nil
}

func (w *testWorker) receive(ctx context.Context, start protocol.OperationStart) (any, error) {
	noteRun(fmt.Sprintf("receive:%d", start.Operation))
	if w.behaviour == "dies" {
		waitWhileHeld(ctx, "alive")
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	waitWhileHeld(ctx, "hold-receive")
	if ctx.Err() != nil {
		return nil, &protocol.Error{Code: protocol.CodeCancelled, Message: "cancelled"}
	}
	return protocol.OperationEnd{Result: json.RawMessage(`{"files":[]}`)}, nil
}

// transcribe transcribes a recording in pieces of a minute.
func (w *testWorker) transcribe(ctx context.Context, start protocol.OperationStart,
	p protocol.TranscribeParameters) (any, error) {
	of := (p.Seconds + 59) / 60
	var done *protocol.TranscribedPiece
	text := ""
	for _, piece := range start.Pieces {
		text += piece.Text
	}
	for i := len(start.Pieces); ; i++ {
		ask := protocol.OperationPiece{Operation: start.Operation, Piece: i, Total: of, Done: done}
		if i < of {
			ask.Seconds = min(60, p.Seconds-60*i)
		}
		if err := w.conn.Call(ctx, protocol.MethodOperationPiece, ask, nil); err != nil {
			return nil, &protocol.Error{Code: protocol.CodeCancelled, Message: "cancelled"}
		}
		if i == of {
			result, err := json.Marshal(protocol.TranscribeResult{Text: text, Seconds: p.Seconds})
			return protocol.OperationEnd{Result: result}, err
		}
		times := noteRun(fmt.Sprintf("%s:%d", p.Path, i))
		_ = w.conn.Notify(ctx, protocol.MethodOperationProgress, protocol.OperationProgress{Operation: start.Operation, Seconds: 60*i + 1})
		if w.behaviour == "crashes" && i == 1 && times == 1 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		waitWhileHeld(ctx, fmt.Sprintf("hold-%s-%d", p.Path, i))
		done = &protocol.TranscribedPiece{Text: fmt.Sprint(i)}
		text += done.Text
	}
}

// begin starts an operation.
func (r *rig) begin(user string, kind protocol.OperationKind, parameters string) supervisor.Operation {
	r.Helper()
	op, err := r.operations.Start(r.Context(), supervisor.Operation{User: user, Kind: kind, Parameters: parameters})
	if err != nil {
		r.Fatal(err)
	}
	return op
}

func (r *rig) receive(user string) supervisor.Operation {
	return r.begin(user, protocol.OperationKindReceive, `{"sent_at":1,"files":[]}`)
}

func (r *rig) transcribe(user, name string, seconds int) supervisor.Operation {
	return r.begin(user, protocol.OperationKindTranscribe,
		fmt.Sprintf(`{"path":%q,"seconds":%d,"engine":{"engine":"command"}}`, name, seconds))
}

// hold prevents operations of a user's worker from ending until letGo is called. user "" means all
// users.
func (r *rig) hold(user, name string) (letGo func()) {
	r.Helper()
	if user != "" {
		if _, err := r.spec(user, pool.ProfileUser); err != nil {
			r.Fatal(err)
		}
	}
	path := filepath.Join(r.root, user, name)
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		r.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			r.Error(err)
		}
	}
}

// waitFor waits until a condition is true.
func (r *rig) waitFor(what string, is func() bool) {
	r.Helper()
	for ended := time.Now().Add(time.Minute); !is(); <-time.After(time.Millisecond) {
		if time.Now().After(ended) {
			r.Fatalf("never: %s", what)
		}
	}
}

// runs returns the operations that a user's workers ran, and their processes.
func (r *rig) runs(user string) (lines, processes []string) {
	text, _ := os.ReadFile(filepath.Join(r.root, user, "runs"))
	for line := range strings.Lines(string(text)) {
		what, process, _ := strings.Cut(strings.TrimSpace(line), " ")
		lines = append(lines, what)
		if !slices.Contains(processes, process) {
			processes = append(processes, process)
		}
	}
	return lines, processes
}

func (r *rig) hasRun(user, what string) func() bool {
	return func() bool {
		lines, _ := r.runs(user)
		return slices.Contains(lines, what)
	}
}

func (r *rig) waitDone(op supervisor.Operation) supervisor.Operation {
	r.Helper()
	now := r.wait(op.ID)
	if now.State != supervisor.OperationDone {
		r.Errorf("it is %+v", now)
	}
	return now
}

func TestRun_TwoUrgentOneBackground_ShareWorker(t *testing.T) {
	r := newRig(t)
	r.startService()
	letGo, finish := r.hold("ann", "hold-receive"), r.hold("ann", "hold-talk-0")
	talk := r.transcribe("ann", "talk", 60)
	ops := []supervisor.Operation{r.receive("ann"), r.receive("ann"), r.receive("ann")}
	r.waitFor("two files are received during a transcription", func() bool {
		lines, _ := r.runs("ann")
		return len(lines) == 3
	})
	if op, _, err := r.db.Operations().Find(t.Context(), ops[2].ID); err != nil || op.State != supervisor.OperationWaiting {
		t.Errorf("the third is %+v, %v", op, err)
	}
	r.waitDone(r.receive("bob")) // operations of different users do not wait for each other
	letGo()
	for _, op := range ops {
		r.waitDone(op)
	}
	finish()
	r.waitDone(talk)
	if lines, processes := r.runs("ann"); len(lines) != 4 || len(processes) != 1 {
		t.Errorf("done were %q by %q", lines, processes)
	}
	if len(r.audited) > 0 {
		t.Errorf("audited %q", r.audited)
	}
}

// A short note is transcribed before the rest of a long recording, of the same or another user.
func TestTranscribe_ShortNote_OvertakesLongOne(t *testing.T) {
	for _, user := range []string{"ann", "bob"} {
		t.Run(user, func(t *testing.T) {
			r := newRig(t)
			r.startService()
			inPiece, inNote := r.hold("ann", "hold-lecture-1"), r.hold(user, "hold-note-0")
			lecture := r.transcribe("ann", "lecture", 3600)
			r.waitFor("the lecture is in its second piece", r.hasRun("ann", "lecture:1"))
			// the last notification may not have arrived yet
			if come := r.operations.TranscribedSeconds(lecture.ID); come != 61 && come != 1 {
				t.Errorf("it has come to %d s", come)
			}
			note := r.transcribe(user, "note", 5)
			later := r.transcribe(user, "later", 3601)
			if user == "bob" && len(r.starts("bob")) > 0 {
				t.Error("a worker runs while its operation waits for a slot")
			}
			inPiece()
			r.waitFor("the note is transcribed", r.hasRun(user, "note:0"))
			if op, _, err := r.db.Operations().Find(t.Context(), lecture.ID); err != nil || op.State != supervisor.OperationWaiting {
				t.Errorf("while the note is transcribed the lecture is %+v, %v", op, err)
			}
			inNote()
			r.waitDone(note)
			r.waitDone(later)
			if op := r.waitDone(lecture); op.Deaths != 0 || !strings.HasPrefix(op.Result, `{"text":"0123456789101112`) {
				t.Errorf("the lecture: %+v", op)
			}
			lines, _ := r.runs("ann")
			if n := len(slices.DeleteFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "lecture:") })); n != 60 {
				t.Errorf("%d pieces were transcribed, want 60", n)
			}
		})
	}
}

func TestTranscribe_WorkerDies_RepeatsOnePiece(t *testing.T) {
	r := newRig(t)
	r.startService()
	op := r.waitDone(r.transcribe("crashes", "talk", 240))
	lines, processes := r.runs("crashes")
	if want := []string{"talk:0", "talk:1", "talk:1", "talk:2", "talk:3"}; !slices.Equal(lines, want) || len(processes) != 2 || op.Deaths != 1 {
		t.Errorf("run were %q in %q, %+v", lines, processes, op)
	}
	var result protocol.TranscribeResult
	if err := json.Unmarshal([]byte(op.Result), &result); err != nil || result.Text != "0123" {
		t.Errorf("transcribed is %+v, %v", result, err)
	}
	if pieces, err := r.db.Operations().ListPieces(t.Context(), op.ID); len(pieces) > 0 || err != nil {
		t.Errorf("pieces kept after its end: %v, %v", pieces, err)
	}
}

func TestTranscribe_Restart_RepeatsOnePiece(t *testing.T) {
	r := newRig(t)
	end := r.startService()
	letGo := r.hold("ann", "hold-talk-2")
	op := r.transcribe("ann", "talk", 240)
	r.waitFor("it is in its third piece", r.hasRun("ann", "talk:2"))
	end()
	letGo()
	r.startService()
	r.waitDone(op)
	if lines, _ := r.runs("ann"); !slices.Equal(lines, []string{"talk:0", "talk:1", "talk:2", "talk:2", "talk:3"}) {
		t.Errorf("run were %q", lines)
	}
}

// If a shared worker dies, its operation runs again when the worker has no other work. The death
// does not count.
func TestRun_SharedWorkerDies_CountsNoDeath(t *testing.T) {
	r := newRig(t)
	r.startService()
	letDie := r.hold("dies", "alive")
	op := r.receive("dies")
	r.waitFor("it has begun", func() bool { return len(r.starts("dies")) == 1 })
	spec, err := r.spec("dies", pool.ProfileUser)
	if err != nil {
		t.Fatal(err)
	}
	turn, err := r.pool.Acquire(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	letDie()
	<-turn.Done()
	again, err := r.pool.Acquire(t.Context(), spec) // acquires the worker at once, as a turn would
	if err != nil {
		t.Fatal(err)
	}
	turn.Release()
	r.waitFor("it waits", func() bool {
		now, _, err := r.db.Operations().Find(t.Context(), op.ID)
		return err == nil && now.State == supervisor.OperationWaiting
	})
	if now, _, err := r.db.Operations().Find(t.Context(), op.ID); err != nil || now.Deaths != 0 || len(r.starts("dies")) != 1 {
		t.Errorf("beside the turn it is %+v after %d starts, %v", now, len(r.starts("dies")), err)
	}
	again.Release()
	if now := r.wait(op.ID); now.State != supervisor.OperationParked || now.Deaths != supervisor.MaxWorkerDeaths ||
		len(r.starts("dies")) != 4 {
		t.Errorf("alone it is %+v after %d starts", now, len(r.starts("dies")))
	}
}

// An eviction does not wait for operations. It does not count as a death.
func TestRun_WorkerEvicted_OperationContinues(t *testing.T) {
	r := newRig(t)
	r.startService()
	letGo := r.hold("ann", "hold-talk-1")
	op := r.transcribe("ann", "talk", 120)
	r.waitFor("it is in its second piece", r.hasRun("ann", "talk:1"))
	if err := r.pool.Evict(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	letGo()
	if now := r.waitDone(op); now.Deaths != 0 {
		t.Errorf("it is %+v", now)
	}
	if lines, _ := r.runs("ann"); !slices.Equal(lines, []string{"talk:0", "talk:1", "talk:1"}) {
		t.Errorf("run were %q", lines)
	}
}

func TestCancelledOperation_CountsAsFailed(t *testing.T) {
	r := newRig(t)
	r.startService()
	letGo := r.hold("ann", "hold-receive")
	ops := []supervisor.Operation{r.receive("ann"), r.receive("ann")}
	r.waitFor("two run", func() bool { return len(r.starts("ann")) == 2 })
	waits := r.receive("ann")
	for _, op := range []supervisor.Operation{waits, ops[0]} {
		if err := r.operations.Cancel(t.Context(), op.ID, "cancelled"); err != nil {
			t.Error(err)
		}
		if now := r.wait(op.ID); now.State != supervisor.OperationFailed || !strings.Contains(now.Result, "cancelled") {
			t.Errorf("it is %+v", now)
		}
	}
	last := r.receive("ann") // a slot is free now
	r.waitFor("the next runs", func() bool { return len(r.starts("ann")) == 3 })
	letGo()
	r.waitDone(ops[1])
	r.waitDone(last)
	if err := errors.Join(r.operations.Cancel(t.Context(), last.ID, "cancelled"), r.operations.Cancel(t.Context(), 4711, "cancelled")); err != nil {
		t.Errorf("one that has ended, and one that is not there: %v", err)
	}
	if _, processes := r.runs("ann"); len(processes) != 1 {
		t.Errorf("it took the workers %q", processes)
	}
}

// Failed indexing is repeated without a new change in the home. The repeated indexing starts no
// worker.
func TestIndexHome_Failure_IsRepeated(t *testing.T) {
	r := newRig(t)
	r.startService()
	letGo := r.hold("alice", "hold-receive")
	op := r.receive("alice")
	r.waitFor("a worker runs", r.hasRun("alice", fmt.Sprintf("receive:%d", op.ID)))
	r.operations.IndexHome("bob")
	r.operations.IndexHome("alice")
	r.waitFor("the third attempt", func() bool {
		lines, _ := r.runs("alice")
		return len(lines) == 4
	})
	letGo()
	r.waitDone(op)
	if lines, _ := r.runs("bob"); len(lines) > 0 {
		t.Errorf("bob's worker did %q", lines)
	}
}

// While a worker indexes a home, it counts as idle and can be evicted.
func TestIndexHome_Running_WorkerCanBeEvicted(t *testing.T) {
	r := newRig(t)
	r.startService()
	letGo := r.hold("ann", "hold-index")
	r.waitDone(r.receive("ann"))
	r.operations.IndexHome("ann")
	r.waitFor("the home is indexed", r.hasRun("ann", "index"))
	r.waitFor("its worker is idle", func() bool { return r.pool.List()[0].State == pool.StateIdle })
	if err := r.pool.Evict(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	letGo()
	r.operations.IndexHome("ann")
	r.waitDone(r.transcribe("bob", "note", 5)) // the slot is free again
	if lines, processes := r.runs("ann"); len(lines) != 2 || len(processes) != 1 {
		t.Errorf("done were %q by %q", lines, processes)
	}
}

// Operations that index a home are not stored. The deletion of old blobs must not mistake such an
// operation for an ended operation.
func TestBlobs_WhileIndexingHome_AreKept(t *testing.T) {
	r := newRig(t)
	if err := os.MkdirAll(filepath.Join(r.folder, fmt.Sprint(1<<62+1)), 0o700); err != nil {
		t.Fatal(err)
	}
	r.startService()
	letGo := r.hold("ann", "hold-index")
	r.waitDone(r.receive("ann"))
	r.operations.IndexHome("ann")
	r.waitFor("the home is indexed", r.hasRun("ann", "index"))
	if _, err := os.Stat(filepath.Join(r.folder, fmt.Sprint(1<<62+1))); err != nil {
		t.Error(err)
	}
	r.operations.DeleteOldBlobs(t.Context())
	if _, err := os.Stat(filepath.Join(r.folder, fmt.Sprint(1<<62+1))); err != nil {
		t.Error(err)
	}
	letGo()
}

// Recordings get the only slot before indexing, in whichever order they came.
func TestRun_Recordings_GoBeforeIndexing(t *testing.T) {
	r := newRig(t)
	r.startService()
	first := r.hold("ann", "hold-first-0")
	r.waitDone(r.receive("bob"))
	ann := r.transcribe("ann", "first", 60)
	r.waitFor("a recording is transcribed", r.hasRun("ann", "first:0"))
	r.operations.IndexHome("bob")
	r.waitFor("the home waits", func() bool { return r.operations.BackgroundQueueLength() == 1 })
	long := r.transcribe("bob", "long", 3600)
	r.waitFor("the recording waits", func() bool { return r.operations.BackgroundQueueLength() == 2 })
	first()
	r.waitDone(ann)
	r.waitDone(long)
	lines, _ := r.runs("bob")
	if i, n := slices.Index(lines, "index"), slices.Index(lines, "long:59"); i >= 0 && i < n {
		t.Errorf("bob's worker did %q", lines)
	}
}
