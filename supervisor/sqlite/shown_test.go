package sqlite_test

import (
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// A notice with a DeleteAfter is deleted when its inbound has arrived or is dropped. If the notice
// is not sent yet, it is deleted right after sending. Other notices about the inbound stay.
func TestInboundNotice_InboundArrived_IsDeleted(t *testing.T) {
	for name, ends := range map[string]func(s arrivals, in supervisor.Inbound){
		"arrived": func(s arrivals, in supervisor.Inbound) { s.arrive(in) },
		"dropped": func(s arrivals, in supervisor.Inbound) {
			_, err := s.db.Inbox().DropWaitingTexts(s.Context(), s.put(in.Conversation, supervisor.KindCommand,
				"/stop all").ID)
			s.must(err)
		},
	} {
		for _, early := range []bool{true, false} { // early means that the notice was sent before the inbound arrived
			t.Run(name, func(t *testing.T) {
				s := postStory{newStory(t)}
				chat := s.chat("alice", "42")
				receipt, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "bot",
					Items: []supervisor.BatchItem{{Update: 1,
						Inbound:     supervisor.Inbound{Conversation: chat, Key: "k", Kind: supervisor.KindText},
						Attachments: []supervisor.Attachment{{File: "AgAC", Kind: protocol.AttachmentVoice}}}}})
				s.must(err)
				in := receipt.Stored[0]
				send := func(text, message string, deleteAfter time.Duration) func() {
					d, err := s.db.Outbox().SendInboundNotice(t.Context(), supervisor.Delivery{Inbound: in.ID,
						Text: text, DeleteAfter: deleteAfter})
					s.must(err)
					return func() {
						p, err := s.db.Posts().MarkSending(t.Context(), chat.ID, supervisor.Post{Delivery: d.ID,
							Content: supervisor.RichText{Text: text}})
						s.must(err)
						s.settle(p, supervisor.PostSent, message)
						s.close(d, supervisor.OutcomeSent, "")
					}
				}
				send("Heard: milk", "a", 0)()
				sent := send("1:00 of 2:00", "b", time.Hour)
				if early {
					sent()
					s.same("before", s.dueCleanings(s.now.Add(time.Minute)), []string(nil))
				}
				ends(arrivals(s), in)
				if !early {
					sent()
				}
				s.same("taken away", s.dueCleanings(s.now.Add(time.Second)), []string{"delete b of alice in 42"})
			})
		}
	}
}
