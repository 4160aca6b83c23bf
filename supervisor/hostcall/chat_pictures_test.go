package hostcall_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
)

// newPictureRig is a rig whose model has called a tool. The turn has the kind, and its destination
// is the Telegram chat.
func newPictureRig(t *testing.T, tool string, kind supervisor.TurnKind, chat string) *sendRig {
	t.Helper()
	r := &sendRig{rig: newRig(t, says(protocol.ContentPart{Call: &protocol.ToolCall{Name: tool,
		Arguments: json.RawMessage(`{}`)}})), approver: &fakeApprover{}}
	r.options.Approver, r.options.Sender = r.approver, databaseSender{r.db.Turns()}
	r.options.Groups = &approval.GroupGuard{FindConversation: r.db.Conversations().FindConversation}
	r.conn.OnHandshake(protocol.HelloResult{Tools: []protocol.Tool{{Name: tool}}})
	r.call = r.makeCalls()[0].ID
	to, err := r.db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTelegram, chat, "")
	if err != nil {
		t.Fatal(err)
	}
	turn := r.turn()
	turn.Kind, turn.Destination = kind, to.ID
	turn.Pending = []protocol.PendingCall{{Call: protocol.ToolCall{ID: r.call, Name: tool}}}
	r.conn.EndTurn(turn.ID, protocol.TurnEndDone)
	r.conn.BeginTurn(turn)
	return r
}

// pictures returns the call of an honest worker that sends these charts.
func (r *sendRig) pictures(names ...string) protocol.ChatPicturesParams {
	r.t.Helper()
	p := protocol.ChatPicturesParams{Turn: r.open.Turn.ID, Call: r.call}
	for _, name := range names {
		p.Files = append(p.Files, protocol.ChatFile{Blob: upload(r.t, r.conn, r.open.Turn.ID, picture(r.t)), Name: name,
			Path: "charts/" + name})
	}
	return p
}

// sendPictures returns why pictures were not sent.
func (r *sendRig) sendPictures(p protocol.ChatPicturesParams) (string, error) {
	r.t.Helper()
	result, err := r.rig.call(protocol.MethodChatPictures, p)
	answer, _ := result.(protocol.ChatPicturesResult)
	return answer.Unsent, err
}

func TestSendPictures_PrivateChat_AreSentOnce(t *testing.T) {
	for _, c := range []struct {
		tool string
		kind supervisor.TurnKind
	}{{"run_python", supervisor.TurnChat}, {"plot_chart", supervisor.TurnChat}, {"run_python", supervisor.TurnJob}} {
		r := newPictureRig(t, c.tool, c.kind, "42")
		for range 2 {
			if unsent, err := r.sendPictures(r.pictures("a.png", "b.png")); unsent != "" || err != nil {
				t.Fatal(unsent, err)
			}
		}
		if got := r.delivered(); len(got) != 2 || got[0].Name != "a.png" || got[0].MediaType != "image/png" ||
			got[0].Path != "charts/a.png" {
			t.Errorf("%+v: what waits is %+v", c, got)
		}
		if asked := r.approver.asked; len(asked) != 1 || !asked[0].Unasked ||
			asked[0].Effect != approval.EffectSendFile {
			t.Errorf("%+v: asked was %+v", c, asked)
		}
	}
}

func TestSendPictures_GroupOrRule_AreNotSent(t *testing.T) {
	for chat, c := range map[string]struct {
		err  error
		want string
	}{
		"-100": {nil, "to a group"},
		"42": {&supervisor.Error{Code: supervisor.CodeForbidden, Message: "ann must be asked first."},
			"must be asked"},
	} {
		r := newPictureRig(t, "run_python", supervisor.TurnJob, chat)
		r.approver.err = c.err
		unsent, err := r.sendPictures(r.pictures("a.png"))
		if !strings.Contains(unsent, c.want) || err != nil || len(r.delivered()) != 0 || r.peer.ended != nil {
			t.Errorf("%s: got %q, %v; %+v waits", chat, unsent, err, r.delivered())
		}
	}
}

func TestSendPictures_NoPicture_IsRefused(t *testing.T) {
	r := newPictureRig(t, "run_python", supervisor.TurnChat, "42")
	p := r.pictures("a.png")
	p.Files[0].Blob = upload(t, r.conn, r.open.Turn.ID, "my diary")
	if _, err := r.sendPictures(p); wireCode(err) != protocol.CodeFailed || !strings.Contains(err.Error(),
		"a.png is no PNG") ||
		r.peer.ended != nil {
		t.Errorf("got %v, ended for %v", err, r.peer.ended)
	}
}

func TestSendPictures_InvalidCall_EndsWorker(t *testing.T) {
	for name, c := range map[string]struct {
		tool   string
		change func(*sendRig, *protocol.ChatPicturesParams)
		want   string // text of the offence in the audit log
	}{
		"another tool": {"list_files", func(*sendRig, *protocol.ChatPicturesParams) {}, "leaves no pictures"},
		"no call": {"run_python", func(_ *sendRig, p *protocol.ChatPicturesParams) { p.Call = "" },
			"leaves no pictures"},
		"no pictures": {"run_python", func(_ *sendRig, p *protocol.ChatPicturesParams) { p.Files = nil }, "files: 0"},
		"too many": {"run_python", func(r *sendRig, p *protocol.ChatPicturesParams) {
			*p = r.pictures("1.png", "2.png", "3.png", "4.png", "5.png")
		}, "files: 5"},
		"another folder": {"run_python", func(_ *sendRig,
			p *protocol.ChatPicturesParams) {
			p.Files[0].Path = "secret/a.png"
		}, "path"},
		"no picture": {"run_python", func(_ *sendRig,
			p *protocol.ChatPicturesParams) {
			p.Files[0].Path = "charts/a.txt"
		}, "path"},
		"a caption": {"run_python", func(_ *sendRig,
			p *protocol.ChatPicturesParams) {
			p.Files[0].Caption = "x"
		}, "caption"},
		"nobody's": {"run_python", func(_ *sendRig,
			p *protocol.ChatPicturesParams) {
			p.Files[0].Blob.SHA256 = hash("x")
		}, "not a blob"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newPictureRig(t, c.tool, supervisor.TurnChat, "42")
			p := r.pictures("a.png")
			c.change(r, &p)
			if _, err := r.sendPictures(p); err == nil || r.peer.ended == nil || len(r.audited) != 1 ||
				!strings.Contains(r.audited[0], c.want) || len(r.delivered()) != 0 {
				t.Errorf("got %v, ended for %v, audited %.300q", err, r.peer.ended, r.audited)
			}
		})
	}
}

func TestSendPictures_McpTurn_EndsWorker(t *testing.T) {
	r := newPictureRig(t, "run_python", supervisor.TurnMCP, "42")
	if _, err := r.sendPictures(r.pictures("a.png")); err == nil || r.peer.ended == nil {
		t.Errorf("got %v", err)
	}
}
