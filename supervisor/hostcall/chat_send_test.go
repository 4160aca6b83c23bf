package hostcall_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"strconv"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/hostcall"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// picture returns a PNG file.
func picture(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sendFileModel is a model that calls send_file once.
func sendFileModel() funcModel {
	return says(protocol.ContentPart{Call: &protocol.ToolCall{Name: "send_file",
		Arguments: json.RawMessage(`{"path":"a"}`)}})
}

// fakeApprover returns a prepared decision and records the requests.
type fakeApprover struct {
	asked []approval.Request
	err   error
}

func (a *fakeApprover) Allow(_ context.Context, r approval.Request) error {
	a.asked = append(a.asked, r)
	return a.err
}

// databaseSender is a sender that stores messages in the real database.
type databaseSender struct{ sqlite.Turns }

func (s databaseSender) Send(ctx context.Context, turn int64, call string, d supervisor.Delivery) error {
	_, err := s.Turns.SendMessage(ctx, turn, call, d)
	return err
}

// sendRig is a rig whose model has called send_file.
type sendRig struct {
	*rig
	approver *fakeApprover
	call     string
}

func newSendRig(t *testing.T) *sendRig {
	t.Helper()
	r := &sendRig{rig: newRig(t, sendFileModel()), approver: &fakeApprover{}}
	r.options.Approver, r.options.Sender = r.approver, databaseSender{r.db.Turns()}
	r.conn.OnHandshake(protocol.HelloResult{Tools: []protocol.Tool{{Name: "get_time"}, {Name: "list_files"},
		{Name: "send_file"}}})
	r.call = r.makeCalls()[0].ID
	return r
}

// file returns the call of an honest worker that sends a file with these bytes.
func (r *sendRig) file(name, data string) protocol.ChatSendParams {
	r.t.Helper()
	return protocol.ChatSendParams{Turn: r.open.Turn.ID, Call: r.call,
		ChatFile: protocol.ChatFile{Blob: upload(r.t, r.conn, r.open.Turn.ID, data), Name: name}}
}

func (r *sendRig) send(p protocol.ChatSendParams) error {
	r.t.Helper()
	_, err := r.rig.call(protocol.MethodChatSend, p)
	return err
}

// delivered lists the files in ann's outbox.
func (r *sendRig) delivered() (files []supervisor.File) {
	r.t.Helper()
	list, err := r.db.Outbox().ListPending(r.t.Context(), r.open.Turn.Conversation.ID, 0, 100)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, d := range list {
		files = append(files, d.Files...)
	}
	return files
}

func TestSendFiles_IsSentOnce(t *testing.T) {
	r := newSendRig(t)
	p := r.file("cat.png", picture(t))
	p.Caption = "Tom\n`and` Jerry"
	for range 3 {
		if err := r.send(p); err != nil {
			t.Fatal(err)
		}
	}
	want := supervisor.File{SHA256: p.Blob.SHA256, Size: p.Blob.Size, Name: "cat.png", MediaType: "image/png", Caption: p.Caption}
	if got := r.delivered(); len(got) != 1 || got[0] != want {
		t.Errorf("what waits is %+v", got)
	}
	asked := r.approver.asked[0]
	if asked.User != "ann" || asked.Effect != approval.EffectSendFile || asked.Content != p.Blob.SHA256 || asked.Call != r.call ||
		asked.Conversation.ID != r.open.Turn.Conversation.ID || asked.Turn != r.open.Turn.ID {
		t.Errorf("asked was %+v", asked)
	}
	if want := "May I send the file `cat.png` here (image/png, "; !strings.HasPrefix(asked.Text, want) ||
		!strings.HasSuffix(asked.Text, "Its caption would be: `Tom 'and' Jerry`") {
		t.Errorf("the person reads %q", asked.Text)
	}
	if r.peer.ended != nil {
		t.Errorf("the worker was ended for %v", r.peer.ended)
	}
}

// TestApproval_OtherFile_NeedsNewApproval checks that an approval does not cover another name,
// caption, content or conversation.
func TestApproval_OtherFile_NeedsNewApproval(t *testing.T) {
	r := newSendRig(t)
	r.approver.err = &supervisor.Error{Code: supervisor.CodeForbidden, Message: "ann was asked and said no."}
	first := r.file("a.txt", "a")
	second, third, fourth := first, first, r.file("a.txt", "b")
	second.Name, third.Caption = "b.txt", "look"
	subjects := map[string]bool{}
	for _, p := range []protocol.ChatSendParams{first, second, third, fourth, first} {
		if err := r.send(p); wireCode(err) != protocol.CodeFailed || !strings.Contains(err.Error(), "said no") {
			t.Errorf("got %v", err)
		}
		subjects[r.approver.asked[len(r.approver.asked)-1].Subject()] = true
	}
	if len(subjects) != 4 || len(r.delivered()) != 0 || r.peer.ended != nil {
		t.Errorf("%d subjects, %+v waits, ended for %v", len(subjects), r.delivered(), r.peer.ended)
	}
}

func TestSendFiles_InvalidFile_EndsWorker(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*sendRig, *protocol.ChatSendParams)
		want   string // text of the offence in the audit log
	}{
		"somebody else's": {func(r *sendRig, p *protocol.ChatSendParams) {
			bob, _ := r.newConn("bob")
			other := r.startTurn("bob", "1")
			bob.BeginTurn(hostcall.Turn{ID: other.Turn.ID, Kind: supervisor.TurnChat, Conversation: other.Turn.Conversation.ID, Reply: r.stream})
			p.Blob = upload(r.t, bob, other.Turn.ID, "bob's secret")
		}, "not a blob of this person's"},
		"nobody's": {func(_ *sendRig, p *protocol.ChatSendParams) { p.Blob.SHA256 = hash("x") },
			"not a blob of this person's"},
		"a path": {func(_ *sendRig, p *protocol.ChatSendParams) { p.Blob.SHA256 = "../mews.db" },
			"not a blob of this person's"},
		"another size": {func(_ *sendRig, p *protocol.ChatSendParams) { p.Blob.Size++ }, "bytes, not"},
		"too large": {func(_ *sendRig, p *protocol.ChatSendParams) { p.Blob.Size = protocol.MaxSentFileBytes + 1 },
			"blob.size"},
		"another turn":  {func(_ *sendRig, p *protocol.ChatSendParams) { p.Turn++ }, "not a turn of this worker's"},
		"no call":       {func(_ *sendRig, p *protocol.ChatSendParams) { p.Call = "" }, "not one of send_file"},
		"an older call": {func(_ *sendRig, p *protocol.ChatSendParams) { p.Call = "t1-0-1" }, "not one of send_file"},
		"an endless call": {func(_ *sendRig, p *protocol.ChatSendParams) { p.Call = strings.Repeat("x", 65) },
			"call: 65 bytes"},
		"control characters": {func(_ *sendRig, p *protocol.ChatSendParams) { p.Name = "a\x1b]0;b\x07.png" }, "name"},
		"a folder":           {func(_ *sendRig, p *protocol.ChatSendParams) { p.Name = "../a.png" }, "name"},
		"a huge caption": {func(_ *sendRig, p *protocol.ChatSendParams) {
			p.Caption = strings.Repeat("x",
				500_000)
		}, "caption"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSendRig(t)
			p := r.file("a.txt", "a")
			c.change(r, &p)
			if err := r.send(p); err == nil || r.peer.ended == nil || len(r.audited) != 1 || !strings.Contains(r.audited[0], c.want) {
				t.Errorf("got %v, ended for %v, audited %.300q", err, r.peer.ended, r.audited)
			}
			if len(r.audited[0]) > 1000 || len(r.delivered()) != 0 || len(r.approver.asked) != 0 {
				t.Errorf("what waits is %+v, asked was %+v", r.delivered(), r.approver.asked)
			}
		})
	}
}

