package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/budget"
	"mews/supervisor/github"
	"mews/supervisor/hostcall"
	"mews/supervisor/modelcall"
	"mews/supervisor/placement"
	"mews/supervisor/pool"
	"mews/supervisor/reply"
	"mews/supervisor/session"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// reviewRig runs a review for ann in real sandboxed workers, on a real database. The test plays the
// model.
type reviewRig struct {
	testing.TB
	db       *sqlite.DB
	kept     *spool.Spool
	end      func() // stops the current supervisor
	workers  *Pool
	turn     supervisor.Turn
	material protocol.BlobRef
	reports  []protocol.ReviewReport
	reported github.ReportReceiver
	models   hostcall.Models

	mu          sync.Mutex // guards the fields below
	asked       []string   // the first word of each task that the model was given
	mostPrivate int        // the largest private memory of a worker during a call, in KB
	committed   func()     // called after the commit of each child window
	audited     []string
	stderr      strings.Builder
}

const dollar = 1_000_000

func newReviewRig(t testing.TB, material protocol.ReviewMaterial) *reviewRig {
	return newReviewRigOf(t, material, nil)
}

// newReviewRigOf returns a rig whose turns ask models; nil means that the rig plays the model.
func newReviewRigOf(t testing.TB, material protocol.ReviewMaterial, models hostcall.Models) *reviewRig {
	r := &reviewRig{TB: t, db: sqlitetest.Open(t), committed: func() {}, models: models}
	if models == nil {
		r.models = r
	}
	kept, err := spool.Open(t.TempDir())
	r.must(err)
	t.Cleanup(func() { kept.Close() })
	r.kept = kept
	text, err := json.Marshal(material)
	r.must(err)
	file, err := kept.NewWriter()
	r.must(err)
	_, err = file.Write(text)
	r.must(err)
	r.material, err = file.Commit()
	r.must(err)
	r.begin("7")
	r.startLife()
	return r
}

// begin starts a turn that reviews a pull request.
func (r *reviewRig) begin(number string) {
	in, _, err := r.db.Inbox().StoreInbound(r.Context(),
		supervisor.Inbound{Conversation: supervisor.Conversation{User: "ann",
			Channel: supervisor.ChannelGitHub, Chat: "acme/widget", Thread: number}, Source: "github/acme/widget", Key: number, Kind: supervisor.KindReview, Text: "review it"})
	r.must(err)
	r.turn, _, err = r.db.Turns().Start(r.Context(), in.ID, nil)
	r.must(err)
}

func (r *reviewRig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// startLife starts the supervisor on the stored state. It stops at the end of the test at the
// latest.
func (r *reviewRig) startLife() {
	bin := apptest.BuildPrograms(r)
	account, err := placement.WorkerAccount(r.Context(), apptest.WorkersAccount, false)
	r.must(err)
	spawner, err := pool.StartSpawner(r.Context(), pool.SpawnerOptions{Path: filepath.Join(bin, "mews-spawner"), Worker: filepath.Join(bin, "mews-worker"),
		UID: account.UID, GID: account.GID, Log: hclog.NewNullLogger()})
	r.must(err)
	table, err := hostcall.NewCallTable(r.reported.HostCalls()...)
	r.must(err)
	calls := &hostcall.Options{
		Table: table,
		ModelDependencies: hostcall.ModelDependencies{Transcript: r.db.Transcript(), Models: r.models,
			Cache: 5 * time.Minute, Usage: r.db.Usage(), Systems: r.db.SystemTexts(), History: 1000, Windows: r},
		StepDependencies: hostcall.StepDependencies{Steps: r.db.Turns()},
		BlobDependencies: hostcall.BlobDependencies{Blobs: r.db.Blobs(), Spool: r.kept},
		Audit:            r.audit, Now: time.Now, Log: hclog.NewNullLogger(),
	}
	r.workers = pool.New(pool.Options[*hostcall.Conn]{Spawner: spawner, Log: hclog.New(&hclog.LoggerOptions{Output: &r.stderr}), Now: time.Now,
		Timings: pool.Timings{Grace: 100 * time.Millisecond, BackoffMin: time.Millisecond, BackoffMax: 10 * time.Millisecond, BreakerDeaths: 100},
		Host:    func(user string, end func(error)) *hostcall.Conn { return hostcall.NewConn(calls, user, end) }})
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.workers.Run(ctx) }()
	r.end = sync.OnceFunc(func() {
		end()
		if err := <-ended; err != nil {
			r.Error(err)
		}
	})
	r.Cleanup(r.end)
}

