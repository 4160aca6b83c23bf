package hostcall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/tools"
)

// toolRig is a rig whose worker has families of tools. say is the model's next message; asked is
// the last request, and offered its tools.
type toolRig struct {
	*rig
	tools   []protocol.Tool
	say     protocol.Message
	asked   modelcall.Request
	offered []string
	steps   int // number of steps of the turn so far
}

func newToolRig(t *testing.T, more ...protocol.Tool) *toolRig {
	r := &toolRig{}
	r.rig = newRig(t, func(_ context.Context, req modelcall.Request, _ func(string)) (protocol.Message, error) {
		r.asked, r.offered = req, tools.Names(req.Tools)
		return r.say, nil
	})
	r.options.OpenedTools = r.db.OpenedTools()
	schema := []byte(`{"type":"object"}`)
	r.tools = append(more,
		protocol.Tool{Name: "find_tools", Schema: schema}, protocol.Tool{Name: "read_file", Schema: schema},
		protocol.Tool{Name: "forget", Family: "memory", Schema: schema}, protocol.Tool{Name: "terminal", Family: "terminal", Schema: schema},
		protocol.Tool{Name: "update_memory", Family: "memory", Schema: schema})
	slices.SortFunc(r.tools, func(a, b protocol.Tool) int { return strings.Compare(a.Name, b.Name) })
	r.conn.EndTurn(r.open.Turn.ID, "")
	r.restart()
	return r
}

// restart continues the turn with another worker, as after a crash.
func (r *toolRig) restart(pending ...protocol.ToolCall) {
	r.conn, r.peer = r.newConn("ann")
	r.conn.OnHandshake(protocol.HelloResult{Tools: r.tools})
	turn := r.turn()
	turn.Step = r.steps
	for _, c := range pending {
		turn.Pending = append(turn.Pending, protocol.PendingCall{Call: c})
	}
	r.conn.BeginTurn(turn)
}

// step makes the model call tools, each given as "name arguments". It returns the committed step.
func (r *toolRig) step(calls ...string) protocol.ModelStreamResult {
	r.t.Helper()
	result, err := r.tryStep(calls...)
	if err != nil {
		r.t.Fatal(err)
	}
	return result.(protocol.ModelStreamResult)
}

// tryStep is like step, but may return an error.
func (r *toolRig) tryStep(calls ...string) (result any, err error) {
	r.t.Helper()
	r.say = protocol.Message{Parts: []protocol.ContentPart{{Text: "well"}}}
	for _, c := range calls {
		name, arguments, _ := strings.Cut(c, " ")
		r.say.Parts = append(r.say.Parts, protocol.ContentPart{Call: &protocol.ToolCall{Name: name,
			Arguments: json.RawMessage(arguments)}})
	}
	names := tools.Names(r.tools)
	p := r.modelStream()
	p.Tools = protocol.ToolListRef{Hash: hash(strings.Join(names, "\n") + "\n"), Names: names}
	if result, err = r.call(protocol.MethodModelStream, p); err == nil {
		r.steps++
	}
	return result, err
}

func (r *toolRig) find(call string) protocol.ToolsFindResult {
	r.t.Helper()
	found, err := r.call(protocol.MethodToolsFind, protocol.ToolsFindParams{Turn: r.open.Turn.ID, Call: call})
	if err != nil {
		r.t.Fatal(err)
	}
	return found.(protocol.ToolsFindResult)
}

func (r *toolRig) answer(call protocol.ToolCall) {
	r.t.Helper()
	if err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "done"}); err != nil {
		r.t.Fatal(err)
	}
}

// TestFindTools_FoundFamily_StaysOffered checks that opened families stay offered, even after a
// crash of the worker.
func TestFindTools_FoundFamily_StaysOffered(t *testing.T) {
	r := newToolRig(t)
	call := r.step(`find_tools {"words":"memory"}`).Message.ToolCalls()[0]
	if want := []string{"find_tools", "read_file"}; !slices.Equal(r.offered, want) {
		t.Errorf("at first %q are offered, want %q", r.offered, want)
	}
	first := r.find(call.ID)
	if want := []string{"forget", "update_memory"}; !slices.Equal(first.Opened, want) || !strings.Contains(first.Text, "memory: forget, update_memory\nterminal: terminal\n") {
		t.Errorf("found: %+v", first)
	}
	r.restart(call)
	if again := r.find(call.ID); again.Text != first.Text || !slices.Equal(again.Opened, first.Opened) {
		t.Errorf("found again: %+v, at first %+v", again, first)
	}
	r.answer(call)
	call = r.step(`find_tools {"words":"memory"}`).Message.ToolCalls()[0]
	if open := r.find(call.ID); open.Opened != nil || open.Text != first.Text { // opened before the crash
		t.Errorf("found once more: %+v", open)
	}
	r.answer(call)
	said := r.step(`terminal {"action":"list"}`) // the family was closed, but fits into the request
	if want := []string{"find_tools", "read_file", "forget", "update_memory"}; !slices.Equal(r.offered, want) || said.Answered != nil {
		t.Errorf("%q are offered, want %q; answered %v", r.offered, want, said.Answered)
	}
	r.restart(said.Message.ToolCalls()...)
	r.answer(said.Message.ToolCalls()[0])
	r.step()
	if want := []string{"find_tools", "read_file", "forget", "update_memory", "terminal"}; !slices.Equal(r.offered, want) {
		t.Errorf("%q are offered, want %q", r.offered, want)
	}
}

