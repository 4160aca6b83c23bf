package delegated_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mews/protocol"
	"mews/worker"
	"mews/worker/host/hosttest"
	"mews/worker/tool/delegated"
)

// jobs answers each call with the call's id.
type jobs struct{ err error }

func (j jobs) call(_ context.Context, p protocol.JobCallParams) (protocol.JobCallResult, error) {
	return protocol.JobCallResult{Text: p.Call, World: true}, j.err
}

func (j jobs) answers() hosttest.Answers {
	return hosttest.Answers{protocol.MethodJobCall: hosttest.NewAnswer(j.call)}
}

func tool(t *testing.T, kind, name string, j jobs) worker.Tool {
	t.Helper()
	for _, tool := range delegated.Tools(j.answers(), protocol.TurnStart{Kind: kind}) {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("there is no %s", name)
	return worker.Tool{}
}

func TestJobTools_SendOnlyTheCallID(t *testing.T) {
	for _, name := range protocol.JobToolNames {
		r, err := tool(t, "chat", name, jobs{}).Run(t.Context(), worker.Call{ID: "c1", Arguments: []byte(`{}`)})
		if err != nil || r.Text != "c1" || !r.World || r.EndsTurn {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	refused := &protocol.Error{Code: protocol.CodeFailed, Message: "soon is no time that I can read"}
	if _, err := tool(t, "chat", "schedule_task", jobs{refused}).Run(t.Context(),
		worker.Call{Arguments: []byte(`{}`)}); err == nil ||
		err.Error() != refused.Message {
		t.Errorf("the model reads %v", err)
	}
	if _, err := tool(t, "chat", "update_task", jobs{}).Run(t.Context(),
		worker.Call{Arguments: []byte(`{"id":"one"}`)}); err == nil {
		t.Error("a number that is none was taken")
	}
}

func TestJobResult_EndsJobTurnsOnly(t *testing.T) {
	call := worker.Call{Arguments: []byte(`{"say":"done"}`)}
	if r, err := tool(t, "job", "job_result", jobs{}).Run(t.Context(), call); err != nil || !r.EndsTurn {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := tool(t, "chat", "job_result", jobs{}).Run(t.Context(), call); err == nil || r.EndsTurn {
		t.Errorf("a chat ended with it: %+v", r)
	}
}

// Job calls beyond the limit are refused here; otherwise the supervisor would end the worker.
func TestJobTools_TooManyCalls_AreRefused(t *testing.T) {
	list := tool(t, "chat", "list_tasks", jobs{errors.New("gone")})
	for n := range protocol.MaxJobCalls + 1 {
		_, err := list.Run(t.Context(), worker.Call{Arguments: []byte(`{}`)})
		if over := strings.Contains(err.Error(), "no more can be"); over != (n == protocol.MaxJobCalls) {
			t.Fatalf("call %d: %v", n, err)
		}
	}
}

func TestTools_Families_StaySmall(t *testing.T) {
	sizes := map[string]int{}
	for _, tool := range delegated.Tools(nil, protocol.TurnStart{}) {
		sizes[tool.Family] += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	if sizes["tasks"]+sizes["job"] > 1600 || sizes["notifications"] > 512 || sizes["numbers"] > 512 || len(sizes) != 7 {
		t.Errorf("the tools have %v bytes, want at most 1,600, 512 and 512", sizes)
	}
}
