package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"mews/protocol"
	"mews/worker"
)

// Texts that the model reads in place of a tool's result.
const (
	textInterrupted = "interrupted: the outcome of this call is unknown; look before doing it again"
	textNotRun      = "not run: the turn ended before this call began"
	textStopped     = "stopped: the turn ended while this ran"
	textNoTool      = "there is no tool %.80q; the tools are: %s. find_tools lists and opens more"
)

// errNoResult means that the turn ended before the call had a result. The supervisor then writes a
// result.
var errNoResult = errors.New("left without a result by the turn's end")

// errWaits means that the call waits for the user's answer. The turn makes the same call again
// after the answer.
var errWaits = errors.New("the call waits for the person's answer")

// isWaiting reports whether err is the supervisor's answer that the user has not answered yet.
func isWaiting(err error) bool {
	answered := new(protocol.Error)
	return errors.As(err, &answered) && answered.Code == protocol.CodeWaitsForUser
}

// noResultTexts are the texts for the user if a call ends without a result. The key tells whether
// the call waits for the user.
var noResultTexts = map[bool]string{true: "waits for your answer", false: "stopped"}

// runCall shows, runs and commits one call. It returns the id of the result's message, or 0 if ctx
// ended before there was a result.
func (t *turn) runCall(ctx context.Context, p protocol.PendingCall) (int64, error) {
	for _, a := range t.answered {
		if a.Call == p.Call.ID {
			return a.Message, nil
		}
	}
	if ctx.Err() != nil {
		return 0, nil
	}
	t.sendEvent(p.Call, protocol.EventToolBegan, subject(p.Call.Arguments), false)
	result, err := t.execute(ctx, p)
	if err != nil {
		t.sendEvent(p.Call, protocol.EventToolEnded, noResultTexts[errors.Is(err, errWaits)], !errors.Is(err, errWaits))
		if errors.Is(err, errNoResult) {
			return 0, nil
		}
		return 0, err
	}
	committed := protocol.ToolResult{
		Call: p.Call.ID, Name: p.Call.Name, Changes: result.Changes, Images: t.keepImages(&result), World: result.World,
		Origins: result.Origins,
		Tools:   result.Tools,
	}
	committed.Failed = result.failed
	committed.Text, committed.Rest = t.limitOutput(result.Text)
	id, err := t.host.CommitCallResult(t.commitCtx, committed)
	t.sendEvent(p.Call, protocol.EventToolEnded, result.Brief, result.failed)
	if err != nil {
		return 0, fmt.Errorf("commit its result: %w", err)
	}
	if result.EndsTurn {
		t.ended.Store(true)
	}
	return id, nil
}

// toolOutcome is a tool's result or, if it failed, a text for the model about the failure.
type toolOutcome struct {
	worker.Result
	failed bool
}

// failedOutcome tells the model what went wrong. The user sees the first line of the text.
func failedOutcome(text string) toolOutcome {
	return toolOutcome{Result: worker.Result{Text: text, Brief: firstLine(text)}, failed: true}
}

// execute runs the call's tool if it may run. An error means that the call has no outcome: it is
// errNoResult, or the supervisor did not commit the beginning.
func (t *turn) execute(ctx context.Context, p protocol.PendingCall) (toolOutcome, error) {
	if p.Begun {
		interrupted := failedOutcome(textInterrupted)
		interrupted.Changes = []protocol.Change{{Kind: "begin", Target: p.Call.Name}}
		return interrupted, nil
	}
	tool, known := t.table[p.Call.Name]
	if !known {
		return failedOutcome(t.unknownToolText(p.Call.Name)), nil
	}
	if complaint := checkArguments(p.Call.Arguments); complaint != "" {
		return failedOutcome(complaint), nil
	}
	if tool.Effect == protocol.EffectOnce {
		if err := t.host.CommitCallBegin(t.commitCtx, p.Call); err != nil {
			return toolOutcome{}, fmt.Errorf("commit its beginning: %w", err)
		}
		if ctx.Err() != nil {
			return failedOutcome(textNotRun), nil
		}
	}
	return t.run(ctx, tool, p.Call)
}

// run runs the tool. If a tool gave up because ctx ended, it has no outcome, unless it reports what
// it had changed by then. A tool that finished although ctx had ended has an outcome.
func (t *turn) run(ctx context.Context, tool worker.Tool, call protocol.ToolCall) (toolOutcome, error) {
	result, err := t.runRecovered(ctx, tool, worker.Call{
		ID:         call.ID,
		Turn:       t.id,
		Arguments:  call.Arguments,
		KeepBefore: t.host.StoreUndoBlob,
		Progress:   func(text string) { t.sendEvent(call, protocol.EventToolProgress, text, false) },
	})
	switch {
	case err == nil:
		return toolOutcome{Result: result}, nil
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		if len(result.Changes) == 0 {
			return toolOutcome{}, errNoResult
		}
		stopped := failedOutcome(textStopped)
		stopped.Changes, stopped.World = result.Changes, result.World
		return stopped, nil
	case isWaiting(err):
		return toolOutcome{}, errWaits
	default:
		failed := failedOutcome(err.Error())
		failed.Changes, failed.World = result.Changes, result.World
		return failed, nil
	}
}

// runRecovered runs the tool and turns its panic into an error, so that a faulty tool does not end
// the turn.
func (t *turn) runRecovered(ctx context.Context, tool worker.Tool, call worker.Call) (result worker.Result, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			t.report(fmt.Errorf("turn %d: call %s of %s: panic: %v\n%s", t.id, call.ID, tool.Name, fault, debug.Stack()))
			err = fmt.Errorf("%s broke off with a fault of its own (%v); whether it did anything is unknown", tool.Name, fault)
		}
	}()
	return tool.Run(ctx, call)
}

// unknownToolText tells the model that the tool does not exist, and lists the tools that always
// exist.
func (t *turn) unknownToolText(name string) string {
	var names []string
	for _, tool := range t.tools {
		if tool.Family == "" {
			names = append(names, tool.Name)
		}
	}
	return fmt.Sprintf(textNoTool, name, strings.Join(names, ", "))
}

// checkArguments describes the fault of arguments that are no JSON object; "" means that they are
// an object. Arguments that were no JSON at all arrive as {"_malformed": text}, because the
// transcript can hold nothing else.
func checkArguments(arguments json.RawMessage) string {
	var fields map[string]json.RawMessage
	if len(arguments) == 0 {
		return ""
	}
	if err := json.Unmarshal(arguments, &fields); err != nil {
		return fmt.Sprintf("the arguments must be one JSON object, and these are not: %.200s", arguments)
	}
	raw, found := fields["_malformed"]
	if !found {
		return ""
	}
	return fmt.Sprintf("the arguments were not valid JSON: %.200s. Make the call again with one JSON object", raw)
}
