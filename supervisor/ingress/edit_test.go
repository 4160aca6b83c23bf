package ingress

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/inbox"
	"mews/supervisor/sqlite"
	"mews/supervisor/telegram"
)

// edited returns an edit of a message as Telegram sends it.
func (p *fixture) edited(of supervisor.Incoming, from int64, more string) supervisor.Incoming {
	p.t.Helper()
	p.update++
	kind := "private"
	if of.Group {
		kind = "group"
	}
	raw := fmt.Sprintf(`{"update_id":%d,"edited_message":{"message_id":%s,"date":1770000000,"edit_date":1770000009,"chat":{"id":%s,"type":%q},`+
		`"from":{"id":%d,"is_bot":false,"first_name":"X"}%s}}`, p.update, of.Message, of.Chat, kind, from, more)
	in, err := telegram.ParseUpdate(json.RawMessage(raw), telegram.BotIdentity{ID: 42, Name: func() (string,
		error) {
		return "mews_bot", nil
	}})
	must(p.t, err)
	return in
}

// TestEdit_OfUnstoredMessage_IsIgnored checks that an edit counts only if its user's original
// message was stored. An edit admits, answers and audits nobody.
func TestEdit_OfUnstoredMessage_IsIgnored(t *testing.T) {
	p := newFixture(t)
	code, digest := access.NewInviteCode()
	must(t, p.db.UserAccessStores().Invites.Put(t.Context(), sqlite.Invite{Digest: digest, User: "alice",
		ExpiresAt: time.Now().Add(time.Hour)}))
	mine, theirs := p.incoming(101, 101, `,"text":"buy tee"`), p.incoming(666, 666, `,"text":"hello"`)
	toUs, talk := p.incoming(-7, 101, `,"text":"/new tee"`), p.incoming(-7, 101, `,"text":"just talking"`)
	far := p.incoming(-99, 102, `,"text":"hello"`)
	p.take(1, mine, theirs, toUs, talk, far)
	p.take(2, p.edited(mine, 101, `,"text":"buy tea"`), p.edited(theirs, 666, `,"text":"/start `+code.Reveal()+`"`),
		p.edited(toUs, 101, `,"text":"/new tea"`), p.edited(talk, 101, `,"text":"/status"`), p.edited(talk, 102, `,"text":"/status"`),
		p.edited(far, 102, `,"text":"/allow"`))
	if want := []string{"alice@101: buy tee", "alice@-7: /new tee", "alice@101: buy tea"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	if want := []string{"telegram.stranger: 666 wrote; nothing was answered"}; !slices.Equal(p.audited, want) {
		t.Errorf("audited %q", p.audited)
	}
	if answers := p.answers("alice", "666"); len(answers) != 0 {
		t.Errorf("a stranger is answered %q", answers)
	}
}

// TestEditButton_OtherUsersPress_IsRefused checks that in a group the button below an edited
// message works only for its user.
func TestEditButton_OtherUsersPress_IsRefused(t *testing.T) {
	p := newFixture(t)
	var toasts []string
	p.o.Acknowledge = func(_, text string) { toasts = append(toasts, text) }
	p.restart()
	asked := p.incoming(-7, 101, `,"text":"@mews_bot tee","entities":[{"type":"mention","offset":0,"length":9}]`)
	p.take(1, asked)
	in := p.accepted[0]
	turn, _, err := p.db.Turns().Start(t.Context(), in.ID, nil)
	must(t, err)
	_, err = p.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered, Text: "ok"})
	must(t, err)
	p.take(2, p.edited(asked, 101, `,"text":"@mews_bot tea","entities":[{"type":"mention","offset":0,"length":9}]`))
	offer, buttons := inbox.OfferNewAnswer(in.ID)
	if got := p.answers("alice", "-7"); !slices.Contains(got, offer) {
		t.Fatalf("told was %q", got)
	}
	press := func(from int64) supervisor.Incoming {
		return supervisor.Incoming{Channel: supervisor.ChannelTelegram, Kind: supervisor.IncomingPress, Key: fmt.Sprint(from), Chat: "-7", Group: true,
			Sender: fmt.Sprint(from), Query: fmt.Sprint(from), Text: buttons[0][0].Press, Addressed: true}
	}
	p.take(3, press(102), press(101))
	if want := []string{textForeignPress, ""}; !slices.Equal(toasts, want) {
		t.Errorf("told were %q, want %q", toasts, want)
	}
	if last := p.accepted[len(p.accepted)-1]; last.Kind != supervisor.KindPress || last.Conversation.User != "alice" {
		t.Errorf("taken was %+v", last)
	}
}
