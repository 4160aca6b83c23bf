package ingress

import (
	"fmt"
	"slices"
	"testing"

	"mews/supervisor"
)

// TestPress_GroupButton_WorksForItsOwner checks that in a group a button works for the user to whom
// its message was sent, and for nobody else. The last press is of a command that does not exist.
func TestPress_GroupButton_WorksForItsOwner(t *testing.T) {
	for i, data := range []string{"job:soon 3", "job:done 3", "job:evening 3", "job:change 3", "job:delete 3",
		"job:date-0 3", "job:list-done 3", "job:jobs-pause 3", "fg:fact m3", "fg:span last hour", "m:offline",
		"s:stream off", "g:9", "f:send 1", "sr:2 milk", "mem:m3", "review/mute 4", "tr:hello", "zz:anything"} {
		t.Run(data, func(t *testing.T) {
			p := newFixture(t)
			var toasts []string
			p.o.Acknowledge = func(_, text string) { toasts = append(toasts, text) }
			p.restart()
			d, err := p.db.Outbox().SendNotice(t.Context(), supervisor.Delivery{Text: "Reminder: tea",
				Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "-7",
					Thread: "4"},
				Buttons: [][]supervisor.Button{{{Text: "Press", Press: data}}}})
			must(t, err)
			p.sent(d, d.Text, 55)
			press := func(sender, message, chat string) supervisor.Incoming {
				p.update++
				return supervisor.Incoming{Channel: supervisor.ChannelTelegram, Kind: supervisor.IncomingPress,
					Update: p.update, Key: fmt.Sprint(i, " ", p.update), Sender: sender, Chat: chat, Group: true,
					Message: message, Text: data, Query: "q", Addressed: true}
			}
			p.take(0, press("102", "55", "-7"), press("101", "56", "-7"), press("101", "", "-7"),
				press("101", "55", "-1007"))
			if want := slices.Repeat([]string{textForeignPress}, 4); !slices.Equal(toasts, want) {
				t.Errorf("strangers read %q", toasts)
			}
			p.take(0, press("101", "55", "-7"))
			if len(p.accepted) != 1 || p.accepted[0].Conversation.User != "alice" {
				t.Errorf("accepted %+v", p.accepted)
			}
		})
	}
}
