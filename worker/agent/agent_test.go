package agent_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/worker"
	"mews/worker/agent"
	"mews/worker/host/hosttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limits are the limits of a turn. They are so high that no test reaches them by accident.
var limits = protocol.TurnLimits{Steps: 10, Seconds: 600, Output: 16 << 10}

// tool makes a tool with this effect and function.
func tool(name string, effect protocol.ToolEffect, run func(context.Context, worker.Call) (worker.Result, error)) worker.Tool {
	return worker.Tool{Tool: protocol.Tool{Name: name, Effect: effect}, Run: run}
}

// returnText makes a tool's function that always returns this text.
func returnText(text string) func(context.Context, worker.Call) (worker.Result, error) {
	return func(context.Context, worker.Call) (worker.Result, error) {
		return worker.Result{Text: text, Brief: "fine"}, nil
	}
}

// untilStopped is a tool's function that returns once its context has ended.
func untilStopped(ctx context.Context, _ worker.Call) (worker.Result, error) {
	<-ctx.Done()
	return worker.Result{}, fmt.Errorf("wait: %w", context.Cause(ctx))
}

func newHost(t *testing.T, script ...protocol.Message) *hosttest.Host {
	return &hosttest.Host{TB: t, Limits: limits, Answer: hosttest.ScriptMessages(script...)}
}

func TestRun_EachEndReason_EndsTurn(t *testing.T) {
	look := func(n int) protocol.Message {
		return hosttest.CallMessage(hosttest.ToolCall(fmt.Sprint("c", n), "look", fmt.Sprintf(`{"path":"%d"}`, n)))
	}
	same := func(id, arguments string) protocol.Message {
		return hosttest.CallMessage(hosttest.ToolCall(id, "look", arguments))
	}
	for _, test := range []struct {
		name   string
		script []protocol.Message
		limits protocol.TurnLimits
		want   protocol.TurnEnd
		left   string // id of the call that must have no result
	}{
		{
			name:   "the model answers at once",
			script: []protocol.Message{hosttest.TextMessage("hello")},
			want:   protocol.TurnEnd{Why: protocol.TurnEndDone, Steps: 1},
		}, {
			name:   "the model answers after two tools",
			script: []protocol.Message{look(1), look(2), hosttest.TextMessage("there")},
			want:   protocol.TurnEnd{Why: protocol.TurnEndDone, Steps: 3},
		}, {
			name:   "the steps are used up: the last step's calls still get their results",
			script: []protocol.Message{look(1), look(2), look(3)},
			limits: protocol.TurnLimits{Steps: 2, Seconds: 600},
			want:   protocol.TurnEnd{Why: protocol.TurnEndStepLimit, Steps: 2},
		}, {
			name:   "the same call a third time, whatever the order of its keys",
			script: []protocol.Message{same("a", `{"x":1,"y":2}`), same("b", `{"y":2, "x":1}`), same("c", `{"x":1,"y":2}`)},
			want:   protocol.TurnEnd{Why: protocol.TurnEndRepetition, Steps: 3},
			left:   "c",
		}, {
			name:   "the same call again and again, but never three times running",
			script: []protocol.Message{same("a", `{}`), same("b", `{}`), look(1), same("c", `{}`), same("d", `{}`)},
			want:   protocol.TurnEnd{Why: protocol.TurnEndDone, Steps: 6},
		}, {
			name: "the same call three times in one step is one step",
			script: []protocol.Message{hosttest.CallMessage(
				hosttest.ToolCall("a", "look", `{}`), hosttest.ToolCall("b", "look", `{}`), hosttest.ToolCall("c",
					"look", `{}`))},
			want: protocol.TurnEnd{Why: protocol.TurnEndDone, Steps: 2},
		}, {
			name:   "no time at all",
			limits: protocol.TurnLimits{Steps: 2},
			want:   protocol.TurnEnd{Why: protocol.TurnEndTimeLimit},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			host := newHost(t, test.script...)
			if test.limits != (protocol.TurnLimits{}) {
				host.Limits = test.limits
			}
			got, err := agent.Run(t.Context(), host.TurnStart(), agent.Options{
				Host: host, Tools: []worker.Tool{tool("look", protocol.EffectNone, returnText("seen"))},
			})
			if err != nil || got != test.want {
				t.Fatalf("got %+v, %v, want %+v", got, err, test.want)
			}
			for _, p := range host.TurnStart().PendingCalls {
				if p.Call.ID != test.left {
					t.Errorf("call %s was left without a result", p.Call.ID)
				}
			}
			if _, done := host.CallResult(test.left); done {
				t.Errorf("call %s has a result", test.left)
			}
		})
	}
}

