package sqlite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/inbox"
	"mews/supervisor/slash"
	"mews/supervisor/sqlite"
)

// editStory is a story (a test database) with methods for alice's messages to the bot and her
// edits.
type editStory struct{ batchStory }

func newEditStory(t *testing.T) *editStory { return &editStory{batchStory{newStory(t)}} }

// photoOf returns a photo. The bot has another file name for the same photo each time.
func photoOf(content string) supervisor.Attachment {
	return supervisor.Attachment{File: "file-" + content, ContentID: content, Kind: protocol.AttachmentPhoto,
		MediaType: "image/jpeg"}
}

// editItem returns an update in which alice edits the message of an earlier update.
func editItem(update, of int64, text string, files ...supervisor.Attachment) supervisor.BatchItem {
	item := textItem("alice", update, text)
	item.Inbound.Message, item.EditedAt, item.Attachments = fmt.Sprint("m", of), noon.Add(time.Second), files
	if item.Inbound.Command, _ = slash.Parse(text); item.Inbound.Command != "" {
		item.Inbound.Kind = supervisor.KindCommand
	}
	return item
}

// sendUpdate sends an update of alice, with files.
func (s *editStory) sendUpdate(update int64, text string, files ...supervisor.Attachment) supervisor.Inbound {
	s.Helper()
	item := textItem("alice", update, text)
	item.Attachments = files
	return s.receive(item).Stored[0]
}

// begin starts the turn of an inbound, and returns the turn.
func (s *editStory) begin(in supervisor.Inbound) supervisor.Turn {
	s.Helper()
	turn, _, err := s.db.Turns().Start(s.Context(), in.ID, nil)
	s.must(err)
	return turn
}

func (s *editStory) correct(turn supervisor.Turn) int {
	s.Helper()
	n, err := s.db.Turns().AppendEdits(s.Context(), turn.ID, 32<<10)
	s.must(err)
	return n
}

// userWords returns the user's texts in the transcript. The method offers returns the offers about
// edits in the outbox.
func (s *editStory) userWords() string {
	return s.query("SELECT coalesce(group_concat(parts ->> '$[0].text', '; '), '') FROM (SELECT parts FROM message WHERE role = 'user' ORDER BY id)")
}

func (s *editStory) offers() string {
	return s.query("SELECT coalesce(group_concat(text || ' ' || buttons, '; '), '') FROM outbox WHERE kind = 'notice'")
}

// rowsOf returns all inbox rows of a message.
func (s *editStory) rowsOf(message string) string {
	return s.query(`SELECT coalesce(group_concat(kind || ' ' || state || ' ' || text || (SELECT coalesce(group_concat(' +' || position || file, ''), '')
		FROM attachment WHERE inbound = i.id), '; '), '') FROM (SELECT * FROM inbox WHERE message = ? ORDER BY id) i`, message)
}

// finishTurn finishes a turn of an inbound.
func (s *editStory) finishTurn(in supervisor.Inbound) supervisor.Delivery {
	s.Helper()
	turn := s.begin(in)
	_, err := s.db.Turns().CommitStep(s.Context(), step(turn, "Done."))
	s.must(err)
	return s.finish(turn, "Done.")
}

const offered = `You changed this message after I had answered it. [[{"text":"Answer it anew","press":"e:%d"}]]`

