package sqlite_test

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor"
)

// picture returns a valid file.
func picture(name string) supervisor.File {
	return supervisor.File{SHA256: strings.Repeat("ab", 32), Size: 7, Name: name, MediaType: "image/png", Caption: "<b> & é"}
}

var yesNo = [][]supervisor.Button{{{Text: "Yes <b>&", Press: "q:1:yes"}, {Text: "No", Press: "q:1:no"}}, {{Text: "Stop", Press: "s"}}}

func TestSendNotice_ButtonsAndFiles_AreStored(t *testing.T) {
	s := newStory(t)
	said, err := s.db.Outbox().SendNotice(t.Context(), supervisor.Delivery{Conversation: s.home, Text: "Go on?",
		Buttons: yesNo,
		Files:   []supervisor.File{picture("a.png"), picture("b.png")}, DeleteAfter: 90 * time.Second,
		ID: 77, Inbound: 78, Turn: 79, Key: "not read", Kind: supervisor.DeliveryAnswer})
	s.must(err)
	want := supervisor.Delivery{ID: said.ID, Conversation: s.home, Kind: supervisor.DeliveryNotice, Text: "Go on?",
		Buttons: yesNo, Files: []supervisor.File{picture("a.png"), picture("b.png")}, DeleteAfter: 90 * time.Second, CreatedAt: noon}
	s.same("said", said, want)
	list, err := s.db.Outbox().List(t.Context(), s.home.ID, 0, 10)
	s.must(err)
	s.same("kept", list, []supervisor.Delivery{want})
	s.notice(s.home, "plain")
	s.same("none", s.query("SELECT buttons || files || vanish FROM outbox WHERE text = 'plain'"), "0")

	new := supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"}
	said, err = s.db.Outbox().SendNotice(t.Context(), supervisor.Delivery{Conversation: new, Text: "hello"})
	s.must(err)
	s.same("where there was no conversation", said.Conversation, s.chat("alice", "42"))
}

func TestAnswerCommand_SamePressTwice_Fails(t *testing.T) {
	s := newStory(t)
	in := s.put(s.home, supervisor.KindPress, "q:1:yes")
	d, err := s.db.Outbox().AnswerCommand(t.Context(), in.ID, supervisor.Delivery{Text: "And now?", Buttons: yesNo,
		Files: []supervisor.File{picture("a.png")}, DeleteAfter: time.Minute, Inbound: 99, Kind: supervisor.DeliveryNotice})
	s.must(err)
	s.same("answer", d, supervisor.Delivery{ID: d.ID, Conversation: s.home, Inbound: in.ID, Key: in.Key,
		Kind: supervisor.DeliveryCommand, Text: "And now?", Buttons: yesNo, Files: []supervisor.File{picture("a.png")},
		DeleteAfter: time.Minute, CreatedAt: noon})
	s.same("pending", s.pendingTexts(s.home), []string{"And now?"})
	_, err = s.db.Outbox().AnswerCommand(t.Context(), in.ID, supervisor.Delivery{Text: "again"})
	s.checkRefused(err, supervisor.CodeInvalid, "is answered and cannot become answered")
}

func TestSendNotice_InvalidDelivery_Fails(t *testing.T) {
	s := newStory(t)
	button := func(text, press string) supervisor.Delivery {
		return supervisor.Delivery{Buttons: [][]supervisor.Button{{{Text: "ok", Press: "ok"}}, {{Text: text, Press: press}}}}
	}
	file := func(change func(*supervisor.File)) supervisor.Delivery {
		f := picture("a.png")
		change(&f)
		return supervisor.Delivery{Files: []supervisor.File{picture("fine"), f}}
	}
	for name, d := range map[string]supervisor.Delivery{
		"a button without a text":    button(" ", "x"),
		"button without data":        button("x", ""),
		"button with long data":      button("x", strings.Repeat("x", 65)),
		"button with non-ASCII data": button("x", "é"),
		"button with a newline":      button("x", "a\nb"),
		"file with a bad hash":       file(func(f *supervisor.File) { f.SHA256 = "ab" }),
		"a file without a name":      file(func(f *supervisor.File) { f.Name = "" }),
		"file without a media type":  file(func(f *supervisor.File) { f.MediaType = "" }),
		"file of negative size":      file(func(f *supervisor.File) { f.Size = -1 }),
		"negative DeleteAfter":       {Text: "x", DeleteAfter: -1},
	} {
		t.Run(name, func(t *testing.T) {
			d.Conversation = s.home
			_, err := s.db.Outbox().SendNotice(t.Context(), d)
			s.checkRefused(err, supervisor.CodeInvalid, "")
			s.same("kept", s.pendingTexts(s.home), []string(nil))
		})
	}
	_, err := s.db.Outbox().SendNotice(t.Context(), button("x", strings.Repeat("~", 63)+" "))
	// The error must not call the conversation unknown or foreign.
	s.checkRefused(err, supervisor.CodeInternal, "conversation")
	longest := button("x", strings.Repeat("~", 63)+" ")
	longest.Conversation = s.home
	_, err = s.db.Outbox().SendNotice(t.Context(), longest)
	s.must(err)
}

