package hostcall_test

import (
	"strings"
	"testing"

	"mews/protocol"
)

func changed(t *testing.T, names ...string) protocol.ToolsChangedParams {
	t.Helper()
	var tools []protocol.Tool
	for _, name := range names {
		tools = append(tools, protocol.Tool{Name: name, Schema: []byte(`{}`), Effect: protocol.EffectNone})
	}
	hash, err := protocol.HashTools(tools)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.ToolsChangedParams{Hash: hash, Tools: tools}
}

func (r *rig) offer(names ...string) error {
	r.t.Helper()
	p := r.modelStream()
	p.Tools = protocol.ToolListRef{Hash: hash(strings.Join(names, "\n") + "\n"), Names: names}
	_, err := r.call(protocol.MethodModelStream, p)
	return err
}

func TestTools_ChangeAfterHandshake_IsAccepted(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	if err := r.offer("get_time", "list_files"); err != nil {
		t.Fatal(err)
	}
	list := changed(t, "get_time", "search_mail")
	byHash := protocol.ToolsChangedParams{Hash: list.Hash}
	if _, err := r.call(protocol.MethodToolsChanged, byHash); wireCode(err) != protocol.CodeUnknownHash {
		t.Errorf("a list that nobody knows: %v", err)
	}
	for _, p := range []protocol.ToolsChangedParams{list, byHash} {
		if _, err := r.call(protocol.MethodToolsChanged, p); err != nil {
			t.Error(err)
		}
	}
	stale := r.modelStream()
	stale.Tools.Names = nil // send only the hash of the names, which may have a new meaning
	if _, err := r.call(protocol.MethodModelStream, stale); wireCode(err) != protocol.CodeUnknownHash {
		t.Errorf("by the hash of what was there before: %v", err)
	}
	// one of the tools has left the newest list
	for _, names := range [][]string{{"get_time", "search_mail"}, {"list_files", "search_mail"}} {
		if err := r.offer(names...); err != nil {
			t.Errorf("%v: %v", names, err)
		}
	}
	if err := r.offer("rm"); wireCode(err) != protocol.CodeInvalidParams {
		t.Errorf("a tool that never was: %v", err)
	}
	if r.peer.ended != nil {
		t.Errorf("ended for %v", r.peer.ended)
	}
}

func TestTools_InvalidList_EndsWorker(t *testing.T) {
	for name, change := range map[string]func(*protocol.ToolsChangedParams){
		"not in order": func(p *protocol.ToolsChangedParams) {
			p.Tools[0], p.Tools[1] = p.Tools[1],
				p.Tools[0]
		},
		"others than its hash": func(p *protocol.ToolsChangedParams) { p.Tools[0].Description = "rm -rf /" },
		"twice":                func(p *protocol.ToolsChangedParams) { p.Tools[1] = p.Tools[0] },
		"more than there may be": func(p *protocol.ToolsChangedParams) {
			p.Tools = make([]protocol.Tool,
				protocol.MaxTools+1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
			p := changed(t, "a", "b")
			change(&p)
			if _, err := r.call(protocol.MethodToolsChanged, p); err == nil || r.peer.ended == nil || len(r.audited) != 1 {
				t.Errorf("%v; ended for %v; audited %q", err, r.peer.ended, r.audited)
			}
			r.conn, r.peer = r.newConn("ann")
			r.conn.OnHandshake(protocol.HelloResult{Tools: p.Tools})
			if (r.peer.ended == nil) != (name == "others than its hash") { // a handshake has no hash
				t.Errorf("in a handshake: ended for %v", r.peer.ended)
			}
		})
	}
}

// TestCall_WrongPhaseOrKind_EndsWorker checks that a call in a wrong phase or kind of turn is
// refused, even with valid parameters.
func TestCall_WrongPhaseOrKind_EndsWorker(t *testing.T) {
	r := newRig(t, says(protocol.ContentPart{Text: "hi"}))
	for _, p := range []struct {
		method string
		params any
	}{
		{protocol.MethodBlobBegin, protocol.BlobBeginParams{}},
		{protocol.MethodBlobBegin, protocol.BlobBeginParams{Operation: 7}},
		{protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: r.open.Turn.ID, Operation: 7}},
		{protocol.MethodBlobRead, protocol.BlobReadParams{Turn: r.open.Turn.ID, SHA256: strings.Repeat("a", 20_000)}},
	} {
		r.conn, r.peer = r.newConn("ann")
		r.conn.BeginTurn(r.turn())
		if _, err := r.call(p.method, p.params); err == nil || r.peer.ended == nil {
			t.Errorf("%s %+v: %v, ended for %v", p.method, p.params, err, r.peer.ended)
		}
	}
	sending := newSendRig(t)
	review := sending.turn()
	review.Kind = "job"
	review.Pending = []protocol.PendingCall{{Call: protocol.ToolCall{ID: sending.call, Name: "send_file"}}}
	sending.conn.BeginTurn(review)
	if err := sending.send(sending.file("a.txt", "hello")); err == nil || sending.peer.ended == nil {
		t.Errorf("a file sent by a turn of another kind: %v, ended for %v", err, sending.peer.ended)
	}
}
