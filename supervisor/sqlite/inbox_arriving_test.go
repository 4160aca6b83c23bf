package sqlite_test

import (
	"fmt"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// arrivals is a story (a test database) with methods for messages with files.
type arrivals struct{ *story }

// send sends a message of alice on her terminal. The argument together names the message's group.
// The argument files is the number of the message's files.
func (s arrivals) send(text, together string, files int) supervisor.Inbound {
	s.Helper()
	s.keys++
	item := supervisor.BatchItem{Update: int64(s.keys), Inbound: supervisor.Inbound{Conversation: s.home,
		Key:  fmt.Sprint("key-", s.keys),
		Kind: supervisor.KindText, Text: text, Group: together, Origin: supervisor.OriginWorld}}
	for range files {
		item.Attachments = append(item.Attachments, supervisor.Attachment{File: "AgAC", Kind: protocol.AttachmentPhoto})
	}
	receipt, err := s.db.Inbox().StoreBatch(s.Context(), supervisor.InboundBatch{Source: "bot",
		Items: []supervisor.BatchItem{item}})
	s.must(err)
	return receipt.Stored[0]
}

// arrive marks inbounds as arrived. Each inbound gets a part with a text.
func (s arrivals) arrive(ins ...supervisor.Inbound) {
	s.Helper()
	var list []sqlite.ArrivalResult
	for _, in := range ins {
		list = append(list, sqlite.ArrivalResult{Inbound: in.ID, Origin: in.Origin,
			Parts: []protocol.ContentPart{{Text: "file of " + in.Key}}})
	}
	_, err := s.db.Inbox().CompleteArrivals(s.Context(), list)
	s.must(err)
}

func (s arrivals) next() string {
	s.Helper()
	in, ok, err := s.db.Inbox().NextInbound(s.Context(), s.home.ID)
	s.must(err)
	if !ok {
		return "nothing"
	}
	return in.Key
}

func (s arrivals) nextWords() string {
	return s.query(`SELECT coalesce(group_concat(source || ' ' || parts, '; '), '') FROM (SELECT source, parts FROM message
		WHERE role = 'user' ORDER BY id)`)
}

func TestNextInbound_ArrivingInbound_IsSkipped(t *testing.T) {
	s := arrivals{newStory(t)}
	photo := s.send("look", "", 1)
	s.same("state", photo.State, supervisor.InboundArriving)
	s.same("next", s.next(), "nothing")
	s.text("and now?") // this text gets the key key-2
	s.same("behind it", s.next(), "nothing")
	s.now = s.now.Add(sqlite.MaxArrivalWait - time.Second)
	s.same("a second before it is left behind", s.next(), "nothing")
	s.now = s.now.Add(time.Second)
	s.same("after that", s.next(), "key-2")
	s.arrive(photo)
	s.same("once it is there", s.next(), "key-1")
	s.arrive(photo) // a repeat after a crash changes nothing
	turn, _, err := s.db.Turns().Start(t.Context(), photo.ID, nil)
	s.must(err)
	s.same("what the model reads", s.nextWords(), `world [{"text":"look"},{"text":"file of key-1"}]`)
	taken, err := s.db.Turns().AddWaitingTexts(t.Context(), turn.ID, 1000, supervisor.PriorityUsual)
	s.must(err)
	s.same("taken in", taken, 1)
	s.same("what the model reads", s.nextWords(), `world [{"text":"look"},{"text":"file of key-1"}]; own [{"text":"and now?"}]`)
}

func TestTakeTexts_ArrivedInbound_JoinsTurn(t *testing.T) {
	s := arrivals{newStory(t)}
	first := s.text("one")
	turn, _, err := s.db.Turns().Start(t.Context(), first.ID, nil)
	s.must(err)
	photo := s.send("", "", 1) // this photo gets the key key-2
	s.text("three")
	take := func(room int) int {
		taken, err := s.db.Turns().AddWaitingTexts(t.Context(), turn.ID, room, supervisor.PriorityUsual)
		s.must(err)
		return taken
	}
	s.same("while it arrives", take(1000), 0)
	s.arrive(photo)
	s.same("with little room", take(10), 0)
	s.same("once it is there", take(1000), 2)
	s.same("what the model reads", s.nextWords(),
		`own [{"text":"one"}]; world [{"text":"file of key-2"}]; own [{"text":"three"}]`)
}

func TestAlbum_AllParts_ShareOneTurn(t *testing.T) {
	s := arrivals{newStory(t)}
	one, two := s.send("our week", "album 7", 1), s.send("", "album 7", 1)
	s.text("what do you see?")       // this text gets the key key-3
	late := s.send("", "album 7", 1) // a photo of the album that arrives after other texts
	s.arrive(one, two, late)
	turn, _, err := s.db.Turns().Start(t.Context(), one.ID, nil)
	s.must(err)
	s.same("what the model reads", s.nextWords(),
		`world [{"text":"our week"},{"text":"file of key-1"}]; world [{"text":"file of key-2"}]`)
	end := s.finish(turn, "Lovely.")
	s.same("the answer is to", append([]string{end.Key}, end.AlsoKeys...), []string{"key-1", "key-2"})
	s.same("the next", s.next(), "key-3")
}

func TestForwardedText_WithoutFile_WaitsForMore(t *testing.T) {
	s := arrivals{newStory(t)}
	in := s.send("[Forwarded from Bob]\nhello", "forward", 0)
	s.same("state", in.State, supervisor.InboundArriving)
}

func TestDropWaitingTexts_DropsTextsBeforeCommand(t *testing.T) {
	s := arrivals{newStory(t)}
	running := s.text("one")
	_, _, err := s.db.Turns().Start(t.Context(), running.ID, nil)
	s.must(err)
	photo := s.send("look", "", 1)
	read, err := s.db.Operations().Put(t.Context(), supervisor.Operation{User: "alice",
		Kind: protocol.OperationKindReceive, Parameters: "{}", Inbound: photo.ID})
	s.must(err)
	for _, state := range []supervisor.OperationState{supervisor.OperationRunning, supervisor.OperationDone} {
		s.must(s.db.Operations().ChangeState(t.Context(), read.ID, state, "what the letter says"))
	}
	waits := s.text("three")
	stop := s.put(s.home, supervisor.KindCommand, "/stop all")
	after := s.text("after it")
	dropped, err := s.db.Inbox().DropWaitingTexts(t.Context(), stop.ID)
	s.must(err)
	s.same("dropped", []int64{dropped[0].ID, dropped[1].ID}, []int64{photo.ID, waits.ID})
	s.same("how many", len(dropped), 2)
	s.same("what was read of it", s.query("SELECT count(*) FROM operation"), "0")
	s.arrive(photo) // the photo arrives too late
	s.same("states", []string{s.state(running.ID), s.state(photo.ID), s.state(waits.ID), s.state(after.ID)},
		[]string{"running", "dropped", "dropped", "new"})
	again, err := s.db.Inbox().DropWaitingTexts(t.Context(), stop.ID)
	s.must(err)
	s.same("again", again, dropped)
}

func TestPutOperation_SameAttachment_ReturnsFirst(t *testing.T) {
	s := arrivals{newStory(t)}
	in := s.send("look", "", 2)
	put := func(kind protocol.OperationKind, position int) int64 {
		op, err := s.db.Operations().Put(t.Context(), supervisor.Operation{User: "alice", Kind: kind, Parameters: "{}", Inbound: in.ID, Position: position})
		s.must(err)
		s.same("about", []int64{op.Inbound, int64(op.Position)}, []int64{in.ID, int64(position)})
		return op.ID
	}
	first := put(protocol.OperationKindReceive, 0)
	s.same("again", put(protocol.OperationKindReceive, 0), first)
	s.same("others", put(protocol.OperationKindTranscribe, 0) != first && put(protocol.OperationKindTranscribe,
		1) != first, true)
	s.same("operations", s.query("SELECT count(*) FROM operation"), "3")
	s.arrive(in)
	s.same("once it has arrived", s.query("SELECT count(*) FROM operation"), "0")
}

func TestToolResult_ForeignWords_HasOriginWorld(t *testing.T) {
	s := arrivals{newStory(t)}
	turn := s.startTurnCalling("c1", "c2")
	read := result("c1", "words of a letter")
	read.World = true
	for _, r := range []protocol.ToolResult{read, result("c2", "12 o'clock")} {
		_, err := s.db.Turns().CommitResult(t.Context(), turn.ID, r)
		s.must(err)
	}
	s.same("whose words they are", s.query(`SELECT group_concat(role || ' ' || source) FROM (SELECT * FROM message ORDER BY id)`),
		"user own,assistant own,tool world,tool own")
}

// Forwarded messages belong together, whatever their origin. A message between two forwarded
// messages keeps its position.
func TestForwardedTexts_TextBetween_KeepsOrder(t *testing.T) {
	s := arrivals{newStory(t)}
	first := s.send("first", "forward", 0)
	between := s.send("between", "", 1)
	last := s.send("last", "forward", 0)
	s.arrive(first, last)
	_, _, err := s.db.Turns().Start(t.Context(), first.ID, nil)
	s.must(err)
	s.same("what the model reads", s.nextWords(), `world [{"text":"first"},{"text":"file of key-1"}]`)
	s.arrive(between)
	s.same("next", s.next(), "key-2")
}

// A dropped inbound gets no new operation, even if a caller was about to start one.
func TestPutOperation_DroppedInbound_Fails(t *testing.T) {
	s := arrivals{newStory(t)}
	photo := s.send("", "", 1)
	receive := supervisor.Operation{User: "alice", Kind: protocol.OperationKindReceive, Parameters: "{}",
		Inbound: photo.ID}
	_, err := s.db.Inbox().DropWaitingTexts(t.Context(), s.put(s.home, supervisor.KindCommand, "/stop all").ID)
	s.must(err)
	_, err = s.db.Operations().Put(t.Context(), receive)
	s.checkRefused(err, supervisor.CodeInvalid, "inbound 1 is dropped")
}