// Mews handles an edit by the state of the message and by the kind of change.
func TestEdit_InboundState_DecidesHandling(t *testing.T) {
	cat, dog := photoOf("cat"), photoOf("dog")
	again := cat
	again.File = "file-cat-2"
	states := map[string]func(*editStory, ...supervisor.Attachment){
		"new": func(s *editStory, files ...supervisor.Attachment) {
			in := s.sendUpdate(1, "tee", files...)
			if len(files) > 0 {
				_, err := s.db.Inbox().CompleteArrivals(s.Context(),
					[]sqlite.ArrivalResult{{Inbound: in.ID, Origin: in.Origin,
						Parts: []protocol.ContentPart{{Text: "a cat"}}}})
				s.must(err)
			}
		},
		"arriving": func(s *editStory, files ...supervisor.Attachment) { s.sendUpdate(1, "tee", append(files, cat)[:1]...) },
		"running": func(s *editStory, _ ...supervisor.Attachment) {
			in := s.sendUpdate(1, "tee", cat)
			_, err := s.db.Inbox().CompleteArrivals(s.Context(), []sqlite.ArrivalResult{{Inbound: in.ID,
				Origin: in.Origin}})
			s.must(err)
			s.begin(in)
		},
		"answered": func(s *editStory, _ ...supervisor.Attachment) {
			in := s.sendUpdate(1, "tee", cat)
			_, err := s.db.Inbox().CompleteArrivals(s.Context(), []sqlite.ArrivalResult{{Inbound: in.ID,
				Origin: in.Origin}})
			s.must(err)
			s.finishTurn(in)
		},
		"late": func(s *editStory, _ ...supervisor.Attachment) {
			s.finishTurn(s.sendUpdate(1, "tee"))
			s.now = s.now.Add(30 * 24 * time.Hour)
		},
		"dropped": func(s *editStory, _ ...supervisor.Attachment) {
			s.sendUpdate(1, "tee")
			stop := textItem("alice", 2, "/stop all")
			stop.Inbound.Kind, stop.Inbound.Command = supervisor.KindCommand, "stop"
			_, err := s.db.Inbox().DropWaitingTexts(s.Context(), s.receive(stop).Stored[0].ID)
			s.must(err)
		},
		"command": func(s *editStory, _ ...supervisor.Attachment) {
			item := editItem(1, 1, "/stop")
			item.EditedAt = time.Time{}
			s.receive(item)
		},
		"unknown": func(*editStory, ...supervisor.Attachment) {},
	}
	const pic = " +0file-cat"
	for _, c := range []struct {
		state, edit string
		item        supervisor.BatchItem
		with        []supervisor.Attachment
		kept        string
		accepted    string
		offer       bool
	}{
		{"new", "words", editItem(9, 1, "tea"), nil, "text new tea", "new tea", false},
		{"new", "nothing", editItem(9, 1, "tee"), nil, "text new tee", "", false},
		{"new", "a caption", editItem(9, 1, "tea", again), []supervisor.Attachment{cat}, "text new tea" + pic, "new tea", false},
		{"new", "only the bot's name of the file", editItem(9, 1, "tee", again), []supervisor.Attachment{cat}, "text new tee" + pic, "", false},
		{"new", "a file", editItem(9, 1, "tee", dog), []supervisor.Attachment{cat}, "text arriving tee +1file-dog", "arriving tee", false},
		{"new", "a file where there was none", editItem(9, 1, "tee", dog), nil, "text arriving tee +1file-dog", "arriving tee", false},
		{"new", "a command", editItem(9, 1, "/stop"), nil, "text dropped tee; command new /stop", "dropped tee new /stop", false},
		{"arriving", "a caption", editItem(9, 1, "tea", cat), nil, "text arriving tea" + pic, "arriving tea", false},
		{"arriving", "a caption away", editItem(9, 1, "", cat), nil, "text arriving " + pic, "arriving ", false},
		{"arriving", "a file", editItem(9, 1, "tee", dog), nil, "text arriving tee +1file-dog", "arriving tee", false},
		{"arriving", "a command", editItem(9, 1, "/stop"), nil, "text dropped tee" + pic + "; command new /stop", "dropped tee new /stop", false},
		{"running", "words", editItem(9, 1, "tea", cat), nil, "text running tea" + pic, "", false},
		{"running", "nothing", editItem(9, 1, "tee", cat), nil, "text running tee" + pic, "", false},
		{"running", "a file", editItem(9, 1, "tea", dog), nil, "text running tee" + pic +
			"; text arriving tea\n[This takes the place of the message “tee” and of what came with it.] +0file-dog",
			"arriving tea\n[This takes the place of the message “tee” and of what came with it.]", false},
		{"running", "a command", editItem(9, 1, "/stop"), nil, "text running tee" + pic + "; command new /stop", "new /stop", false},
		{"answered", "words", editItem(9, 1, "tea", cat), nil, "text answered tea" + pic, "", true},
		{"answered", "nothing", editItem(9, 1, "tee", again), nil, "text answered tee" + pic, "", false},
		{"answered", "a file", editItem(9, 1, "tee", dog), nil, "text answered tee +1file-dog", "", true},
		{"answered", "a command", editItem(9, 1, "/stop", cat), nil, "text answered tee" + pic, "", false},
		{"late", "words", editItem(9, 1, "tea"), nil, "text answered tea", "", true},
		{"dropped", "words", editItem(9, 1, "tea"), nil, "text dropped tee", "", false},
		{"command", "words", editItem(9, 1, "tea"), nil, "command new /stop", "", false},
		{"command", "a command", editItem(9, 1, "/new"), nil, "command new /stop", "", false},
		{"unknown", "words", editItem(9, 1, "tea"), nil, "", "", false},
		{"unknown", "a command", editItem(9, 1, "/stop"), nil, "", "", false},
	} {
		t.Run(c.state+" "+c.edit, func(t *testing.T) {
			s := newEditStory(t)
			states[c.state](s, c.with...)
			raw := s.query("SELECT count(*) FROM received")
			for round := range 2 { // the second round repeats the edit and changes nothing
				r := s.receive(c.item)
				s.same("kept", s.rowsOf("m1"), c.kept)
				if got := strings.Join(texts(r.Stored), " "); round == 0 && got != c.accepted {
					t.Errorf("to be worked on: %q, want %q", got, c.accepted)
				} else if round == 1 && len(r.Queued) > 0 {
					t.Error("it is told again")
				}
				want := ""
				if c.offer {
					want = fmt.Sprintf(offered, 1)
				} else if c.state == "command" { // the command runs once, and its user is told so
					want = inbox.TextEditedCommand + " "
				} else if c.state == "answered" && c.edit == "a command" {
					want = inbox.TextEditedIntoCommand + " "
				}
				s.same("offered", s.offers(), want)
				s.now = s.now.Add(time.Minute)
			}
			if nothing := c.accepted == "" && !c.offer && c.state != "running"; nothing && s.query("SELECT count(*) FROM received") != raw {
				t.Error("something is kept of what does nothing")
			}
		})
	}
}

