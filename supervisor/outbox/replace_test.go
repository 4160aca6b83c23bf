package outbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/outbox"
)

// deletion is a user's deletion of some parts of an answer.
type deletion struct {
	parts []int // indexes of the deleted parts, from 0
	early bool  // whether the answer still grows
}

func (d deletion) String() string { return fmt.Sprintf("parts %v, early %t", d.parts, d.early) }

var deletions = []deletion{
	{[]int{0}, false}, {[]int{1}, false}, {[]int{2}, false}, {[]int{0, 1}, false}, {[]int{0, 2}, false}, {[]int{1, 2}, false},
	{[]int{0, 1, 2}, false}, {[]int{0}, true}, {[]int{1}, true}, {[]int{0, 2}, true},
}

// TestDeletedPart_LaterParts_StayInOrder checks that the answer is whole and in order, and that no
// part is there twice.
func TestDeletedPart_LaterParts_StayInOrder(t *testing.T) {
	for _, d := range deletions {
		t.Run(d.String(), func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.live()
				h.same("chat", h.deleteAndFinish(d), finished())
				h.same("lost", h.lost(), "")
				if n, want := len(h.channel.made(alice, "send")), 3+len(d.parts); n != want {
					t.Errorf("%d messages were sent, want %d", n, want)
				}
				h.same("deletions", len(h.channel.made(alice, "delete")), 0)
			})
		})
	}
}

// finished returns the parts of the final answer. All of them differ from the parts shown before.
func finished() (parts []string) {
	for _, part := range render("The end: "+words(room*2+30), false) {
		parts = append(parts, part.Text)
	}
	return parts
}

// deleteAndFinish lets an answer of three parts grow and end. Before the end a user deletes some
// parts. It returns the texts of the chat.
func (h *rig) deleteAndFinish(d deletion) []string {
	h.Helper()
	turn := h.begin(h.conversation("alice", alice))
	turn.say(words(room*2 + 30))
	pass(10 * time.Second)
	for _, i := range d.parts {
		h.channel.remove(alice, fmt.Sprint(i+1))
	}
	if d.early {
		turn.ResetStep()
		turn.AppendText("Anew: " + words(room*2+30))
		pass(20 * time.Second)
	}
	turn.finishWith(strings.Join(finished(), ""))
	pass(20 * time.Second)
	return h.channel.texts(alice)
}

// TestDeletedPart_Crash_PartsStayInOrder kills the process after each of its calls of the store.
// The parts must be in order. Only the part whose send was interrupted may be there twice, with a
// mark.
func TestDeletedPart_Crash_PartsStayInOrder(t *testing.T) {
	for left := 1; left < 35; left++ {
		for _, d := range []deletion{{[]int{0}, false}, {[]int{0, 1}, false}, {[]int{0}, true}} {
			inBubble(t, func(h *rig) {
				l := &process{left: left}
				end := h.liveAs(l, func(o *outbox.Options) { o.Channel = killableChannel{h.channel, l} })
				h.deleteAndFinish(d)
				if l.ended() {
					end()
					h.live()
					pass(time.Minute)
				}
				var texts []string
				for _, text := range h.channel.texts(alice) {
					texts = append(texts, strings.TrimPrefix(text, repeatMark))
				}
				h.same(fmt.Sprintf("%v, a process of %d calls: chat", d, left), slices.Compact(texts), finished())
			})
		}
	}
}