// bulk returns n tools of 1,000 bytes each.
func bulk(n int) (list []protocol.Tool) {
	for i := range n {
		list = append(list, protocol.Tool{Name: fmt.Sprintf("bulk_%02d", i), Family: "bulk", Schema: []byte(`{"type":"object"}`),
			Description: strings.Repeat("x", 1000)})
	}
	return list
}

// TestToolCall_NoRoomForTool_IsNotRun checks that the model is told what to do instead, and
// that the worker does not run the call.
func TestToolCall_NoRoomForTool_IsNotRun(t *testing.T) {
	r := newToolRig(t, bulk(40)...)
	var all []string
	for _, tool := range bulk(40) {
		all = append(all, tool.Name+" {}")
	}
	said := r.step(append(all, `find_tools {"words":"bulk_39"}`, "fly {}")...)
	calls := said.Message.ToolCalls()
	if len(said.Answered) != 17 || said.Answered[0].Call != calls[23].ID || said.Answered[16].Message != r.newest() {
		t.Fatalf("answered are %+v of %d; the newest message is %d", said.Answered, len(calls), r.newest())
	}
	messages, err := r.db.Transcript().ListMessages(t.Context(), r.open.Turn.Conversation.ID)
	if err != nil {
		t.Fatal(err)
	}
	last := messages[len(messages)-1].Parts[0].Result
	if !last.Failed || last.Name != "bulk_39" || !strings.Contains(last.Text, "/tools") {
		t.Errorf("the model is told %+v", last)
	}
	found := r.find(calls[40].ID)
	if len(found.Opened) != 0 || !strings.Contains(found.Text, "no room for bulk_39") {
		t.Errorf("found: %+v", found)
	}
	r.answer(calls[40])
	r.answer(calls[41])
	for _, call := range calls[:23] {
		r.answer(call)
	}
	r.step()
	if len(r.offered) != 25 || r.peer.ended != nil {
		t.Errorf("%d tools are offered; ended for %v", len(r.offered), r.peer.ended)
	}
}

// TestOfferedTools_TooMany_DropsLeastRecent checks that the tools that were not used for longest
// are closed first. Tools that the user keeps open are closed last.
func TestOfferedTools_TooMany_DropsLeastRecent(t *testing.T) {
	r := newToolRig(t, bulk(23)...)
	conversation := r.open.Turn.Conversation
	for _, tool := range bulk(23) {
		if err := r.db.OpenedTools().AddTools(t.Context(), conversation, supervisor.OpenedTool{Name: tool.Name,
			Pinned: tool.Name == "bulk_03"}); err != nil {
			t.Fatal(err)
		}
	}
	r.answer(r.step("bulk_00 {}").Message.ToolCalls()[0])
	if len(r.offered) != 25 {
		t.Errorf("%d tools are offered", len(r.offered))
	}
	r.next("2")
	r.step() // in this step the model calls no tool
	r.next("3")
	r.options.History = 10
	r.step()
	if len(r.offered) != 17 || r.offered[2] != "bulk_00" || r.offered[3] != "bulk_03" {
		t.Errorf("after a trim %q are offered", r.offered)
	}
	if err := r.db.Transcript().ClearWindow(t.Context(), conversation.ID); err != nil {
		t.Fatal(err)
	}
	if left, err := r.db.OpenedTools().List(t.Context(), conversation.ID); err != nil || len(left) != 1 || left[0].Name != "bulk_03" {
		t.Errorf("after /new %+v are open, %v", left, err)
	}
}

func TestFindTools_CallOfOtherTool_IsRefused(t *testing.T) {
	r := newToolRig(t)
	calls := r.step("read_file {}", `find_tools {}`).Message.ToolCalls()
	if err := r.done(protocol.ToolResult{Call: calls[0].ID, Name: "read_file", Tools: []string{"forget"}}); err == nil || r.peer.ended == nil {
		t.Errorf("%v; ended for %v", err, r.peer.ended)
	}
	r.restart(calls...)
	if _, err := r.call(protocol.MethodToolsFind, protocol.ToolsFindParams{Turn: r.open.Turn.ID,
		Call: calls[0].ID}); err == nil || r.peer.ended == nil {
		t.Errorf("%v; ended for %v", err, r.peer.ended)
	}
}
