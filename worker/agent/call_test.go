package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/agent"
	"mews/worker/host/hosttest"
)

func TestCalls_NeighboursWithoutEffect_RunAtOnce(t *testing.T) {
	host := newHost(t, hosttest.CallMessage(
		hosttest.ToolCall("r1", "read", `{}`), hosttest.ToolCall("r2", "read", `{}`),
		hosttest.ToolCall("w1", "write", `{}`), hosttest.ToolCall("w2", "write", `{}`),
		hosttest.ToolCall("r3", "read", `{}`), hosttest.ToolCall("r4", "read", `{}`)))
	met := map[string]chan struct{}{"r1": make(chan struct{}), "r2": make(chan struct{}), "r3": make(chan struct{}), "r4": make(chan struct{})}
	partner := map[string]string{"r1": "r2", "r2": "r1", "r3": "r4", "r4": "r3"}
	var running atomic.Int32
	read := func(ctx context.Context, call worker.Call) (worker.Result, error) {
		running.Add(1)
		defer running.Add(-1)
		close(met[call.ID])
		<-met[partner[call.ID]] // the test hangs unless both calls run at once
		return worker.Result{}, nil
	}
	write := func(context.Context, worker.Call) (worker.Result, error) {
		if n := running.Add(1); n != 1 {
			t.Errorf("%d tools run beside a write", n-1)
		}
		defer running.Add(-1)
		return worker.Result{}, nil
	}
	runToEnd(t, host, tool("read", protocol.EffectNone, read), tool("write", protocol.EffectIdempotent, write))

	commits := host.CommittedCalls()
	slices.Sort(commits[:2])
	slices.Sort(commits[4:])
	if want := []string{"r1", "r2", "w1", "w2", "r3", "r4"}; !slices.Equal(commits, want) {
		t.Errorf("committed in the order %v, want %v", commits, want)
	}
}

// TestCall_BlobExpired_GetsErrorResult: only an open question makes a call wait, and no other
// refusal.
func TestCall_BlobExpired_GetsErrorResult(t *testing.T) {
	host := newHost(t, hosttest.CallMessage(hosttest.ToolCall("r1", "read", `{}`)))
	runToEnd(t, host, tool("read", protocol.EffectNone, func(context.Context, worker.Call) (worker.Result, error) {
		return worker.Result{}, fmt.Errorf("read it: %w", &protocol.Error{Code: protocol.CodeBlobExpired,
			Message: "it expired"})
	}))
	if got := host.CommittedCalls(); !slices.Equal(got, []string{"r1"}) {
		t.Errorf("committed %v, want the result of r1", got)
	}
}

func TestCallBatch_ManyCalls_RunsEightAtOnce(t *testing.T) {
	var calls []protocol.ToolCall
	for i := range 20 {
		calls = append(calls, hosttest.ToolCall(fmt.Sprint("c", i), "read", fmt.Sprintf(`{"n":%d}`, i)))
	}
	host := newHost(t, hosttest.CallMessage(calls...))
	var running, most atomic.Int32
	full := make(chan struct{})
	runToEnd(t, host, tool("read", protocol.EffectNone, func(context.Context, worker.Call) (worker.Result, error) {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		if now == 8 {
			close(full)
		}
		<-full // the eighth call closes full; a ninth call at the same time would be counted
		return worker.Result{}, nil
	}))
	if most.Load() != 8 || len(host.CommittedCalls()) != 20 {
		t.Errorf("%d ran at once, %d were committed; want 8 and 20", most.Load(), len(host.CommittedCalls()))
	}
}