// TestSendFiles_SeveralPictures_AreOneDelivery checks that all pictures of one call are one
// delivery, and need one approval.
func TestSendFiles_SeveralPictures_AreOneDelivery(t *testing.T) {
	r := newSendRig(t)
	p, other := r.file("cat.png", picture(t)), r.file("dog.txt", "a dog")
	p.More = []protocol.ChatFile{other.ChatFile}
	for range 2 {
		if err := r.send(p); err != nil {
			t.Fatal(err)
		}
	}
	list, err := r.db.Outbox().ListPending(t.Context(), r.open.Turn.Conversation.ID, 0, 100)
	if err != nil || len(list) != 1 || len(list[0].Files) != 2 || list[0].Files[0].MediaType != "image/png" || list[0].Files[1].Name != "dog.txt" {
		t.Errorf("what waits is %+v, %v", list, err)
	}
	asked := r.approver.asked[0]
	if !strings.HasSuffix(asked.Text, "And with it `dog.txt` (text/plain, 5 bytes)?") {
		t.Errorf("the person reads %q", asked.Text)
	}
	p.More[0].Blob = r.file("dog.txt", "a fox").Blob
	r.options.Sender = forgetfulSender{r.options.Sender}
	if err := r.send(p); err != nil || r.approver.asked[1].Subject() == asked.Subject() {
		t.Errorf("other bytes behind the first are the same subject, %v", err)
	}
}

