package outbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// say puts a delivery with buttons and files into the store and tells the outbox.
func (h *rig) say(d supervisor.Delivery) supervisor.Delivery {
	h.Helper()
	d, err := h.db.Outbox().SendNotice(h.Context(), d)
	must(h, d, err)
	h.feeds.NotifyDelivery(d.Conversation.ID)
	return d
}

func file(name, caption string) supervisor.File {
	return supervisor.File{SHA256: strings.Repeat("ab", 32), Size: 7, Name: name, MediaType: "application/pdf", Caption: caption}
}

func files(names ...string) (list []supervisor.File) {
	for _, name := range names {
		list = append(list, file(name, "of "+name))
	}
	return list
}

var yesNo = [][]supervisor.Button{{{Text: "yes", Press: "y"}}, {{Text: "no", Press: "n"}}}

// ofFile reports whether a call sends the file of that name.
func ofFile(c called, name string) bool { return c.content.File != nil && c.content.File.Name == name }

func TestDelivery_SendsTextThenButtonsThenFiles(t *testing.T) {
	two := words(room + 10)
	for name, test := range map[string]struct {
		delivery supervisor.Delivery
		want     []string
	}{
		"text and buttons":  {supervisor.Delivery{Text: two, Buttons: yesNo}, []string{two[:room], two[room:] + " <yes> <no>"}},
		"text and files":    {supervisor.Delivery{Text: "look", Files: files("a", "b")}, []string{"look", "[a] of a", "[b] of b"}},
		"all of it":         {supervisor.Delivery{Text: two, Buttons: yesNo, Files: files("a")}, []string{two[:room], two[room:] + " <yes> <no>", "[a] of a"}},
		"files alone":       {supervisor.Delivery{Files: files("a", "b")}, []string{"[a] of a", "[b] of b"}},
		"one file":          {supervisor.Delivery{Text: " ", Files: []supervisor.File{file("a", "\n")}}, []string{"[a] "}},
		"files and buttons": {supervisor.Delivery{Buttons: yesNo, Files: files("a", "b")}, []string{"[a] of a", "[b] of b <yes> <no>"}},
		"buttons alone":     {supervisor.Delivery{Buttons: yesNo}, []string{"(The answer was empty.) <yes> <no>"}},
		"text alone":        {supervisor.Delivery{Text: "hello"}, []string{"hello"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.live()
				test.delivery.Conversation = h.conversation("alice", alice)
				h.say(test.delivery)
				pass(20 * time.Second)
				h.same("chat", h.channel.rendered(alice), test.want)
				h.same("calls", len(h.channel.made(alice, "send", "edit", "delete")), len(test.want))
				h.same("waiting", h.waiting(alice), 0)
			})
		})
	}
}

func TestFile_ComesBelowGrowingReply(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		c := h.conversation("alice", alice)
		turn := h.begin(c)
		turn.say("growing")
		pass(3 * time.Second)
		h.say(supervisor.Delivery{Conversation: c, Files: files("a")})
		pass(3 * time.Second)
		turn.say(" and grown")
		pass(3 * time.Second)
		turn.finish()
		pass(10 * time.Second)
		h.same("chat", h.channel.rendered(alice), []string{"growing and grown", "[a] of a"})
	})
}

func TestCaption_TooLong_IsClipped(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = once("send", 1, false, unknown())
		h.live()
		h.say(supervisor.Delivery{Conversation: h.conversation("alice", alice), Files: []supervisor.File{file("a", strings.Repeat("😀", 600))}})
		pass(10 * time.Second)
		// 1,024 UTF-16 units: 19 for the mark, 2 for each character, 1 for the ellipsis
		h.same("chat", h.channel.rendered(alice), []string{"[a] " + repeatMark + strings.Repeat("😀", 502) + "…"})
	})
}