func TestCall_UnknownToolOrBadJSON_IsExplained(t *testing.T) {
	faulty := func(context.Context, worker.Call) (worker.Result, error) {
		panic("assignment to entry in nil map")
	}
	refuses := func(context.Context, worker.Call) (worker.Result, error) {
		return worker.Result{}, errors.New("read notes.md: it is not there")
	}
	for _, test := range []struct {
		name string
		call protocol.ToolCall
		want string
	}{
		{"a tool that is not there", hosttest.ToolCall("a", "fly", `{}`),
			`there is no tool "fly"; the tools are: faulty, refuses`},
		{"arguments that were not JSON", hosttest.ToolCall("a", "refuses", `{"_malformed":"{\"path\": no"}`),
			"not valid JSON"},
		{"arguments that are no object", hosttest.ToolCall("a", "refuses", `[1]`), "must be one JSON object"},
		{"a tool that panics", hosttest.ToolCall("a", "faulty", `{}`), "whether it did anything is unknown"},
		{"a tool that refuses", hosttest.ToolCall("a", "refuses", ``), "read notes.md: it is not there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			host := newHost(t, hosttest.CallMessage(test.call))
			runToEnd(t, host, tool("faulty", protocol.EffectNone, faulty), tool("refuses", protocol.EffectNone, refuses))
			result, done := host.CallResult("a")
			if !done || !result.Failed || !strings.Contains(result.Text, test.want) {
				t.Errorf("got %+v, %v; want a failed result with %q", result, done, test.want)
			}
		})
	}
}

// answeringHost is a supervisor that itself answers the calls of the tool "closed".
type answeringHost struct{ *hosttest.Host }

func (h answeringHost) NextModelMessage(ctx context.Context, after int64, system string,
	tools []protocol.Tool) (protocol.ModelStreamResult, error) {
	said, err := h.Host.NextModelMessage(ctx, after, system, tools)
	for _, call := range said.Message.ToolCalls() {
		if call.Name == "closed" && err == nil {
			var id int64
			id, err = h.CommitCallResult(ctx, protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "not run",
				Failed: true})
			said.Answered = append(said.Answered, protocol.AnsweredCall{Call: call.ID, Message: id})
		}
	}
	return said, err
}

func TestTurn_CallAnsweredByHost_RunsNoTool(t *testing.T) {
	host := newHost(t, hosttest.CallMessage(hosttest.ToolCall("a", "closed", `{}`)),
		hosttest.CallMessage(hosttest.ToolCall("b", "look", `{}`), hosttest.ToolCall("c", "closed", `{}`)))
	got, err := agent.Run(t.Context(), host.TurnStart(), agent.Options{Host: answeringHost{host}, Tools: []worker.Tool{
		tool("look", protocol.EffectNone, returnText("seen")),
		tool("closed", protocol.EffectOnce, func(context.Context, worker.Call) (worker.Result, error) {
			t.Error("the tool was run")
			return worker.Result{}, nil
		}),
	}})
	if err != nil || got.Why != protocol.TurnEndDone || got.Steps != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, e := range host.Events() {
		if e.Tool == "closed" {
			t.Errorf("the person is shown %+v", e)
		}
	}
}

func TestCall_ToolPanics_IsReportedWithStack(t *testing.T) {
	host := newHost(t, hosttest.CallMessage(hosttest.ToolCall("a", "faulty", `{}`)))
	var reported error
	_, err := agent.Run(t.Context(), host.TurnStart(), agent.Options{
		Host: host, Report: func(err error) { reported = err },
		Tools: []worker.Tool{tool("faulty", protocol.EffectNone, func(context.Context, worker.Call) (worker.Result, error) {
			panic("out of cheese")
		})},
	})
	if err != nil || reported == nil || !strings.Contains(reported.Error(), "call_test.go") {
		t.Errorf("got %v, reported %v; want a stack that names this file", err, reported)
	}
}