// forgetfulSender is a Sender that forgets what it has sent.
type forgetfulSender struct{ hostcall.Sender }

func (forgetfulSender) WasMessageSent(context.Context, int64, string) (bool, error) {
	return false, nil
}

// messageRig returns a rig whose model has called send_message.
func messageRig(t *testing.T, arguments string) *sendRig {
	t.Helper()
	r := &sendRig{rig: newRig(t, says(protocol.ContentPart{Call: &protocol.ToolCall{Name: "send_message",
		Arguments: json.RawMessage(arguments)}})),
		approver: &fakeApprover{}}
	r.options.Approver, r.options.Sender = r.approver, databaseSender{r.db.Turns()}
	r.conn.OnHandshake(protocol.HelloResult{Tools: []protocol.Tool{{Name: "get_time"}, {Name: "list_files"},
		{Name: "send_message"}}})
	r.call = r.makeCalls()[0].ID
	return r
}

// TestSendMessage_SendsModelsTextOnce checks that the sent text is that of the model's call,
// whatever the worker says. The message is sent once.
func TestSendMessage_SendsModelsTextOnce(t *testing.T) {
	r := messageRig(t, `{"text":"**Found** it."}`)
	for range 3 {
		if _, err := r.rig.call(protocol.MethodChatMessage, protocol.ChatMessageParams{Turn: r.open.Turn.ID,
			Call: r.call}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := r.db.Outbox().ListPending(t.Context(), r.open.Turn.Conversation.ID, 0, 100)
	if err != nil || len(list) != 1 || list[0].Kind != supervisor.DeliveryMessage || list[0].Text != "**Found** it." {
		t.Errorf("what waits is %+v, %v", list, err)
	}
	if len(r.approver.asked) != 0 {
		t.Errorf("asked was %+v", r.approver.asked)
	}
}

func TestSendMessage_InvalidCall_IsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		arguments, call, says string
		ended                 bool
	}{
		"no text": {`{}`, "", "there is no text", false},
		"blanks":  {`{"text":" \n"}`, "", "there is no text", false},
		"too much": {`{"text":"` + strings.Repeat("x", protocol.MaxSentMessageBytes+1) + `"}`, "",
			"more than 16 KiB", false},
		"another call":  {`{"text":"x"}`, "t9-0-0", "", true},
		"endless words": {`{"text":"x"}`, strings.Repeat("x", 65), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := messageRig(t, c.arguments)
			call := c.call
			if call == "" {
				call = r.call
			}
			_, err := r.rig.call(protocol.MethodChatMessage, protocol.ChatMessageParams{Turn: r.open.Turn.ID,
				Call: call})
			if err == nil || !strings.Contains(err.Error(), c.says) || (r.peer.ended != nil) != c.ended {
				t.Errorf("got %v, ended for %v", err, r.peer.ended)
			}
			if list, err := r.db.Outbox().ListPending(t.Context(), r.open.Turn.Conversation.ID, 0, 100); err != nil || len(list) != 0 {
				t.Errorf("what waits is %+v, %v", list, err)
			}
		})
	}
}