func TestFile_Failed_IsRetriedOrReplaced(t *testing.T) {
	const note = "(The file a could not be sent: far away)"
	fails := func(err *supervisor.SendError, nths ...int) func(called) (bool, *supervisor.SendError) {
		n := 0
		return func(c called) (bool, *supervisor.SendError) {
			if ofFile(c, "a") {
				n++
			}
			if ofFile(c, "a") && slices.Contains(nths, n) {
				return false, err
			}
			return true, nil
		}
	}
	for name, test := range map[string]struct {
		script func(called) (bool, *supervisor.SendError)
		text   string
		want   []string
		lost   string
	}{
		"refused":           {fails(refused(""), 1), "look", []string{"look <yes> <no>", note, "[b] of b"}, ""},
		"refused, of files": {fails(refused(""), 1), "", []string{note, "[b] of b <yes> <no>"}, ""},
		"too long":          {fails(refused(supervisor.SendReasonTooLong), 1), "look", []string{"look <yes> <no>", note, "[b] of b"}, ""},
		"marks": {fails(refused(supervisor.SendReasonInvalidFormatting), 1), "look",
			[]string{"look <yes> <no>", note, "[b] of b"}, ""},
		"unsent":                {fails(afterUnsent(), 1, 2), "look", []string{"look <yes> <no>", "[a] of a", "[b] of b"}, ""},
		"flood":                 {fails(flood(time.Minute), 1), "look", []string{"look <yes> <no>", "[a] of a", "[b] of b"}, ""},
		"unknown, not taken":    {fails(unknown(), 1), "look", []string{"look <yes> <no>", "[a] " + repeatMark + "of a", "[b] of b"}, ""},
		"unknown twice":         {fails(unknown(), 1, 2), "look", []string{"look <yes> <no>", "[b] of b"}, "unknown 1: far away\n"},
		"and no text is either": {func(c called) (bool, *supervisor.SendError) { return false, refused("") }, "", nil, "failed 1: far away\n"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.channel.script = test.script
				h.live()
				h.say(supervisor.Delivery{Conversation: h.conversation("alice", alice), Text: test.text, Buttons: yesNo, Files: files("a", "b")})
				pass(5 * time.Minute)
				h.same("chat", h.channel.rendered(alice), test.want)
				h.same("lost", h.lost(), test.lost)
				h.same("waiting", h.waiting(alice), 0)
			})
		})
	}
}

func TestFile_Refused_TextKeepsButtons(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = once("send", 1, false, refused(""))
		h.live()
		h.say(supervisor.Delivery{Conversation: h.conversation("alice", alice), Buttons: yesNo, Files: files("a")})
		pass(10 * time.Second)
		h.same("chat", h.channel.rendered(alice), []string{"(The file a could not be sent: far away) <yes> <no>"})
	})
}

func TestSplitText_ButtonsStayBelowLastHalf(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = once("send", 1, false, refused(supervisor.SendReasonTooLong))
		h.live()
		h.say(supervisor.Delivery{Conversation: h.conversation("alice", alice), Text: "hello world", Buttons: yesNo, Files: files("a")})
		pass(10 * time.Second)
		h.same("chat", h.channel.rendered(alice), []string{"hello", " world <yes> <no>", "[a] of a"})
	})
}

func TestApology_LostDelivery_ComesBeforeFiles(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = once("send", 1, false, refused(""))
		h.live(func(o *outbox.Options) { o.Limit = 4096 })
		c := h.conversation("alice", alice)
		h.notice(c, "lost")
		pass(10 * time.Second)
		h.say(supervisor.Delivery{Conversation: c, Files: files("a")})
		h.say(supervisor.Delivery{Conversation: c, Files: files("b")})
		pass(10 * time.Second)
		h.same("chat", h.channel.rendered(alice), []string{textApology, "[a] of a", "[b] of b"})
	})
}

