package outbox_test

import (
	"fmt"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

const (
	repeatMark  = "↻ May be a repeat:\n"
	textApology = "(An earlier message of mine may not have reached you; /resend sends it again.)"
)

func TestFailedCall_EachReason_FollowsItsRule(t *testing.T) {
	for name, test := range map[string]struct {
		script func(called) (bool, *supervisor.SendError)
		text   string
		said   string // text already shown as a growing reply; "" for a notice
		within time.Duration
		want   []string
		verbs  string
		lost   string
	}{
		"unsent is sent again, unmarked": {once("send", 1, false, afterUnsent()), "hello", "", 2 * time.Second,
			[]string{"hello"}, "send send", ""},
		"a flood waits and is sent again": {once("send", 1, false, flood(10*time.Second)), "hello", "",
			10 * time.Second,
			[]string{"hello"}, "send send", ""},
		"unknown and taken is sent once more, marked": {once("send", 1, true, unknown()), "hello", "", 2 * time.Second,
			[]string{"hello", repeatMark + "hello"}, "send send", ""},
		"unknown and not taken is sent once more, marked": {once("send", 1, false, unknown()), "hello", "", 2 * time.Second,
			[]string{repeatMark + "hello"}, "send send", ""},
		"unknown twice is left": {
			always("send", unknown()), "hello", "", time.Minute,
			nil, "send send", "unknown 1: far away\n"},
		"unsent of a repeat keeps the mark": {
			func(c called) (bool, *supervisor.SendError) {
				if c.verb == "typing" {
					return true, nil
				}
				return c.nth > 2, map[int]*supervisor.SendError{1: unknown(), 2: afterUnsent()}[c.nth]
			}, "hello", "", 10 * time.Second, []string{repeatMark + "hello"}, "send send send", ""},
		"too long is sent in halves": {once("send", 1, false, refused(supervisor.SendReasonTooLong)), "hello world", "", time.Second,
			[]string{"hello", " world"}, "send send send", ""},
		"too long can be said of a part in the middle": {
			once("send", 2, false, refused(supervisor.SendReasonTooLong)), words(room*2 + 10), "", 10 * time.Second,
			[]string{words(room), words(room * 2)[room : room+room/2], words(room * 2)[room+room/2:], words(room*2 + 10)[2*room:]},
			"send send send send send", ""},
		"too long and not to be cut": {func(called) (bool, *supervisor.SendError) {
			return false, refused(supervisor.SendReasonTooLong)
		}, "x", "", time.Second, nil, "send", "failed 1: far away\n"},
		"marks that can't be read are left out": {once("send", 1, false,
			refused(supervisor.SendReasonInvalidFormatting)), "*hello", "", time.Second,
			[]string{"*hello"}, "send send", ""},
		"marks are left out once": {func(called) (bool, *supervisor.SendError) {
			return false, refused(supervisor.SendReasonInvalidFormatting)
		}, "*hello", "", time.Second, nil, "send send", "failed 1: far away\n"},
		"refused is failed, and the rest not tried": {
			once("send", 2, false, refused("")), words(room*2 + 10), "", 10 * time.Second,
			[]string{words(room)}, "send send", "failed 1: far away\n"},
		"an error of no known kind may have been taken": {once("send", 1, true, &supervisor.SendError{Err: errFar}), "hello", "",
			2 * time.Second, []string{"hello", repeatMark + "hello"}, "send send", ""},
		"an edit whose fate is not known is made again": {once("edit", 1, true, unknown()), "hello you", "hello", 3 * time.Second,
			[]string{"hello you"}, "send edit edit", ""},
		"an edit that was not taken is made again": {once("edit", 1, false, afterUnsent()), "hello you", "hello", 3 * time.Second,
			[]string{"hello you"}, "send edit edit", ""},
		"an edit of what is gone sends it anew": {once("edit", 1, false, refused(supervisor.SendReasonMessageGone)), "hello you", "hello",
			3 * time.Second, []string{"hello", "hello you"}, "send edit send", ""},
		"an edit that is too long deletes and sends halves": {
			func(c called) (bool, *supervisor.SendError) {
				if c.verb == "edit" || c.verb == "send" && c.nth == 2 {
					return false, refused(supervisor.SendReasonTooLong)
				}
				return true, nil
			}, "hello you!", "hello", 9 * time.Second, []string{"hello", " you!"}, "send edit delete send send send", ""},
		"an edit with marks that can't be read is made without": {
			once("edit", 1, false, refused(supervisor.SendReasonInvalidFormatting)), "*hello", "hello", 3 * time.Second,
			[]string{"*hello"}, "send edit edit", ""},
		"an edit that is refused for good": {once("edit", 1, false, refused("")), "hello you", "hello", 3 * time.Second,
			[]string{"hello"}, "send edit", "failed 1: far away\n"},
		"a surplus message is deleted": {nil, "short", words(room + 5), 5 * time.Second,
			[]string{"short"}, "send send edit delete", ""},
		"a deletion whose fate is not known is made again": {once("delete", 1, true, unknown()), "short", words(room + 5),
			5 * time.Second, []string{"short"}, "send send edit delete delete", ""},
		"a deletion that is refused is left": {once("delete", 1, false, refused(supervisor.SendReasonMessageGone)), "short",
			words(room + 5), 5 * time.Second, []string{"short", words(room + 5)[room:]}, "send send edit delete", ""},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.channel.script = test.script
				h.live()
				c := h.conversation("alice", alice)
				if test.said == "" {
					h.notice(c, test.text)
				} else {
					turn := h.begin(c)
					turn.say(test.said)
					pass(3 * time.Second)
					turn.finishWith(test.text)
				}
				pass(test.within)
				h.same("in the chat", h.channel.texts(alice), test.want)
				h.same("calls", h.channel.verbs(alice), test.verbs)
				h.same("lost", h.lost(), test.lost)
				h.same("waiting", h.waiting(alice), 0)
				for _, c := range h.channel.made(alice, "send") {
					marked := len(c.content.Text) > len(repeatMark) && c.content.Text[:len(repeatMark)] == repeatMark
					h.same("silent "+c.content.Text, c.to.Silent, marked)
				}
			})
		})
	}
}