// A turn gets the latest text of an edited message once, before its next step. For edits after the
// last step the user is offered a new answer.
func TestAppendEdits_SameEdit_IsAppendedOnce(t *testing.T) {
	s := newEditStory(t)
	first := s.sendUpdate(1, "buy "+strings.Repeat("tee ", 60))
	turn := s.begin(first)
	_, err := s.db.Turns().CommitStep(t.Context(), step(turn, "", "c1"))
	s.must(err)
	s.sendUpdate(2, "be quick")
	s.receive(editItem(3, 1, "buy tea"))
	s.same("while a call runs", s.correct(turn), 0)
	_, err = s.db.Turns().CommitResult(t.Context(), turn.ID, result("c1", "milk"))
	s.must(err)
	s.receive(editItem(4, 1, "buy coffee"))
	s.same("before the next step", s.correct(turn), 1)
	s.same("once", s.correct(turn), 0)
	s.same("taken in", s.take(turn), 1)
	old := "buy " + strings.Repeat("tee ", 60)
	correction := "Correction of my message “" + old[:199] + "…”: now it reads: “buy coffee”"
	s.same("words", s.userWords(), old+"; "+correction+"; be quick")
	s.same("whose words they are", s.query("SELECT group_concat(DISTINCT source) FROM message WHERE role = 'user'"), "own")

	s.receive(editItem(5, 2, "be slow"))
	s.receive(editItem(6, 2, "be quick")) // this edit changes the text back
	s.same("after nothing", s.correct(turn), 0)
	s.receive(editItem(7, 2, "be exact"), editItem(8, 1, strings.Repeat("long ", 8<<10)))
	s.same("what has room", s.correct(turn), 1)
	s.receive(editItem(9, 2, "be brief"))
	_, err = s.db.Turns().CommitStep(t.Context(), step(turn, "Bought."))
	s.must(err)
	s.same("after the last word", s.correct(turn), 0)
	s.finish(turn, "Bought.")
	s.same("in the end", s.offers(), fmt.Sprintf(offered, 1)+"; "+fmt.Sprintf(offered, 2))
	s.same("order", s.query("SELECT group_concat(kind) FROM outbox"), "answer,notice,notice")
	s.same("left", s.query("SELECT count(*) FROM inbox WHERE told IS NOT NULL"), "0")
}