func TestSendFiles_IDOfOtherTool_SendsNothing(t *testing.T) {
	r := newSendRig(t)
	if err := r.done(protocol.ToolResult{Call: r.call, Name: "send_file", Text: "not sent"}); err != nil {
		t.Fatal(err)
	}
	r.options.Models = asks(1)
	r.call = r.makeCalls()[0].ID
	if err := r.send(r.file("a.txt", "a")); err == nil || !strings.Contains(r.peer.ended.Error(), "not one of send_file") {
		t.Errorf("got %v, ended for %v", err, r.peer.ended)
	}
}

func TestSendFiles_TooOften_EndsWorker(t *testing.T) {
	r := newSendRig(t)
	p := r.file("a.txt", "a")
	taken := 0
	for range 1000 {
		if r.send(p) == nil {
			taken++
		}
	}
	if taken != protocol.MaxSendCallsPerTurn || r.peer.ended == nil || len(r.audited) != 1 ||
		!strings.Contains(r.audited[0], "more than 20 times") {
		t.Errorf("%d were taken, ended for %v, audited %q", taken, r.peer.ended, r.audited)
	}
	if len(r.delivered()) != 1 {
		t.Errorf("what waits is %+v", r.delivered())
	}
}

// TestSendFiles_RepeatedCall_AsksNobody repeats a call after a crash. If the files were already
// sent, the user is not asked again, even if the file has changed or the user would now refuse.
func TestSendFiles_RepeatedCall_AsksNobody(t *testing.T) {
	r := newSendRig(t)
	if err := r.send(r.file("a.txt", "a")); err != nil {
		t.Fatal(err)
	}
	r.approver.err = &supervisor.Error{Code: supervisor.CodeForbidden, Message: "ann was asked and said no."}
	gone := r.file("b.txt", "b")
	gone.Blob = r.file("c.txt", "c").Blob
	if err := r.options.Spool.(*spool.Spool).RemoveBlob(gone.Blob.SHA256); err != nil {
		t.Fatal(err)
	}
	for _, p := range []protocol.ChatSendParams{r.file("a.txt", "a"), r.file("b.txt", "another"), gone} {
		if err := r.send(p); err != nil {
			t.Errorf("%s: got %v", p.Name, err)
		}
	}
	if files := r.delivered(); len(files) != 1 || files[0].Name != "a.txt" || len(r.approver.asked) != 1 {
		t.Errorf("what waits is %+v, asked was %d times", files, len(r.approver.asked))
	}
	if err := r.done(protocol.ToolResult{Call: r.call, Name: "send_file", Text: "sent"}); err != nil {
		t.Fatal(err)
	}
	r.call = r.makeCalls()[0].ID
	if err := r.send(r.file("a.txt", "a")); wireCode(err) != protocol.CodeFailed || len(r.approver.asked) != 2 {
		t.Errorf("another call: got %v, asked %d times", err, len(r.approver.asked))
	}
}

func TestSendFiles_WithoutApprover_SendsNothing(t *testing.T) {
	r := newSendRig(t)
	r.options.Approver = nil
	if err := r.send(r.file("a.txt", "a")); wireCode(err) != protocol.CodeFailed || len(r.delivered()) != 0 {
		t.Errorf("got %v, and %+v waits", err, r.delivered())
	}
}

