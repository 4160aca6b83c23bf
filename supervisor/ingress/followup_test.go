package ingress

import (
	"fmt"
	"slices"
	"testing"

	"mews/supervisor"
)

// TestFollowUp_KeepsItsFiles checks that a follow-up waits with its files, with or without words.
// An album waits as a whole.
func TestFollowUp_KeepsItsFiles(t *testing.T) {
	p := newFixture(t)
	of := func(more string) supervisor.Incoming {
		return p.incoming(101, 101, aPhoto+`,"media_group_id":"g1"`+more)
	}
	p.take(1, p.incoming(101, 101, aPhoto+`,"caption":"/followup what is it?"`), p.incoming(101, 101, aPhoto+`,"caption":"/followup"`),
		of(""), of(`,"caption":"/followup which?"`), of(""), p.incoming(101, 101, replied("/followup why?", 77, "It rains.", "")))
	var got []string
	q, err := p.db.Inbox().ReadQueue(t.Context(), p.accepted[0].Conversation.ID)
	must(t, err)
	for _, w := range q.Waiting {
		got = append(got, fmt.Sprint(w.Inbound.Text, " ", len(w.Files), " ", w.Inbound.Priority, w.Inbound.Quote))
	}
	if want := []string{"what is it? 1 -1", " 1 -1", "which? 3 -1", "why? 0 -1> You: It rains."}; !slices.Equal(got, want) {
		t.Errorf("there wait %q, want %q", got, want)
	}
	if told := p.answers("alice", "101"); len(told) != 0 {
		t.Errorf("told %q", told)
	}
}

// TestPress_OfOtherUser_IsExplained checks that only its own user can drop a message. Another user
// who presses the button gets a private explanation.
func TestPress_OfOtherUser_IsExplained(t *testing.T) {
	p := newFixture(t)
	p.take(0, p.incoming(-7, 101, `,"text":"@mews_bot hi","entities":[{"type":"mention","offset":0,"length":9}]`))
	mine := p.accepted[0].ID
	var told []string
	p.o.Acknowledge = func(query, text string) { told = append(told, query+text) }
	p.restart()
	press := func(sender string) supervisor.Incoming {
		p.update++
		return supervisor.Incoming{Channel: supervisor.ChannelTelegram, Kind: supervisor.IncomingPress, Update: int64(p.update), Key: fmt.Sprint("press", p.update),
			Sender: sender, Chat: "-7", Group: true, Message: "5", Text: fmt.Sprint("w:drop ", mine), Query: "q", Addressed: true}
	}
	p.take(0, press("102"), press("101"))
	if len(p.accepted) != 2 || p.accepted[1].Kind != supervisor.KindPress || p.accepted[1].Conversation.User != "alice" {
		t.Errorf("accepted were %+v", p.accepted)
	}
	if want := []string{"q" + textForeignPress, "q"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
