package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/hostcall"
	"mews/supervisor/operation"
	"mews/supervisor/pool"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// rig runs operations on real workers. The name of a home says how its worker behaves.
type rig struct {
	*testing.T
	root, folder string
	clockOffset  time.Duration // by how much the clock was moved forward
	unserved     atomic.Value  // name of the user who is not served
	db           *sqlite.DB
	operations   *operation.Operations[*hostcall.Conn]
	pool         *pool.Pool[*hostcall.Conn]

	mu      sync.Mutex // guards the field audited
	audited []string
}

func newRig(t *testing.T) *rig {
	r := &rig{T: t, db: sqlitetest.Open(t), root: t.TempDir(), folder: filepath.Join(t.TempDir(), "operations")}
	if err := os.Chmod(r.root, 0o711); err != nil {
		t.Fatal(err)
	}
	return r
}

// startService runs the service until the test ends, or calls the returned function.
func (r *rig) startService() (end func()) {
	r.Helper()
	o := pool.SpawnerOptions{Path: spawnerPath, Worker: workerPath, Tier: "off", Least: "off", Log: hclog.NewNullLogger()}
	if os.Getuid() == 0 { // workers never run as root
		o.UID, o.GID = stranger, stranger
	}
	spawner, err := pool.StartSpawner(context.Background(), o)
	if err != nil {
		r.Fatal(err)
	}
	audit := func(user, action, detail string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.audited = append(r.audited, user+" "+action+" "+detail)
	}
	calls := &hostcall.Options{Audit: audit, Log: hclog.NewNullLogger(), Now: time.Now}
	workers := pool.New(pool.Options[*hostcall.Conn]{
		Spawner: spawner, Log: hclog.NewNullLogger(), Now: time.Now,
		Timings: pool.Timings{Grace: 100 * time.Millisecond, BackoffMin: time.Millisecond, BackoffMax: 10 * time.Millisecond},
		Host:    func(user string, end func(error)) *hostcall.Conn { return hostcall.NewConn(calls, user, end) },
	})
	r.pool = workers
	r.operations = operation.New(operation.Options[*hostcall.Conn]{
		Store: r.db.Operations(), Pool: workers, Spec: r.spec, Folder: r.folder, Audit: audit, Log: hclog.NewNullLogger(),
		Now:    func() time.Time { return time.Now().Add(r.clockOffset) },
		Serves: func(user string) bool { return r.unserved.Load() != user },
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{workers.Run, r.operations.Run} {
		running.Go(func() {
			if err := run(ctx); err != nil {
				r.Error(err)
			}
		})
	}
	end = sync.OnceFunc(func() { cancel(); running.Wait() })
	r.Cleanup(end)
	return end
}

// stranger is a Unix user id that belongs to nobody.
const stranger = 54352

// spec makes a user's home, and returns the spec of their worker.
func (r *rig) spec(user string, p pool.WorkerProfile) (pool.WorkerSpec, error) {
	if user == "nobody" {
		return pool.WorkerSpec{}, errors.New("no such person")
	}
	home := filepath.Join(r.root, user)
	if err := os.Mkdir(home, 0o700); err == nil && os.Getuid() == 0 {
		if err := os.Chown(home, stranger, stranger); err != nil {
			return pool.WorkerSpec{}, err
		}
	}
	return pool.WorkerSpec{Key: user, Profile: p, Location: pool.WorkerLocation{Root: r.root, Path: user},
		Hello: &protocol.Hello{User: user, Home: "."}}, nil
}

// start starts an operation that archives a user's home.
func (r *rig) start(user string) supervisor.Operation {
	r.Helper()
	op, err := r.operations.Start(r.Context(), supervisor.Operation{User: user, Kind: protocol.OperationKindArchive,
		Parameters: `{"max_bytes":1048576}`})
	if err != nil {
		r.Fatal(err)
	}
	return op
}

// wait waits for an operation's end and returns the operation.
func (r *rig) wait(id int64) supervisor.Operation {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	op, err := r.operations.Wait(ctx, id)
	if err != nil {
		r.Fatal(err)
	}
	return op
}

// starts returns the ids of operations that a user's workers began.
func (r *rig) starts(user string) []string {
	text, _ := os.ReadFile(filepath.Join(r.root, user, "starts"))
	return strings.Fields(string(text))
}

// committedText returns the text that an operation has committed.
func (r *rig) committedText(op supervisor.Operation) string {
	r.Helper()
	var result protocol.ArchiveResult
	if err := json.Unmarshal([]byte(op.Result), &result); err != nil {
		r.Fatal(err)
	}
	file, size, err := r.operations.OpenBlob(op.ID, result.Blob.SHA256)
	if errors.Is(err, spool.ErrBlobGone) {
		return ""
	}
	if err != nil {
		r.Fatal(err)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	if err != nil || size != int64(len(text)) {
		r.Errorf("read %d of %d, %v", len(text), size, err)
	}
	return string(text)
}

func TestRun_StartedOperation_IsDone(t *testing.T) {
	r := newRig(t)
	r.startService()
	op := r.wait(r.start("good").ID)
	if op.State != supervisor.OperationDone || r.committedText(op) != "the archive" {
		t.Errorf("it is %+v, kept is %q", op, r.committedText(op))
	}
	if again := r.wait(op.ID); again.State != op.State {
		t.Errorf("waited for again, it is %+v", again)
	}
	r.operations.DeleteBlobs(op.ID)
	if r.committedText(op) != "" {
		t.Error("it is kept after it was fetched")
	}
}

func TestRun_WorkerDies_RepeatsWithSameID(t *testing.T) {
	r := newRig(t)
	r.startService()
	op := r.wait(r.start("flaky").ID)
	if op.State != supervisor.OperationDone || op.Deaths != 2 || !slices.Equal(r.starts("flaky"), []string{"1", "1", "1"}) {
		t.Errorf("it is %+v, begun were %v", op, r.starts("flaky"))
	}
	if r.committedText(op) != "the archive" {
		t.Errorf("kept is %q", r.committedText(op))
	}
}

func TestRun_ThreeDeaths_ParksOperation(t *testing.T) {
	r := newRig(t)
	r.startService()
	op := r.wait(r.start("dies").ID)
	if op.State != supervisor.OperationParked || op.Deaths != 3 || len(r.starts("dies")) != 3 || !strings.Contains(op.Result, "3 attempts") {
		t.Errorf("it is %+v, begun were %v", op, r.starts("dies"))
	}
	if _, err := os.Stat(filepath.Join(r.folder, "1")); err == nil {
		t.Error("its committed blob is kept")
	}
}

func TestRun_Restart_ContinuesOperation(t *testing.T) {
	r := newRig(t)
	end := r.startService()
	op := r.start("hangs")
	for ended := time.Now().Add(time.Minute); len(r.starts("hangs")) == 0 && time.Now().Before(ended); {
		<-time.After(time.Millisecond)
	}
	end()
	if was, _, err := r.db.Operations().Find(t.Context(), op.ID); err != nil || was.State != supervisor.OperationRunning || was.Deaths != 0 {
		t.Errorf("at the end of the first life it is %+v, %v", was, err)
	}
	r.startService()
	if op = r.wait(op.ID); op.State != supervisor.OperationDone || !slices.Equal(r.starts("hangs"), []string{"1", "1"}) {
		t.Errorf("it is %+v, begun were %v", op, r.starts("hangs"))
	}
}

func TestRun_Failure_SaysWhy(t *testing.T) {
	r := newRig(t)
	r.startService()
	for user, want := range map[string]string{
		"refuses": "its process reported a failure",
		"forges":  "its process reported a failure",
		"nobody":  "no process can be started",
		"older":   "can't be started: its program is of another version than the service. An admin has to install",
	} {
		op := r.wait(r.start(user).ID)
		if op.State != supervisor.OperationFailed || !strings.Contains(op.Result, want) || strings.Contains(op.Result, "secret") {
			t.Errorf("%s: it is %+v, want %q", user, op, want)
		}
	}
	if len(r.audited) != 1 || !strings.Contains(r.audited[0], "forges worker.offence the result of operation") {
		t.Errorf("audited %q", r.audited)
	}
}

func TestRun_UnknownKindOrID_Fails(t *testing.T) {
	r := newRig(t)
	op, err := r.db.Operations().Put(t.Context(), supervisor.Operation{User: "good", Kind: "dance", Parameters: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	r.startService()
	if op = r.wait(op.ID); op.State != supervisor.OperationFailed || !strings.Contains(op.Result, "does not know how") {
		t.Errorf("unknown kind: %+v", op)
	}
	if _, err := r.operations.Wait(t.Context(), 4711); supervisor.ErrorCodeOf(err) != supervisor.CodeNotFound {
		t.Errorf("unknown id: %v", err)
	}
}

func TestCommittedBlobs_AfterAnHour_AreDeleted(t *testing.T) {
	r := newRig(t)
	end := r.startService()
	op := r.wait(r.start("good").ID)
	for _, step := range []struct {
		after time.Duration
		kept  string
	}{{59 * time.Minute, "the archive"}, {2 * time.Minute, ""}} {
		end()
		r.clockOffset += step.after
		end = r.startService()
		r.wait(r.start("good").ID) // Run deletes old blobs before it begins an operation
		if got := r.committedText(op); got != step.kept {
			t.Errorf("after %v kept is %q", r.clockOffset, got)
		}
	}
}
