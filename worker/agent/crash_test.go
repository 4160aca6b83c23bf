package agent_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/protocol"
	"mews/worker"
	"mews/worker/agent"
	"mews/worker/host/hosttest"
)

// counter counts the runs of each call's tool.
type counter struct {
	mu   sync.Mutex
	runs map[string]int
}

func (c *counter) run(_ context.Context, call worker.Call) (worker.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[call.ID]++
	return worker.Result{Text: "ran " + call.ID}, nil
}

func (c *counter) count(call string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[call]
}

var effects = []protocol.ToolEffect{protocol.EffectNone, protocol.EffectIdempotent, protocol.EffectOnce}

// drawScript draws the messages of a model: random calls with random effects. No call comes twice.
func drawScript(t *rapid.T) []protocol.Message {
	var script []protocol.Message
	for step := range rapid.IntRange(1, 4).Draw(t, "steps") {
		var calls []protocol.ToolCall
		for i := range rapid.IntRange(1, 4).Draw(t, "calls") {
			name := string(rapid.SampledFrom(append(effects, "unknown")).Draw(t, "tool"))
			calls = append(calls, hosttest.ToolCall(fmt.Sprintf("%d.%d", step, i), name, fmt.Sprintf(`{"n":"%d.%d"}`,
				step, i)))
		}
		script = append(script, hosttest.CallMessage(calls...))
	}
	return script
}

// TestRun_CrashAtAnyCall_LosesNothing runs random turns. The worker dies at random calls of its
// host, before or after the call took effect. After each death the turn is started again from the
// committed state.
func TestRun_CrashAtAnyCall_LosesNothing(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		script := drawScript(t)
		crashes := rapid.SliceOfN(rapid.IntRange(1, 12), 0, 4).Draw(t, "crash at")
		deaf := rapid.Bool().Draw(t, "after the call took effect")
		runs := &counter{runs: map[string]int{}}
		var tools []worker.Tool
		for _, effect := range effects {
			tools = append(tools, tool(string(effect), effect, runs.run))
		}

		host := &hosttest.Host{TB: outer, Limits: limits, Answer: hosttest.ScriptMessages(script...)}
		for _, at := range crashes {
			if host.IsTurnOver() {
				break
			}
			host.Fail = dieAt(at, deaf)
			if end, err := agent.Run(context.Background(), host.TurnStart(), agent.Options{Host: host,
				Tools: tools}); err == nil && end.Why != protocol.TurnEndDone {
				t.Fatalf("a crash ended the turn: %+v", end)
			}
		}
		host.Fail = nil
		if !host.IsTurnOver() {
			end, err := agent.Run(context.Background(), host.TurnStart(), agent.Options{Host: host, Tools: tools})
			if want := (protocol.TurnEnd{Why: protocol.TurnEndDone, Steps: len(script) + 1}); err != nil ||
				end != want {
				t.Fatalf("the turn ended with %+v, %v; want %+v", end, err, want)
			}
		}
		check(t, script, host, runs)
	})
}

// dieAt makes calls of the host fail, from the call with the number at on. If deaf is set, that
// first call still takes effect.
func dieAt(at int, deaf bool) func(int, string) hosttest.Failure {
	first, called := 0, 0
	return func(n int, _ string) hosttest.Failure {
		if first == 0 {
			first = n
		}
		called = n - first + 1
		switch {
		case called < at:
			return hosttest.FailureNone
		case called == at && deaf:
			return hosttest.FailureAnswerLost
		default:
			return hosttest.FailureCallLost
		}
	}
}

// check fails unless each call has a result. The host refuses a second result of a call. Tools with
// EffectOnce ran at most once, and exactly once unless the result says that this is unknown.
func check(t *rapid.T, script []protocol.Message, host *hosttest.Host, runs *counter) {
	for _, message := range script {
		for _, call := range message.ToolCalls() {
			result, done := host.CallResult(call.ID)
			if !done {
				t.Fatalf("call %s has no result", call.ID)
			}
			count := runs.count(call.ID)
			once := call.Name == string(protocol.EffectOnce)
			if once && count > 1 || once && !result.Failed && count != 1 {
				t.Fatalf("call %s with the result %q was run %d times", call.ID, result.Text, count)
			}
			if slices.Contains(effects, protocol.ToolEffect(call.Name)) && !once && (count == 0 || result.Failed) {
				t.Fatalf("call %s was run %d times with the result %+v", call.ID, count, result)
			}
		}
	}
}