func TestListNeededBlobs_PendingFiles_AreListed(t *testing.T) {
	s := newStory(t)
	say := func(shas ...string) supervisor.Delivery {
		d := supervisor.Delivery{Conversation: s.home}
		for _, sha := range shas {
			f := picture("a.png")
			f.SHA256 = strings.Repeat(sha, 64)
			d.Files = append(d.Files, f)
		}
		d, err := s.db.Outbox().SendNotice(t.Context(), d)
		s.must(err)
		return d
	}
	sent := func() string {
		known, err := s.db.Blobs().ListNeeded(t.Context())
		s.must(err)
		var shas string
		for _, sha := range []string{"1", "2", "3", "4", "5"} {
			if known[strings.Repeat(sha, 64)] {
				shas += sha
			}
		}
		if len(shas) != len(known) {
			t.Errorf("known are %v", known)
		}
		return shas
	}
	s.notice(s.home, "without any")
	s.same("none", sent(), "")
	first, lost := say("1", "2"), say("3", "2")
	s.same("of two that wait", sent(), "123")
	s.close(first, supervisor.OutcomeSent, "")
	s.same("of the other", sent(), "23")
	s.close(lost, supervisor.OutcomeFailed, "gone")
	s.same("of what can be sent again", sent(), "23")
	s.now = noon.Add(8 * 24 * time.Hour)
	s.same("of what no one asks for any more", sent(), "")
	s.now = noon
	old := say("5")
	s.now = noon.Add(30 * 24 * time.Hour)
	s.same("of what waits for long", sent(), "5")
	s.close(old, supervisor.OutcomeSent, "")
	s.same("in the end", sent(), "")
}

// The notice names its inbound. The inbound still waits for its answer.
func TestInboundNotice_Sent_InboundStaysUnanswered(t *testing.T) {
	s := newStory(t)
	in := s.text("a recording")
	said, err := s.db.Outbox().SendInboundNotice(t.Context(), supervisor.Delivery{Inbound: in.ID, Text: "Heard: milk"})
	s.must(err)
	s.same("its kind", said.Kind, supervisor.DeliveryNotice)
	list, err := s.db.Outbox().ListPending(t.Context(), in.Conversation.ID, 0, 10)
	s.must(err)
	s.same("what it names", list[0].Inbound, in.ID)
	s.close(list[0], supervisor.OutcomeSent, "")
	s.same("the inbound", s.state(in.ID), "new")
	_, err = s.db.Outbox().SendInboundNotice(t.Context(), supervisor.Delivery{Inbound: 4711, Text: "Heard: milk"})
	s.checkRefused(err, supervisor.CodeNotFound, "there is no inbound 4711")
}

// After a crash the notice about an arriving inbound is not repeated.
func TestInboundNotice_SameText_IsSentOnce(t *testing.T) {
	s := newStory(t)
	in, other := s.text("a recording"), s.text("another")
	say := func(in supervisor.Inbound, text string, deleteAfter time.Duration) supervisor.Delivery {
		said, err := s.db.Outbox().SendInboundNotice(t.Context(), supervisor.Delivery{Inbound: in.ID, Text: text,
			DeleteAfter: deleteAfter})
		s.must(err)
		return said
	}
	heard, shown := say(in, "Heard: milk", 0), say(in, "1:00 of 2:00", time.Hour)
	s.close(heard, supervisor.OutcomeSent, "")
	s.same("the same words", say(in, "Heard: milk", 0).ID, heard.ID)
	s.same("what is shown", say(in, "1:30 of 2:00", time.Hour), shown)
	s.same("all", s.query("SELECT count(*) FROM outbox"), "2")
	say(in, "Heard: bread", 0)
	say(other, "Heard: milk", 0)
	s.same("others", s.query("SELECT count(*) FROM outbox"), "4")
}