func (r *reviewRig) audit(user, action, detail string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.audited = append(r.audited, user+" "+action+" "+detail)
}

// Stream plays the model. It finds the same bug in each part, and never refutes that bug.
func (r *reviewRig) Stream(ctx context.Context, spec string, req modelcall.Request, _ func(modelcall.Delta)) (modelcall.Answer, error) {
	lease, err := req.Reserver.Reserve(ctx, modelcall.CostEstimate{Spec: "p/m", MaxCost: 100_000, Priced: true})
	if err != nil {
		return modelcall.Answer{}, err
	}
	r.mu.Lock()
	_, task, _ := strings.Cut(req.Messages[0].Text(), "TASK: ")
	r.asked = append(r.asked, strings.Fields(task)[0])
	for _, s := range r.workers.List() {
		r.mostPrivate = max(r.mostPrivate, privateMemory(s.PID))
	}
	r.mu.Unlock()
	text := `{"findings": [{"number": 1, "refuted": false, "why": "it does crash"}]}`
	if strings.HasSuffix(req.Messages[0].Text(), "Review this part.") {
		text = "Here it is:\n```json\n" + `{"verdict": "It crashes.", "findings": [{"path": "a.go", "line": 2, "side": "RIGHT", "severity": "critical", "category": "bug",
			"title": "Nil map", "detail": "Panics at once.", "quote": "m[1] = 2", "confidence": 0.9}]}` + "\n```"
	}
	if len(req.Messages) != 1 || len(req.Tools) > 0 || !req.EndWithMoney {
		r.Errorf("asked with %d messages and %d tools, ends with money: %t", len(req.Messages), len(req.Tools),
			req.EndWithMoney)
	}
	return modelcall.Answer{Message: protocol.Message{Parts: []protocol.ContentPart{{Text: text}}}, Model: "m",
		Spec: "p/m", Stop: modelcall.StopReasonEnd,
		Lease: lease.ID, Usage: protocol.Usage{Input: 10, Output: 10}}, nil
}

// privateMemory returns the memory that only this process uses, in KB (proc_pid_status(5)).
func privateMemory(pid int) (kb int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, value, _ := strings.Cut(string(text), "\nRssAnon:")
	_, _ = fmt.Sscan(value, &kb) // kb stays 0 if the line is missing
	return kb
}

// Cost returns five cents for each call.
func (r *reviewRig) Cost(string, protocol.Usage, time.Duration) (int64, bool) { return 50_000, true }

// OpenChildTurn calls the method of the database.
func (r *reviewRig) OpenChildTurn(ctx context.Context, parent int64, name, text string) (sqlite.ChildExchange, error) {
	return r.db.Turns().OpenChildTurn(ctx, parent, name, text)
}

// CommitLastStep calls the method of the database.
func (r *reviewRig) CommitLastStep(ctx context.Context, last sqlite.LastStep) (sqlite.LastStepResult, error) {
	defer r.committed()
	return r.db.Turns().CommitLastStep(ctx, last)
}

// turns returns a runner whose turns have the budget purse, and an attempt for this runner.
func (r *reviewRig) turns(purse supervisor.Budget) (OneShotTurns, session.Attempt) {
	o := OneShotTurns{Turns: Turns{Pool: r.workers, OnBegin: func(string) {},
		Faults: &WorkerStartFaults{MayRead: func(string) bool { return false }},
		Reserver: func(t supervisor.Turn) hostcall.Reserver {
			return budget.New(budget.Options{Leases: r.db.Leases(), Turn: t.ID, Conversation: t.Conversation, Destination: t.Conversation, Limits: purse, Pot: "review/acme/widget"})
		}, Log: hclog.NewNullLogger()},
		Location: func() pool.WorkerLocation { return pool.WorkerLocation{} }, Audit: r.audit,
		Await: func(turn int64, take func(context.Context, protocol.ReviewReport) error) func() {
			return r.reported.AwaitReport(turn, take)
		},
		Terms: func(supervisor.Turn) ReadOnlyTurnPolicy {
			return ReadOnlyTurnPolicy{Pot: "review/acme/widget", Time: time.Minute}
		}}
	return o, session.Attempt{Turn: r.turn, Stream: new(reply.Feeds).OpenStream(r.turn, ""),
		Start: protocol.TurnStart{Turn: r.turn.ID, Kind: string(r.turn.Kind), Limits: protocol.TurnLimits{Steps: 50}}}
}