// TestFile_Crash_IsNeitherLostNorDoubled kills the process after each of its calls of the store.
// Text and files must be in order. Only the part whose send was interrupted may be there twice,
// with a mark.
func TestFile_Crash_IsNeitherLostNorDoubled(t *testing.T) {
	text := words(room + 20)
	want := []string{text[:room], text[room:] + " <yes> <no>", "[a] of a", "[b] of b"}
	for _, verb := range []string{"", "refused"} {
		for left := 1; left < 20; left++ {
			t.Run(fmt.Sprint(verb, left), func(t *testing.T) {
				inBubble(t, func(h *rig) {
					want := want
					if verb == "refused" {
						want = []string{want[0], want[1], "(The file a could not be sent: far away)", want[3]}
						h.channel.script = func(c called) (bool, *supervisor.SendError) {
							if ofFile(c, "a") {
								return false, refused("")
							}
							return true, nil
						}
					}
					l := &process{left: left}
					end := h.liveAs(l, func(o *outbox.Options) { o.Channel = killableChannel{h.channel, l} })
					h.say(supervisor.Delivery{Conversation: h.conversation("alice", alice), Text: text, Buttons: yesNo, Files: files("a", "b")})
					pass(10 * time.Second)
					if l.ended() {
						end()
						h.live()
						pass(time.Minute)
					}
					var looks []string
					repeats := 0
					for _, look := range h.channel.rendered(alice) {
						repeats += strings.Count(look, repeatMark)
						looks = append(looks, strings.ReplaceAll(look, repeatMark, ""))
					}
					h.same("chat", slices.Compact(looks), want)
					h.same("more than are marked", len(looks)-len(want) > repeats, false)
					h.same("waiting", h.waiting(alice), 0)
				})
			})
		}
	}
}

// TestDeletedText_SentAgain_ReplacesNoFile covers a user who deletes a text without the outbox
// learning of it. The text that is sent again must not replace a file.
func TestDeletedText_SentAgain_ReplacesNoFile(t *testing.T) {
	inBubble(t, func(h *rig) {
		text := words(room + 20)
		l := &process{fails: func(what string) error {
			if what == "close" {
				return errDead
			}
			return nil
		}}
		end := h.liveAs(l)
		h.say(supervisor.Delivery{Conversation: h.conversation("alice", alice), Text: text, Files: files("a")})
		pass(10 * time.Second)
		end()
		h.channel.remove(alice, "1")
		h.live()
		pass(time.Minute)
		h.same("chat", h.channel.rendered(alice), []string{text[:room], "[a] of a", text[room:]})
		for _, c := range h.channel.made(alice, "edit") {
			if c.message == "3" || c.content.File != nil {
				t.Errorf("the file was edited: %+v", c)
			}
		}
		h.same("waiting", h.waiting(alice), 0)
	})
}

func TestTemporaryMessage_Sent_ForgetsItsFiles(t *testing.T) {
	inBubble(t, func(h *rig) {
		var forgotten []string
		h.channel.script = once("send", 1, false, afterUnsent())
		h.live(func(o *outbox.Options) {
			o.Forget = func(f supervisor.File) {
				forgotten = append(forgotten, fmt.Sprint(f.Name, " after ", len(h.channel.made(alice, "send")), " sends"))
			}
		})
		c := h.conversation("alice", alice)
		h.say(supervisor.Delivery{Conversation: c, Files: files("a", "b"), DeleteAfter: time.Minute})
		h.say(supervisor.Delivery{Conversation: c, Files: files("c")})
		pass(20 * time.Second)
		h.same("forgotten", forgotten, []string{"a after 3 sends", "b after 3 sends"})
	})
}

func TestLongAnswer_SendsBeginningAndFile(t *testing.T) {
	inBubble(t, func(h *rig) {
		kept := map[string]string{}
		h.live(func(o *outbox.Options) {
			o.KeepText = func(name, text string) (supervisor.File, error) {
				kept[name] = text
				return supervisor.File{SHA256: strings.Repeat("ab", 32), Size: int64(len(text)), Name: name, MediaType: "text/markdown"}, nil
			}
		})
		turn := h.begin(h.conversation("alice", alice))
		long := words(5 * room)
		turn.say(long)
		pass(time.Minute)
		turn.finish()
		pass(time.Minute)
		chat := h.channel.texts(alice)
		h.same("messages", len(chat), 4)
		h.same("kept", kept["answer.md"], long)
		h.same("the last", chat[3], "The whole answer. It is too long for a few messages.")
	})
}
