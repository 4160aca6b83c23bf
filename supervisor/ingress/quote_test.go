package ingress

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/sqlite"
)

// replied returns a Telegram message that replies to a message of the bot.
func replied(text string, message int, says, part string) string {
	more := fmt.Sprintf(`,"text":%q,"reply_to_message":{"message_id":%d,"from":{"id":42,"is_bot":true,"first_name":"Mews"},"text":%q}`, text, message, says)
	if part != "" {
		more += fmt.Sprintf(`,"quote":{"text":%q,"position":0,"is_manual":true}`, part)
	}
	return more
}

// answered answers the last accepted message, by a message in the chat.
func (p *fixture) answered(text string, message int) supervisor.Delivery {
	p.t.Helper()
	in := p.accepted[len(p.accepted)-1]
	turn, _, err := p.db.Turns().Start(p.t.Context(), in.ID, nil)
	must(p.t, err)
	d, err := p.db.Turns().Finish(p.t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered, Text: text})
	must(p.t, err)
	p.sent(d, text, message)
	return d
}

// sent records a delivery as a message in the chat.
func (p *fixture) sent(d supervisor.Delivery, text string, message int) {
	p.t.Helper()
	post, err := p.db.Posts().MarkSending(p.t.Context(), d.Conversation.ID, supervisor.Post{Turn: d.Turn,
		Delivery: d.ID, Content: supervisor.RichText{Text: text}})
	must(p.t, err)
	post.State, post.Message = supervisor.PostSent, fmt.Sprint(message)
	must(p.t, p.db.Posts().StorePostResult(p.t.Context(), post))
}

// quoted returns the quote before the words of a message.
func (p *fixture) quoted(chat, from int64, more string) string {
	p.t.Helper()
	p.take(0, p.incoming(chat, from, more))
	in := p.accepted[len(p.accepted)-1]
	return strings.TrimSpace(string(in.Origin) + " " + in.Quote)
}

// TestQuote_Reply_IncludesAnsweredMessage checks that the quote is the sent message, even a very
// old one, unless the model sees the message anyway. If Mews does not know the message, the quote
// is Telegram's version.
func TestQuote_Reply_IncludesAnsweredMessage(t *testing.T) {
	p := newFixture(t)
	must := func(err error) { must(t, err) }
	same := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	p.take(0, p.incoming(101, 101, `,"text":"the weather"`))
	p.answered("It rains.\nStay in.", 900)
	same("the newest answer", p.quoted(101, 101, replied("why?", 900, "It rains.\nStay in.", "")), "own")
	same("a part of it", p.quoted(101, 101, replied("why?", 900, "It rains.\nStay in.", "Stay in.")), "own > You: Stay in.")

	p.take(0, p.incoming(101, 101, `,"text":"and the news?"`))
	last := p.answered("There are none.", 901)
	same("an earlier answer", p.quoted(101, 101, replied("why?", 900, "", "")), "own > You: It rains.\n> Stay in.")
	same("a part of that", p.quoted(101, 101, replied("why?", 900, "", "Stay in.")), "own > You: Stay in.\n> (in:)\n> It rains.\n> Stay in.")
	same("a command", p.quoted(101, 101, replied("/status", 900, "", "")), "own")
	same("a code", p.quoted(101, 101, replied("123 456", 900, "", "")), "own")
	must(p.db.Transcript().ClearWindow(t.Context(), last.Conversation.ID))
	same("the newest of an earlier topic", p.quoted(101, 101, replied("why?", 901, "", "")), "own > You: There are none.")

	for text, d := range map[string]supervisor.Delivery{"You have spent $1.": {}, "": {DeleteAfter: time.Hour}} {
		d.Conversation, d.Text = last.Conversation, "You have spent $1."
		d, err := p.db.Outbox().SendNotice(t.Context(), d)
		must(err)
		p.sent(d, d.Text, 902)
		want := "own"
		if text != "" {
			want += " > You: " + text
		}
		same(fmt.Sprint("what is said for ", d.DeleteAfter), p.quoted(101, 101, replied("so?", 902, "You have spent $1.", "")), want)
	}
	same("one that nobody knows", p.quoted(101, 101, replied("so?", 77, "Hello", "")), "own > You: Hello")
	same("one that an account of others has", p.quoted(102, 102, replied("so?", 900, "Other", "")), "own > You: Other")

	p.take(0, p.incoming(-7, 101, `,"text":"/ask@mews_bot x"`), p.incoming(-7, 101, replied("ours?", 78, "Hi", "")))
	p.answered("Yes.", 903)
	same("in a group, to oneself", p.quoted(-7, 101, replied("so?", 903, "Yes.", "Y")), "own > You: Y")
	same("in a group, to another", p.quoted(-7, 102, replied("so?", 903, "Yes.", "")), "world > Somebody else's assistant: Yes.")
	same("to a person", p.quoted(-7, 102, `,"text":"/x"`), "own")
	same("somebody's words", p.quoted(101, 101, `,"text":"is it so?","reply_to_message":{"message_id":3,"from":{"id":9,"first_name":"Bob"},"text":"No."}`),
		"world > Bob: No.")
}

// TestQuote_ComesBeforeTheText checks that the quote is in the turn's first message, but not in the
// inbound's own text.
func TestQuote_ComesBeforeTheText(t *testing.T) {
	p := newFixture(t)
	p.take(0, p.incoming(101, 101, replied("why?", 77, "It rains.", "")))
	if got := p.texts(); len(got) != 1 || got[0] != "alice@101: why?" {
		t.Errorf("it is kept as %q", got)
	}
	d := p.answered("So.", 900)
	list, err := p.db.Transcript().ListMessages(t.Context(), d.Conversation.ID)
	must(t, err)
	if got := list[0].Parts[0].Text; got != "> You: It rains.\nwhy?" {
		t.Errorf("the model reads %q", got)
	}
}