// An edit needs an open gate, even if its message has passed the gate before.
func TestEdit_ClosedGate_IsNotStored(t *testing.T) {
	s := newEditStory(t)
	s.receive(guardedItem("alice", 1, "what is teh time"))
	c := s.chat("alice", "42")
	edit := func(update, of int64, text string) supervisor.BatchItem {
		item := editItem(update, of, text)
		item.Decision.Check = &supervisor.GateCheck{IdleTimeout: idle, Lifetime: life, Challenge: locked}
		return item
	}
	r := s.receive(edit(2, 1, "what is the time"))
	s.same("held", texts(r.Stored), []string{"held new what is the time"})
	s.same("told", s.pendingTexts(c), []string{locked})
	asCode := editItem(3, 1, "999997")
	asCode.Decision.CheckCode = acceptStep(7)
	r = s.receive(asCode)
	s.same("a code is one however it is typed", texts(r.Stored), []string{"answered (a code)"})
	s.same("let through", texts(r.Released), []string{"new what is the time"})
	s.same("deleted", s.query("SELECT what || message FROM cleaning"), "deletem1")
	s.receive(guardedItem("alice", 4, "and the date"))
	r = s.receive(edit(5, 4, "and the day"))
	s.same("while it is open", texts(r.Stored), []string{"new and the day"})
	s.now = s.now.Add(idle)
	for update := range int64(2) {
		r = s.receive(edit(6+update, 4, "and my bank's password"))
		s.same("once it has closed", len(r.Stored), 0)
	}
	s.same("kept", s.rowsOf("m4"), "text new and the day")
	s.same("said", s.pendingTexts(c), []string{locked, "Come in.", access.TextEditWhileLocked})
	refused := editItem(8, 4, "(a message that could not be taken)")
	refused.Answer = "Too fast."
	s.receive(refused)
	s.same("refused", s.pendingTexts(c)[3:], []string{"Too fast."})
	held := guardedItem("alice", 9, "hold this")
	s.receive(held)
	stop := editItem(10, 9, "/stop")
	s.same("what is held becomes a command", texts(s.receive(stop).Stored), []string{"dropped hold this", "new /stop"})
	n, err := s.db.Inbox().CountHeldInbounds(t.Context(), "alice")
	s.must(err)
	s.same("held", n, int64(0))
	bobs := editItem(11, 4, "something else")
	bobs.Inbound.Conversation.User = "bob"
	s.same("another's", len(s.receive(bobs).Stored), 0)
}