func TestSendFiles_WorkerCannotForgeResult(t *testing.T) {
	r := newSendRig(t)
	err := r.done(protocol.ToolResult{Call: r.call, Name: "send_file", Text: "sent",
		Changes: []protocol.Change{{Kind: "file.sent", Target: "a.txt"}}})
	if err == nil || r.peer.ended == nil || !strings.Contains(r.peer.ended.Error(), "not a worker's to say") {
		t.Errorf("got %v, ended for %v", err, r.peer.ended)
	}
}

func TestDetectMediaType_ByContent_IgnoresName(t *testing.T) {
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 9, 9)), nil); err != nil {
		t.Fatal(err)
	}
	whole := picture(t)
	for name, c := range map[string]struct{ name, data, want string }{
		"a picture":                  {"a.png", whole, "image/png"},
		"under any name":             {"a.txt", whole, "image/png"},
		"another":                    {"a", jpg.String(), "image/jpeg"},
		"Ogg Opus":                   {"a.pdf", "OggS\x00\x02" + strings.Repeat("x", 20) + "\x01\x13OpusHead", "audio/ogg"},
		"other Ogg":                  {"a.opus", "OggS\x00\x02" + strings.Repeat("x", 20) + "\x01\x1e\x01vorbis", "application/ogg"},
		"MP3 with a tag":             {"a", "ID3\x04\x00", "audio/mpeg"},
		"MP3":                        {"a", "\xff\xfb\x90\x64", "audio/mpeg"},
		"no MP3":                     {"a", "\xff\xfb\xff\x00", "application/octet-stream"},
		"M4A":                        {"a.mp4", "\x00\x00\x00\x1cftypM4A \x00\x00\x00\x00mp42isom", "audio/mp4"},
		"MP4":                        {"a.m4a", "\x00\x00\x00\x1cftypisom\x00\x00\x00\x00isommp42", "video/mp4"},
		"a phone's picture":          {"a.mp4", "\x00\x00\x00\x1cftypheic\x00\x00\x00\x00mif1heic", "image/heic"},
		"GIF":                        {"a.png", "GIF89a", "image/gif"},
		"the beginning of one":       {"a.png", whole[:20], "application/octet-stream"},
		"only the start of one":      {"a.jpg", "\xff\xd8\xff and then text", "application/octet-stream"},
		"text with a picture's name": {"a.png", "#!/bin/sh\n", "text/plain"},
		"a page":                     {"a.png", "<html><script>alert(1)</script>", "text/html"},
		"a document":                 {"a", "%PDF-1.7\n", "application/pdf"},
		"a table":                    {"a.CSV", "a,b\n1,2\n", "text/csv"},
		"a drawing":                  {"a.svg", "<?xml version=\"1.0\"?><svg/>", "image/svg+xml"},
		"an archive":                 {"a.zip", "PK\x03\x04\x00\x00", "application/zip"},
		"an archive that is a sheet": {"a.xlsx", "PK\x03\x04\x00\x00", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		"bytes":                      {"a.csv", "\x00\x01\x02", "application/octet-stream"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newSendRig(t)
			if err := r.send(r.file(c.name, c.data)); err != nil {
				t.Fatal(err)
			}
			if got := r.delivered()[0].MediaType; got != c.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

// TestApproval_IsAskedInDestination checks that the user is asked in the turn's destination, even
// if that is another conversation.
func TestApproval_IsAskedInDestination(t *testing.T) {
	r := newSendRig(t)
	chat, err := r.db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTelegram, "42", "")
	if err != nil {
		t.Fatal(err)
	}
	turn := r.turn()
	turn.Destination, turn.Pending = chat.ID, []protocol.PendingCall{{Call: protocol.ToolCall{ID: r.call, Name: "send_file"}}}
	r.conn.EndTurn(turn.ID, protocol.TurnEndDone)
	r.conn.BeginTurn(turn)
	if err := r.send(r.file("a.txt", "a")); err != nil {
		t.Fatal(err)
	}
	if asked := r.approver.asked[0]; asked.Conversation.ID != chat.ID || asked.Arguments[0] != strconv.FormatInt(chat.ID, 10) {
		t.Errorf("asked was %+v", asked)
	}
}