func TestCall_Events_ShowSubjectAndBrief(t *testing.T) {
	host := newHost(t, hosttest.CallMessage(hosttest.ToolCall("a", "look", `{"path":"notes/shop\u001b[31mping.md"}`),
		hosttest.ToolCall("b", "fly", `{}`)))
	runToEnd(t, host, tool("look", protocol.EffectNone, func(_ context.Context, call worker.Call) (worker.Result, error) {
		call.Progress("half\nway")
		return worker.Result{Text: "much", Brief: "12 lines"}, nil
	}))
	var got []string
	for _, e := range host.Events() {
		if e.Call == "a" {
			got = append(got, fmt.Sprintf("%s %s %q %v", e.Kind, e.Tool, e.Text, e.Failed))
		}
	}
	want := []string{
		`tool.began look "notes/shop [31mping.md" false`, `tool.progressed look "half" false`, `tool.ended look "12 lines" false`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if last := host.Events()[len(host.Events())-1]; last.Kind != protocol.EventToolEnded {
		t.Errorf("the last event is %+v", last)
	}
}

func TestPendingCall_BegunOnceCall_IsNotRepeated(t *testing.T) {
	for _, test := range []struct {
		name   string
		effect protocol.ToolEffect
		begun  bool
		runs   int32
	}{
		{"none runs again", protocol.EffectNone, false, 1},
		{"idempotent runs again", protocol.EffectIdempotent, false, 1},
		{"once that had not begun runs", protocol.EffectOnce, false, 1},
		{"once that had begun does not", protocol.EffectOnce, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			call := hosttest.ToolCall("a", "act", `{}`)
			host := newHost(t, hosttest.CallMessage(call))
			if _, err := host.NextModelMessage(t.Context(), 0, "", nil); err != nil {
				t.Fatal(err)
			}
			if test.begun {
				if err := host.CommitCallBegin(t.Context(), call); err != nil {
					t.Fatal(err)
				}
			}
			var runs atomic.Int32
			runToEnd(t, host, tool("act", test.effect, func(context.Context, worker.Call) (worker.Result, error) {
				runs.Add(1)
				return worker.Result{Text: "acted"}, nil
			}))
			result, _ := host.CallResult("a")
			if runs.Load() != test.runs || result.Failed != test.begun {
				t.Errorf("ran %d times with the result %+v", runs.Load(), result)
			}
			if test.begun && !strings.Contains(result.Text, "unknown; look before doing it again") {
				t.Errorf("the model is told %q", result.Text)
			}
			if test.effect == protocol.EffectOnce && !host.HasCallBegun("a") {
				t.Error("its beginning was not committed")
			}
		})
	}
}

func TestStop_BetweenBeginAndRun_RunsNoTool(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	host := newHost(t, hosttest.CallMessage(hosttest.ToolCall("a", "act", `{}`)))
	host.Fail = func(_ int, call string) hosttest.Failure {
		if call == "begin" {
			stop()
		}
		return hosttest.FailureNone
	}
	got, err := agent.Run(ctx, host.TurnStart(), agent.Options{Host: host, Tools: []worker.Tool{
		tool("act", protocol.EffectOnce, func(context.Context, worker.Call) (worker.Result, error) {
			t.Error("the tool was run")
			return worker.Result{}, nil
		}),
	}})
	if err != nil || got.Why != protocol.TurnEndStopped {
		t.Fatalf("got %+v, %v", got, err)
	}
	if result, done := host.CallResult("a"); !done || !strings.HasPrefix(result.Text, "not run") {
		t.Errorf("its result is %+v, %v; want one that says it was not run", result, done)
	}
}

func TestRun_CommitFails_EndsTurnAndTools(t *testing.T) {
	host := newHost(t, hosttest.CallMessage(hosttest.ToolCall("quick", "look", `{}`), hosttest.ToolCall("slow", "wait",
		`{}`)))
	host.Fail = func(_ int, call string) hosttest.Failure {
		if call == "done" {
			return hosttest.FailureRefused
		}
		return hosttest.FailureNone
	}
	_, err := agent.Run(t.Context(), host.TurnStart(), agent.Options{Host: host, Tools: []worker.Tool{
		tool("look", protocol.EffectNone, returnText("seen")), tool("wait", protocol.EffectNone, untilStopped),
	}})
	var refused *protocol.Error
	if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), "call quick of look: commit its result: ") {
		t.Errorf("got %v", err)
	}
}

// runToEnd runs a turn that must end with TurnEndDone.
func runToEnd(t *testing.T, host *hosttest.Host, tools ...worker.Tool) {
	t.Helper()
	got, err := agent.Run(t.Context(), host.TurnStart(), agent.Options{Host: host, Tools: tools})
	if err != nil || got.Why != protocol.TurnEndDone {
		t.Fatalf("the turn ended with %+v, %v; want it done", got, err)
	}
}
