package outbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/outbox"
)

// deletion is a person who deletes parts of an answer that has grown.
type deletion struct {
	parts []int // from 0
	early bool  // while it still grows
}

func (d deletion) String() string { return fmt.Sprintf("parts %v, early %t", d.parts, d.early) }

var deletions = []deletion{
	{[]int{0}, false}, {[]int{1}, false}, {[]int{2}, false}, {[]int{0, 1}, false}, {[]int{0, 2}, false}, {[]int{1, 2}, false},
	{[]int{0, 1, 2}, false}, {[]int{0}, true}, {[]int{1}, true}, {[]int{0, 2}, true},
}

// TestWhatIsDeletedDoesNotChangeTheOrder: the answer is whole and in order, and no part stands
// there twice.
func TestWhatIsDeletedDoesNotChangeTheOrder(t *testing.T) {
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

// finished are the parts of the answer in the end. All of them differ from what was shown before.
func finished() (parts []string) {
	for _, part := range render("The end: "+words(room*2+30), false) {
		parts = append(parts, part.Text)
	}
	return parts
}

// deleteAndFinish has an answer of three parts grow and end, and a person delete some of them
// before. It returns what stands in the chat.
func (h *rig) deleteAndFinish(d deletion) []string {
	h.Helper()
	turn := h.begin(h.conversation("alice", alice))
	turn.say(words(room*2 + 30))
	pass(10 * time.Second)
	for _, i := range d.parts {
		h.channel.remove(alice, fmt.Sprint(i+1))
	}
	if d.early {
		turn.Reset()
		turn.Add("Anew: " + words(room*2+30))
		pass(20 * time.Second)
	}
	turn.finishWith(strings.Join(finished(), ""))
	pass(20 * time.Second)
	return h.channel.texts(alice)
}

// TestACrashDoesNotChangeTheOrderEither: whatever the process's last call of the store is, the
// parts stand in order. The one whose sending was cut may stand there twice, and says so.
func TestACrashDoesNotChangeTheOrderEither(t *testing.T) {
	for left := 1; left < 35; left++ {
		for _, d := range []deletion{{[]int{0}, false}, {[]int{0, 1}, false}, {[]int{0}, true}} {
			inBubble(t, func(h *rig) {
				l := &process{left: left}
				end := h.liveAs(l, func(o *outbox.Options) { o.Channel = processChannel{h.channel, l} })
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