// run runs one attempt.
func (r *reviewRig) run(purse supervisor.Budget) (session.AttemptEnd, error) {
	o, a := r.turns(purse)
	end, err := o.Run(r.Context(), a, r.material, func(_ context.Context, report protocol.ReviewReport) error {
		r.reports = append(r.reports, report)
		return nil
	})
	if text, _ := a.Stream.Text(); text != "" {
		r.Errorf("the person saw %q", text)
	}
	return end, err
}

// materialInParts returns a change in n parts.
func materialInParts(n int) protocol.ReviewMaterial {
	m := protocol.ReviewMaterial{Repo: "acme/widget", Number: 7, Title: "Count", Author: "mallory"}
	for i := range n {
		m.Chunks = append(m.Chunks, protocol.ReviewChunk{Name: "a.go " + strings.Repeat("i", i+1), Files: []protocol.ReviewFile{
			{Path: "a.go", Status: "modified", Diff: "R1 +var m map[int]int\nR2 +m[1] = 2\n"}}})
	}
	return m
}

func TestReview_RunsInItsOwnWorker(t *testing.T) {
	r := newReviewRig(t, materialInParts(2))
	end, err := r.run(supervisor.Budget{Turn: dollar, Day: 5 * dollar})
	if err != nil || end.Why != protocol.TurnEndDone || len(r.reports) != 1 {
		t.Fatalf("%+v, %v, %d reports\n%s", end, err, len(r.reports), r.stderr.String())
	}
	report := r.reports[0]
	if len(report.Findings) != 2 || report.Findings[0].Title != "Nil map" || report.Verdict != "It crashes." || len(report.Unread) > 0 {
		t.Errorf("reported %+v", report)
	}
	if want := "Review Which Review Which"; strings.Join(r.asked, " ") != want {
		t.Errorf("asked %q", r.asked)
	}
	totals, err := r.db.Usage().Sum(t.Context(), sqlite.UsageQuery{By: []sqlite.UsageDimension{sqlite.UsageByUser}})
	if err != nil || len(totals) != 1 || totals[0].User != "review/acme/widget" || totals[0].Cost != 4*50_000 {
		t.Errorf("spent %+v, %v", totals, err)
	}
	if own, err := r.db.Usage().Sum(t.Context(), sqlite.UsageQuery{User: "ann"}); err != nil || len(own) > 0 && own[0].Cost > 0 {
		t.Errorf("of ann's own %+v, %v", own, err)
	}
	if _, short, err := r.db.Leases().TakeLease(t.Context(), supervisor.LeaseRequest{User: "ann",
		Conversation: r.turn.Conversation.ID, Turn: r.turn.ID, Amount: dollar,
		Pot: "review/acme/widget", Limits: []supervisor.SpendingLimit{{Scope: supervisor.ScopeTurn, Max: dollar},
			{Scope: supervisor.ScopePot, Max: dollar},
			{Scope: supervisor.ScopeDay, Max: dollar}, {Scope: supervisor.ScopeInstallation, Max: dollar}}}); err != nil || len(short) != 3 || short[0].Spent != 4*50_000 || short[2].Scope != supervisor.ScopeInstallation {
		t.Errorf("short of %+v, %v", short, err)
	}
}

// After each window the worker dies, and the supervisor with it. No answer is paid for twice.
func TestReview_WorkerDies_PaysModelOnce(t *testing.T) {
	r := newReviewRig(t, materialInParts(2))
	r.committed = func() {
		for _, s := range r.workers.List() {
			if s.PID > 0 {
				_ = syscall.Kill(s.PID, syscall.SIGKILL)
			}
		}
	}
	deaths := 0
	for ; len(r.reports) == 0 && deaths < 10; deaths++ {
		if _, err := r.run(supervisor.Budget{Turn: dollar}); err == nil && len(r.reports) == 0 {
			t.Fatal("it ended without a report")
		}
		r.end()
		if left, err := r.db.Leases().RecoverAfterCrash(t.Context()); err != nil || left > 0 {
			t.Errorf("%d leases are left, %v", left, err)
		}
		r.startLife()
	}
	if totals, err := r.db.Usage().Sum(t.Context(), sqlite.UsageQuery{}); err != nil || totals[0].Cost != 4*50_000 {
		t.Errorf("spent %+v, %v", totals, err)
	}
	if len(r.asked) != 4 || deaths != 5 || len(r.reports) != 1 || len(r.reports[0].Findings) != 2 {
		t.Errorf("%d calls, %d attempts, reports %+v", len(r.asked), deaths, r.reports)
	}
}