// A user may write "Try again" during the turn, because a service was down. The same calls then
// count from the beginning.
func TestRepetition_UserMessageBetween_ResetsCount(t *testing.T) {
	var script []protocol.Message
	for i := range 6 {
		script = append(script, hosttest.CallMessage(hosttest.ToolCall(fmt.Sprint("c", i), "look", `{}`)))
	}
	for name, c := range map[string]struct {
		taken int // number of the step before which the user has written
		want  protocol.TurnEnd
	}{
		"never":            {0, protocol.TurnEnd{Why: protocol.TurnEndRepetition, Steps: 3}},
		"before the third": {3, protocol.TurnEnd{Why: protocol.TurnEndRepetition, Steps: 5}},
		"before every one": {-1, protocol.TurnEnd{Why: protocol.TurnEndDone, Steps: 7}},
	} {
		host := newHost(t, script...)
		host.AddedMessages = func(step int) int {
			if c.taken == step || c.taken < 0 {
				return 1
			}
			return 0
		}
		got, err := agent.Run(t.Context(), host.TurnStart(), agent.Options{
			Host: host, Tools: []worker.Tool{tool("look", protocol.EffectNone, returnText("down"))},
		})
		if err != nil || got != c.want {
			t.Errorf("where the person speaks %s: got %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}

func TestRepetition_AcrossRestart_EndsTurn(t *testing.T) {
	host := newHost(t)
	start := host.TurnStart()
	start.RecentCalls = []protocol.ToolCall{
		hosttest.ToolCall("a", "look", `{"x":1}`), hosttest.ToolCall("b", "look", `{"x":1}`), hosttest.ToolCall("c",
			"look", `{ "x":1}`),
	}
	start.PendingCalls = []protocol.PendingCall{{Call: start.RecentCalls[2]}}
	start.CommittedSteps = 3
	got, err := agent.Run(t.Context(), start, agent.Options{Host: host})
	if want := (protocol.TurnEnd{Why: protocol.TurnEndRepetition, Steps: 3}); err != nil || got != want {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestRun_LostSupervisor_LeavesTurnOpen(t *testing.T) {
	for _, test := range []struct {
		failure hosttest.Failure
		want    protocol.TurnEndReason
		err     error
	}{
		{hosttest.FailureRefused, protocol.TurnEndError, nil},
		{hosttest.FailureCallLost, "", hosttest.ErrSupervisorGone},
	} {
		host := newHost(t)
		host.Fail = func(int, string) hosttest.Failure { return test.failure }
		got, err := agent.Run(t.Context(), host.TurnStart(), agent.Options{Host: host})
		if got.Why != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: got %+v, %v, want %q, %v", test.failure, got, err, test.want, test.err)
		}
	}
}

func TestRun_TimeUp_EndsToolAndTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := newHost(t, hosttest.CallMessage(hosttest.ToolCall("a", "wait", `{}`)))
		began := time.Now()
		got, err := agent.Run(t.Context(), host.TurnStart(), agent.Options{
			Host: host, Tools: []worker.Tool{tool("wait", protocol.EffectNone, untilStopped)},
		})
		if want := (protocol.TurnEnd{Why: protocol.TurnEndTimeLimit, Steps: 1}); err != nil || got != want {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
		if took := time.Since(began); took != 600*time.Second {
			t.Errorf("the turn took %v, its limit is 600 s", took)
		}
		if _, done := host.CallResult("a"); done {
			t.Error("the call that the time cut has a result of the worker's")
		}
	})
}

func TestStop_DuringModelAnswer_RunsNoCall(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	host := newHost(t)
	host.Answer = func(ctx context.Context, step int) (protocol.Message, error) {
		stop()
		<-ctx.Done()
		// the message was cut: only this part had arrived
		return hosttest.CallMessage(hosttest.ToolCall("a", "write", `{}`)), nil
	}
	ran := false
	got, err := agent.Run(ctx, host.TurnStart(), agent.Options{Host: host, Tools: []worker.Tool{
		tool("write", protocol.EffectOnce, func(context.Context, worker.Call) (worker.Result, error) {
			ran = true
			return worker.Result{}, nil
		}),
	}})
	if want := (protocol.TurnEnd{Why: protocol.TurnEndStopped, Steps: 1}); err != nil || got != want {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	if ran || host.HasCallBegun("a") {
		t.Error("a tool was begun after the stop")
	}
}

func TestStop_CommitsOnlyResultsOfEndedTools(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	host := newHost(t, hosttest.CallMessage(
		hosttest.ToolCall("finishes", "finish", `{}`), hosttest.ToolCall("waits", "wait", `{}`),
		hosttest.ToolCall("never", "write", `{}`)))
	var running sync.WaitGroup
	running.Add(2)
	go func() {
		running.Wait()
		stop()
	}()
	never := func(context.Context, worker.Call) (worker.Result, error) {
		t.Error("a tool was run after the stop")
		return worker.Result{}, nil
	}
	got, err := agent.Run(ctx, host.TurnStart(), agent.Options{Host: host, Tools: []worker.Tool{
		tool("finish", protocol.EffectNone, func(ctx context.Context, _ worker.Call) (worker.Result, error) {
			running.Done()
			<-ctx.Done()
			return worker.Result{Text: "all the same"}, nil
		}),
		tool("wait", protocol.EffectNone, func(ctx context.Context, call worker.Call) (worker.Result, error) {
			running.Done()
			return untilStopped(ctx, call)
		}),
		tool("write", protocol.EffectOnce, never),
	}})
	if want := (protocol.TurnEnd{Why: protocol.TurnEndStopped, Steps: 1}); err != nil || got != want {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	if result, done := host.CallResult("finishes"); !done || result.Text != "all the same" {
		t.Errorf("the finished call's result is %+v, %v", result, done)
	}
	for _, call := range []string{"waits", "never"} {
		if result, done := host.CallResult(call); done {
			t.Errorf("call %s has the result %+v", call, result)
		}
	}
}

// TestStop_ToolWithChanges_CommitsThem: a stopped tool that reports what it had changed has a
// result, so that its changes can be undone.
func TestStop_ToolWithChanges_CommitsThem(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	host := newHost(t, hosttest.CallMessage(hosttest.ToolCall("a", "program", `{}`)))
	changes := []protocol.Change{{Kind: "run", Target: "rm -rf .",
		Undo: &protocol.Undo{Path: ".", Span: &protocol.HistorySpan{From: 1, To: 2}}}}
	got, err := agent.Run(ctx, host.TurnStart(), agent.Options{Host: host, Tools: []worker.Tool{
		tool("program", protocol.EffectOnce, func(ctx context.Context, _ worker.Call) (worker.Result, error) {
			stop()
			<-ctx.Done()
			return worker.Result{Changes: changes, World: true}, context.Cause(ctx)
		}),
	}})
	if want := (protocol.TurnEnd{Why: protocol.TurnEndStopped, Steps: 1}); err != nil || got != want {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	result, done := host.CallResult("a")
	if diff := cmp.Diff(changes, result.Changes); !done || diff != "" || !result.Failed || !result.World {
		t.Errorf("got %+v, %v\n%s", result, done, diff)
	}
}

func TestStop_HangingCommit_EndsTurnAnyway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		host := &hangingHost{Host: newHost(t, hosttest.CallMessage(hosttest.ToolCall("a", "look", `{}`))), at: stop}
		var reported []error
		began := time.Now()
		got, err := agent.Run(ctx, host.TurnStart(), agent.Options{
			Host: host, Tools: []worker.Tool{tool("look", protocol.EffectNone, returnText("seen"))},
			Report: func(err error) { reported = append(reported, err) },
		})
		if want := (protocol.TurnEnd{Why: protocol.TurnEndStopped, Steps: 1}); err != nil || got != want {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
		if took := time.Since(began); took != 3*time.Second || len(reported) != 1 {
			t.Errorf("took %v and reported %v, want 3 s and the commit that was lost", took, reported)
		}
	})
}

// hangingHost is a host whose commits are never answered. At the first commit it calls the function
// in the field at.
type hangingHost struct {
	*hosttest.Host
	at func()
}

func (h *hangingHost) CommitCallResult(ctx context.Context, _ protocol.ToolResult) (int64, error) {
	h.at()
	<-ctx.Done()
	return 0, context.Cause(ctx)
}
