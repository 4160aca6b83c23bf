package app

import (
	"context"
	"slices"
	"testing"

	"mews/supervisor"
	"mews/supervisor/access"
)

// What was said in a group right before it became another one comes in one batch with that, and goes along; what is said after
// it in the same batch too. A batch that comes again is taken once.
func TestTheGateTakesAlongWhatWasSaidBeforeAGroupMoved(t *testing.T) {
	p := newPorch(t)
	alice, _ := p.people.Find("alice")
	p.gate.refresh = func(ctx context.Context) error { // as a group that was allowed in the chat: the old name is nothing any more
		groups, err := p.db.Access().Groups.List(ctx)
		must(t, err)
		var more access.Stored
		for _, g := range groups {
			more.Groups = append(more.Groups, access.Group(g))
		}
		return p.people.Set([]supervisor.User{alice}, more)
	}
	var woken []string
	p.gate.wake = func(_ context.Context, chat string) error {
		if !p.people.GroupAllowed(supervisor.ChannelTelegram, chat) {
			t.Errorf("%s is woken before people may speak there", chat)
		}
		woken = append(woken, chat)
		return nil
	}
	before, move := p.letter(-7, 101, `,"text":"@mews_bot the question","entities":[{"type":"mention","offset":0,"length":9}]`),
		p.letter(-7, 101, `,"migrate_to_chat_id":-1008`)
	after := p.letter(-1008, 101, `,"text":"/help"`)
	for range 2 {
		p.take(1, before, move, after)
	}
	waiting, err := p.db.Inbox().Unfinished(t.Context())
	must(t, err)
	if len(waiting) != 1 || waiting[0].Chat != "-1008" {
		t.Errorf("something waits in %+v", waiting)
	}
	if slices.Contains(woken, "-7") || !slices.Contains(woken, "-1008") {
		t.Errorf("woken were %q", woken)
	}
	kept, err := p.db.Inbox().Commands(t.Context())
	must(t, err)
	if len(kept) != 1 || kept[0].Conversation.ID != waiting[0].ID {
		t.Errorf("after it there are %+v", kept)
	}
}

func TestWhatAChatIsCalledNow(t *testing.T) {
	var m moves
	m.renamed("-5", "-1005")
	m.renamed("-1005", "-2005")
	m.renamed("-6", "-6")
	for chat, want := range map[string]string{"-5": "-2005", "-1005": "-2005", "-2005": "-2005", "-6": "-6", "-7": "-7"} {
		if got := m.now(chat); got != want {
			t.Errorf("%s is called %s, want %s", chat, got, want)
		}
	}
	m.renamed("-2005", "-5") // and back
	if got := m.now("-1005"); got != "-5" {
		t.Errorf("it is called %s", got)
	}
}