// A review whose budget is spent reports that, and asks nobody for more money.
func TestReview_NoBudget_ReportsMissingBudget(t *testing.T) {
	r := newReviewRig(t, materialInParts(3))
	end, err := r.run(supervisor.Budget{Turn: dollar, Day: 120_000})
	failed := new(modelcall.Error)
	if err != nil || len(r.reports) != 1 || !errors.As(end.Failure, &failed) || failed.Class != modelcall.OverBudget {
		t.Fatalf("%+v, %v, %+v", end, err, r.reports)
	}
	if u := r.reports[0].Unread; len(u) != 3 || !strings.Contains(u[1].Text, "this repository's limit for a day") || len(r.reports[0].Findings) != 1 {
		t.Errorf("reported %+v", r.reports[0])
	}
	if os.Getuid() == 0 && len(r.audited) > 0 {
		t.Errorf("audited %q", r.audited)
	}
}

// A review that could read nothing for lack of money fails with that reason. If it has read a part,
// its report counts.
func TestReadOnlyTurns_NoBudget_FailsWithReason(t *testing.T) {
	for day, want := range map[int64]supervisor.ErrorCode{10_000: supervisor.CodeBudgetExceeded, 120_000: ""} {
		r := newReviewRig(t, materialInParts(3))
		o, a := r.turns(supervisor.Budget{Turn: dollar, Day: day})
		var report protocol.ReviewReport
		var failed error
		_, err := ReadOnlyTurns[func(context.Context, protocol.ReviewMaterial) (protocol.ReviewReport, error)]{
			OneShotTurns: o, Spool: r.kept, Steps: r.db.Turns(),
			Work: func(ctx context.Context, _ supervisor.Turn, read func(context.Context,
				protocol.ReviewMaterial) (protocol.ReviewReport, error)) (string, error) {
				report, failed = read(ctx, materialInParts(3))
				return "", failed
			},
		}.Run(t.Context(), a)
		if (err != nil) != (want != "") || failed != nil && supervisor.ErrorCodeOf(failed) != want ||
			(len(report.Findings) > 0) != (want == "") {
			t.Errorf("with %d: %v, %v, %+v", day, err, failed, report)
		}
	}
}

// largeMaterial returns a change of 50 files in parts of 5, each with its whole text.
func largeMaterial() protocol.ReviewMaterial {
	m := protocol.ReviewMaterial{Repo: "acme/widget", Description: strings.Repeat("Why it is so.\n", 500)}
	for i := range 50 {
		path := fmt.Sprintf("f%d.go", i)
		if i%5 == 0 {
			path = "a.go"
			m.Chunks = append(m.Chunks, protocol.ReviewChunk{Name: fmt.Sprint("part ", i)})
		}
		last := &m.Chunks[len(m.Chunks)-1]
		last.Files = append(last.Files, protocol.ReviewFile{Path: path, Status: "modified", Diff: strings.Repeat("R100 +\tif err != nil {\n", 400),
			Whole: strings.Repeat("\treturn fmt.Errorf(\"do: %w\", err)\n", 600)})
	}
	return m
}

// maxReviewMemory is the most private memory of a worker in a review of 50 files, in KB.
const maxReviewMemory = 12 << 10

func TestReviewWorker_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	r := newReviewRig(t, largeMaterial())
	if _, err := r.run(supervisor.Budget{}); err != nil || len(r.reports) != 1 || len(r.asked) != 20 {
		t.Fatalf("%v, %d reports, %d windows", err, len(r.reports), len(r.asked))
	}
	if r.mostPrivate == 0 || r.mostPrivate > maxReviewMemory {
		t.Errorf("a worker had %d KB, want up to %d", r.mostPrivate, maxReviewMemory)
	}
}

// BenchmarkReview measures our part of a review of 50 files: a worker, its sandbox, and 20 windows
// that are answered at once.
func BenchmarkReview(b *testing.B) {
	r := newReviewRig(b, largeMaterial())
	for i := 0; b.Loop(); i++ {
		r.begin(fmt.Sprint("pull ", i))
		if _, err := r.run(supervisor.Budget{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.mostPrivate), "KB-worker")
}