func TestUnreachableChat_IsTriedForADay(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = func(called) (bool, *supervisor.SendError) { return false, afterUnsent() }
		h.live()
		begun := time.Now()
		h.notice(h.conversation("alice", alice), "hello")
		pass(23 * time.Hour)
		h.same("lost before a day is over", h.lost(), "")
		pass(time.Hour + 2*time.Minute)
		h.same("lost", h.lost(), "failed 1: the chat could not be reached for 24 h: far away\n")
		tries := h.channel.made(alice, "send")
		for i := range len(tries) - 1 {
			// after a short outage, messages go within 3 s
			least, most := 750*time.Millisecond, 2500*time.Millisecond
			if tries[i].at.Sub(begun) >= 5*time.Minute {
				least, most = 45*time.Second, 75*time.Second
			}
			if gap := tries[i+1].at.Sub(tries[i].at); gap < least || gap > most+time.Millisecond {
				t.Errorf("try %d comes after %v, want %v to %v", i+2, gap, least, most)
			}
		}
		if last := tries[len(tries)-1].at.Sub(begun); last < 24*time.Hour {
			t.Errorf("the last try was after %v", last)
		}
		h.channel.script = nil
		h.notice(h.conversation("alice", alice), "again")
		pass(time.Second)
		h.same("chat", h.channel.texts(alice), []string{"again", textApology})
	})
}

func TestNextDelivery_ApologizesForLostDelivery(t *testing.T) {
	inBubble(t, func(h *rig) {
		c := h.conversation("alice", alice)
		h.channel.script = always("send", unknown())
		h.live(func(o *outbox.Options) { o.Limit = 4096 })
		h.notice(c, "one")
		pass(time.Minute)
		h.channel.script = nil
		for _, text := range []string{"two", "three"} {
			h.notice(c, text)
			pass(time.Minute)
		}
		h.same("chat", h.channel.texts(alice), []string{"two\n\n" + textApology, "three"})
		n, err := h.db.Outbox().ResendUndelivered(h.Context(), c.ID, 10)
		h.same("sent again", must(h, n, err), 1)
		h.notice(c, "resent")
		pass(time.Minute)
		h.same("chat", h.channel.texts(alice), []string{"two\n\n" + textApology, "three", repeatMark + "one", "resent"})
		h.same("lost", h.lost(), "")
	})
}

func TestMovedChat_ContinuesUnderNewName(t *testing.T) {
	for _, stays := range []bool{false, true} {
		t.Run(fmt.Sprintf("with a conversation there before: %v", stays), func(t *testing.T) {
			inBubble(t, func(h *rig) {
				const there = "-200"
				h.channel.script = func(c called) (bool, *supervisor.SendError) {
					if c.to.Chat == club && c.verb != "typing" {
						return false, &supervisor.SendError{Result: supervisor.SendResultUnsent,
							Reason:  supervisor.SendReasonChatMoved,
							MovedTo: there, Err: errFar}
					}
					return true, nil
				}
				if stays {
					h.conversation("alice", there)
				}
				h.live()
				c := h.conversation("alice", club)
				h.notice(c, "one")
				turn := h.begin(c)
				turn.say("two")
				pass(10 * time.Second)
				turn.say(" and three")
				pass(10 * time.Second)
				turn.finish()
				pass(10 * time.Second)
				h.same("there", h.channel.texts(there), []string{"one", "two and three"})
				h.same("here", h.channel.texts(club), []string(nil))
				h.same("left", h.waiting(club)+h.waiting(there), 0)
				if n := len(h.channel.made(club, "send")); n > 3 {
					t.Errorf("%d sends to the old chat", n)
				}
			})
		})
	}
}