// A replaced file is fetched. Late results for the earlier file change nothing.
func TestEdit_ReplacedFile_IsFetchedAgain(t *testing.T) {
	s := newEditStory(t)
	in := s.sendUpdate(1, "look", photoOf("cat"))
	s.sendUpdate(2, "what is it?")
	op, err := s.db.Operations().Put(t.Context(), supervisor.Operation{User: "alice",
		Kind: protocol.OperationKindReceive, Parameters: "{}", Inbound: in.ID})
	s.must(err)
	s.now = s.now.Add(time.Minute)
	now := s.receive(editItem(3, 1, "look", photoOf("dog"))).Stored[0]
	s.same("operation", s.query("SELECT state FROM operation WHERE id = ?", op.ID), "failed")
	ref := protocol.BlobRef{SHA256: strings.Repeat("ab", 32), Size: 7}
	s.checkRefused(s.db.Attachments().PutBytes(t.Context(), in.ID, 0, ref), supervisor.CodeNotFound, "no attachment 0")
	_, err = s.db.Inbox().CompleteArrivals(t.Context(), []sqlite.ArrivalResult{{Inbound: in.ID, FirstFile: in.FirstFile,
		Origin: in.Origin, Parts: []protocol.ContentPart{{Text: "a cat"}}}})
	s.must(err)
	s.same("the earlier one", s.state(in.ID), "arriving")
	next, waits, err := s.db.Inbox().NextInbound(t.Context(), in.Conversation.ID)
	s.must(err)
	s.same("what stands behind it waits", next.Text, "")
	s.same("waits", waits, false)
	again, err := s.db.Operations().Put(t.Context(), supervisor.Operation{User: "alice",
		Kind: protocol.OperationKindReceive, Parameters: "{}", Inbound: in.ID,
		Position: now.FirstFile})
	s.must(err)
	s.same("a new operation", again.ID > op.ID && again.State == supervisor.OperationWaiting, true)
	s.must(s.db.Attachments().PutBytes(t.Context(), in.ID, now.FirstFile, ref))
	_, err = s.db.Inbox().CompleteArrivals(t.Context(), []sqlite.ArrivalResult{{Inbound: in.ID,
		FirstFile: now.FirstFile, Origin: in.Origin, Parts: []protocol.ContentPart{{Text: "a dog"}}}})
	s.must(err)
	s.same("then", s.state(in.ID)+" "+s.query("SELECT parts ->> '$[0].text' FROM inbox WHERE id = ?", in.ID), "new a dog")
	s.same("operations", s.query("SELECT count(*) FROM operation"), "0")
}

// An edited caption changes only its own message of the album.
func TestEdit_AlbumCaption_ChangesOneMember(t *testing.T) {
	s := newEditStory(t)
	album := func(item supervisor.BatchItem, n string) supervisor.BatchItem {
		item.Inbound.Group, item.Attachments = "album", []supervisor.Attachment{photoOf(n)}
		return item
	}
	s.receive(album(textItem("alice", 1, "teh cats"), "a"), album(textItem("alice", 2, ""), "b"))
	s.receive(album(editItem(3, 1, "the cats"), "a"))
	s.same("album", s.rowsOf("m1")+"; "+s.rowsOf("m2"), "text arriving the cats +0file-a; text arriving  +0file-b")
	s.same("together", s.query("SELECT group_concat(DISTINCT together) FROM inbox"), "album")
}

// A note that Mews added to a message stays. It is not compared with the edited text.
func TestEdit_NoteAddedByMews_IsKept(t *testing.T) {
	s := newEditStory(t)
	story := textItem("alice", 1, "a story")
	story.Answer, story.Unread = "That is a story.", true
	about := textItem("alice", 2, "what is taht?")
	about.MentionsUnread = true
	s.receive(story, about)
	s.same("unchanged", len(s.receive(editItem(3, 2, "what is taht?")).Stored), 0)
	s.receive(editItem(4, 2, "what is that?"))
	s.same("changed", s.rowsOf("m2"), "text new what is that?\n[Before this came a story, which could not be looked at.]")
}

// pressButton sends a press of a button by alice.
func (s *editStory) pressButton(update int64, press string) supervisor.Inbound {
	s.Helper()
	item := textItem("alice", update, press)
	item.Inbound.Kind, item.Inbound.Message = supervisor.KindPress, "the offer"
	return s.receive(item).Stored[0]
}

func (s *editStory) answerAnew(press supervisor.Inbound, edited int64) (supervisor.Inbound, bool) {
	s.Helper()
	in, ok, err := s.db.Inbox().RequeueEditedText(s.Context(), press.ID, edited)
	s.must(err)
	return in, ok
}

func TestRequeueEditedText_Twice_QueuesOnce(t *testing.T) {
	s := newEditStory(t)
	in := s.sendUpdate(1, "buy tee")
	d := s.finishTurn(in)
	sent := supervisor.Post{Turn: d.Turn, Delivery: d.ID, Content: supervisor.RichText{Text: "Done. 🦅"}}
	sent, err := s.db.Posts().MarkSending(t.Context(), in.Conversation.ID, sent)
	s.must(err)
	sent.State, sent.Message = supervisor.PostSent, "77"
	s.must(s.db.Posts().StorePostResult(t.Context(), sent))
	if _, ok := s.answerAnew(s.pressButton(2, "e:1"), in.ID); ok {
		t.Error("what was never changed is answered anew")
	}
	s.receive(editItem(3, 1, "buy te"))
	s.now = s.now.Add(9 * time.Minute)
	// The button of the earlier offer now answers the newest text.
	s.receive(editItem(4, 1, "buy tea", photoOf("cat")))
	s.same("offered", s.offers(), fmt.Sprintf(offered, in.ID))
	s.now = s.now.Add(time.Hour)
	press := s.pressButton(5, "e:1")
	first, ok := s.answerAnew(press, in.ID)
	again, _ := s.answerAnew(press, in.ID) // a repeat after a crash
	s.same("begun", fmt.Sprint(ok, first.ID == again.ID), "true true")
	s.same("kept", s.rowsOf("m1"), "text answered buy tea +1file-cat; text arriving buy tea +0file-cat")
	if _, ok := s.answerAnew(s.pressButton(6, "e:1"), in.ID); ok {
		t.Error("a second press has it answered once more")
	}
	other := s.pressButton(7, "e:1")
	for what, of := range map[string]int64{"no such thing": 99, "a command or a press": other.ID, "what waits": first.ID} {
		if _, ok := s.answerAnew(other, of); ok {
			t.Errorf("%s is answered anew", what)
		}
	}
	cleanings, err := s.db.MessageCleanups().ListDue(t.Context(), supervisor.ChannelTelegram, s.now, 9)
	s.must(err)
	s.same("cleanings", len(cleanings), 1)
	s.same("the answer is marked", []any{cleanings[0].Kind, cleanings[0].Message, cleanings[0].Content},
		[]any{supervisor.CleanupEdit, "77",
			supervisor.RichText{Text: "Done. 🦅\n\n(Answered anew below.)",
				Entities: []supervisor.RichTextEntity{{Type: supervisor.EntityItalic, Offset: 10, Length: 22}}}})
	s.receive(editItem(8, 1, "buy tea now", photoOf("cat")))
	s.same("changed while it waits again", s.rowsOf("m1"), "text answered buy tea +1file-cat; text arriving buy tea now +0file-cat")
}

// A repeated edit changes nothing after a later edit or after a press.
func TestEdit_OlderThanLast_IsIgnored(t *testing.T) {
	s := newEditStory(t)
	in := s.sendUpdate(1, "tee")
	first, second := editItem(9, 1, "tea"), editItem(10, 1, "coffee")
	s.receive(first, second)
	s.same("again", len(s.receive(first).Stored)+len(s.receive(second).Stored), 0)
	s.same("kept", s.rowsOf("m1"), "text new coffee")
	third := editItem(3, 1, "cocoa") // a source restarts its numbers after a quiet week
	third.EditedAt = third.EditedAt.Add(time.Hour)
	s.receive(third)
	s.finishTurn(in)
	fourth := editItem(4, 1, "milk")
	fourth.EditedAt = third.EditedAt
	s.receive(fourth)
	s.answerAnew(s.pressButton(5, "e:1"), in.ID)
	s.same("again, after a press", len(s.receive(third).Stored)+len(s.receive(fourth).Stored), 0)
	s.same("kept then", s.rowsOf("m1"), "text answered milk; text new milk")
}
