package outbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

func TestReply_GrowsAndEndsInOneMessage(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		pass(time.Second)
		for range 15 {
			turn.say("word ")
			pass(150 * time.Millisecond)
		}
		h.same("shown while it grows", len(h.channel.texts(alice)), 1)
		turn.say("end")
		begun := time.Now()
		turn.finish()
		pass(5 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{turn.said})
		calls := h.channel.made(alice, "send", "edit")
		if last := calls[len(calls)-1]; last.verb != "edit" || last.at.Sub(begun) > 10*time.Millisecond {
			t.Errorf("the end came %v after the turn's, as %s", last.at.Sub(begun), last.verb)
		}
		growing := calls[:len(calls)-1]
		for i := 1; i < len(growing); i++ {
			if gap := growing[i].at.Sub(growing[i-1].at); gap < time.Second {
				t.Errorf("steps %v apart", gap)
			}
		}
		h.same("waiting", h.waiting(alice), 0)
		h.same("queues", h.box.Status().Chats, []string(nil))
	})
}

func TestReply_FinalTextAlreadyShown_SendsNothing(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		turn.say("all of it")
		pass(3 * time.Second)
		turn.finish()
		pass(3 * time.Second)
		h.same("calls", h.channel.verbs(alice), "send")
		h.same("waiting", h.waiting(alice), 0)
	})
}

func TestReply_ShorterFinalText_ReusesMessages(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		turn.say(words(room + 30))
		pass(10 * time.Second)
		turn.ResetStep()
		turn.said = ""
		turn.say("anew: ")
		pass(10 * time.Second)
		turn.say(words(room))
		pass(10 * time.Second)
		turn.finish()
		pass(10 * time.Second)
		h.same("chat", strings.Join(h.channel.texts(alice), ""), turn.said)
		h.same("sends", len(h.channel.made(alice, "send")), 2)
	})
}

func TestReply_EarlierParts_AreFinishedFirst(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		text := words(room*2 + 40)
		for i := 0; i < len(text); i += 10 {
			turn.say(text[i:min(i+10, len(text))])
			pass(500 * time.Millisecond)
		}
		turn.finish()
		pass(10 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{text[:room], text[room : 2*room], text[2*room:]})
		h.same("sends", len(h.channel.made(alice, "send")), 3)
	})
}

func TestTyping_EndsWithTheTurn(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		begun := time.Now()
		turn := h.begin(h.conversation("alice", alice))
		pass(30 * time.Second)
		turn.finishWith("done")
		ended := time.Now()
		pass(time.Minute)
		typing := h.channel.made(alice, "typing")
		h.same("shown", len(typing), 8)
		if first := typing[0].at.Sub(begun); first > 300*time.Millisecond {
			t.Errorf("first after %v", first)
		}
		for i, c := range typing {
			if c.at.After(ended) {
				t.Errorf("shown %v after the end", c.at.Sub(ended))
			}
			if i > 0 && c.at.Sub(typing[i-1].at) > 4100*time.Millisecond {
				t.Errorf("not shown for %v", c.at.Sub(typing[i-1].at))
			}
		}
	})
}

func TestImmediateAnswer_ShowsNoTyping(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		turn.say("hello")
		turn.finish()
		pass(time.Minute)
		h.same("calls", h.channel.verbs(alice), "send")
		h.same("typing", len(h.channel.made(alice, "typing")), 0)
	})
}

func TestReply_GrowthOff_ShowsOnlyFinalText(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live(final)
		turn := h.begin(h.conversation("alice", alice))
		turn.say("hello")
		pass(10 * time.Second)
		turn.finish()
		pass(time.Second)
		h.same("calls", h.channel.verbs(alice), "send")
		h.same("typing", len(h.channel.made(alice, "typing")), 3)
	})
}

// TestReply_GrowthOff_ShowsReasonOfDelay checks that the reason of a delay is shown until the
// answer replaces it.
func TestReply_GrowthOff_ShowsReasonOfDelay(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live(final)
		turn := h.begin(h.conversation("alice", alice))
		turn.say("I look.")
		pass(10 * time.Second)
		h.same("before", h.channel.texts(alice), []string(nil))
		turn.ShowNote("(the model is slow)")
		pass(5 * time.Second)
		h.same("while nothing comes", h.channel.texts(alice), []string{"(the model is slow)"})
		turn.say(" It is there.")
		pass(10 * time.Second)
		turn.finish()
		pass(5 * time.Second)
		h.same("at the end", h.channel.texts(alice), []string{"I look. It is there."})
		h.same("calls", h.channel.verbs(alice), "send edit")
	})
}

func TestReply_MessageDeleted_IsResentAtTheEnd(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		turn.say("hello")
		pass(2 * time.Second)
		h.channel.remove(alice, "1")
		for range 15 {
			turn.say(" you")
			pass(time.Second)
		}
		h.same("in the meantime", h.channel.texts(alice), []string(nil))
		turn.finish()
		pass(5 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{turn.said})
		h.same("calls", h.channel.verbs(alice), "send edit send")
	})
}

func TestReply_UnknownSendResult_StopsGrowing(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = once("send", 1, true, unknown())
		h.live()
		turn := h.begin(h.conversation("alice", alice))
		turn.say("hello")
		pass(10 * time.Second)
		turn.say(" you")
		pass(10 * time.Second)
		h.same("calls", h.channel.verbs(alice), "send")
		turn.finish()
		pass(5 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{"hello", repeatMark + "hello you"})
	})
}

func TestReply_AfterCrash_ReusesItsMessages(t *testing.T) {
	inBubble(t, func(h *rig) {
		end := h.live()
		turn := h.begin(h.conversation("alice", alice))
		turn.say(words(room + 20))
		pass(5 * time.Second)
		end()
		h.live()
		pass(time.Second)
		turn.say("more")
		pass(5 * time.Second)
		end()
		turn.finish()
		h.live()
		pass(10 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{turn.said[:room], turn.said[room:]})
		h.same("sends", len(h.channel.made(alice, "send")), 2)
	})
}

func TestRepeatMark_LaterEdits_KeepMark(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = once("send", 1, false, unknown())
		h.live()
		text := words(room + 20)
		h.notice(h.conversation("alice", alice), text)
		pass(10 * time.Second)
		h.same("chat", h.channel.texts(alice), []string{repeatMark + text[:room], text[room:]})
		for _, text := range h.channel.texts(alice) {
			if n := len([]rune(text)); n > limit {
				t.Errorf("a message has %d units", n)
			}
		}
	})
}

func TestAnswer_InGroup_RepliesToItsMessage(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		for _, chat := range []string{club, alice} {
			turn := h.begin(h.conversation("alice", chat))
			turn.say(words(room + 20))
			pass(10 * time.Second)
			turn.finish()
			h.notice(turn.Conversation, "a notice")
			pass(10 * time.Second)
		}
		var named []string
		for _, c := range append(h.channel.made(club, "send"), h.channel.made(alice, "send")...) {
			named = append(named, c.to.ReplyTo)
		}
		h.same("named", named, []string{"in-key-1", "", "", "", "", ""})
	})
}

// TestNotice_RepliesToItsMessage checks that a notice of the service replies to its message in
// private chats, too, because several messages may wait there.
func TestNotice_RepliesToItsMessage(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		in := supervisor.Inbound{Conversation: h.conversation("alice", alice), Kind: supervisor.KindText, Key: "k", Message: "17", Text: "x"}
		receipt, err := h.db.Inbox().StoreBatch(h.Context(), supervisor.InboundBatch{Source: "s",
			Items: []supervisor.BatchItem{{Inbound: in, Answer: "That was not taken."}}})
		if err != nil {
			h.Fatal(err)
		}
		h.feeds.NotifyDelivery(receipt.Queued[0])
		pass(10 * time.Second)
		h.same("named", h.channel.made(alice, "send")[0].to.ReplyTo, "17")
	})
}

func TestReplies_SeveralInOneGroup_Grow(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		ann, bob := h.begin(h.conversation("ann", club)), h.begin(h.conversation("bob", club))
		for range 20 {
			ann.say("a")
			bob.say("b")
			pass(time.Second)
		}
		h.same("queues", h.box.Status().Chats, []string{club})
		ann.finish()
		bob.finish()
		pass(10 * time.Second)
		h.same("chat", h.channel.texts(club), []string{ann.said, bob.said})
		calls := h.channel.made(club, "send", "edit")
		for i := 1; i < len(calls)-2; i++ {
			if gap := calls[i].at.Sub(calls[i-1].at); gap < 3*time.Second {
				t.Errorf("steps %v apart", gap)
			}
		}
	})
}

func TestOutbox_OtherChannels_AreIgnored(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		c, err := h.db.Conversations().FindOrCreate(h.Context(), "alice", supervisor.ChannelTerminal, "", "")
		must(h, c, err)
		for range 3 {
			h.notice(c, "to the terminal")
			pass(time.Second)
		}
		h.feeds.NotifyDelivery(999) // this conversation does not exist
		pass(time.Second)
		h.same("calls", len(h.channel.made("*", "send", "typing")), 0)
		h.same("queues", h.box.Status(), outbox.Status{Frozen: map[string]time.Time{}})
	})
}

// TestJobReply_DoesNotGrow checks that a job's reply is not shown as it grows, because the job may
// end without a message.
func TestJobReply_DoesNotGrow(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		turn := h.beginJob("1")
		turn.say("Good morning")
		pass(3 * time.Second)
		h.same("growing", len(h.channel.texts(alice)), 0)
		turn.finish()
		pass(3 * time.Second)
		h.same("calls", h.channel.verbs(alice), "send")
	})
}

// beginJob begins the turn of a job that answers in alice's chat.
func (h *rig) beginJob(key string) *turn {
	return h.beginWith(supervisor.Inbound{Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelJob, Chat: "7"},
		Destination: h.conversation("alice", alice), Source: "job/7", Key: key, Kind: supervisor.KindJob, Text: "say good morning"})
}

// TestJobMessage_WaitsForGrowingReply checks that a job's message waits for a growing reply in its
// chat, and comes below it. It waits two minutes at most.
func TestJobMessage_WaitsForGrowingReply(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		reply := h.begin(h.conversation("alice", alice))
		reply.say("Once upon")
		pass(3 * time.Second)
		job := h.beginJob("1")
		job.say("It rains.")
		job.finish()
		pass(time.Minute)
		h.same("while it grows", h.channel.texts(alice), []string{"Once upon"})
		h.notice(h.conversation("alice", alice), "Reminder: tea")
		pass(3 * time.Second)
		h.same("what comes at once", h.channel.texts(alice), []string{"Once upon", "Reminder: tea"})
		reply.say(" a time")
		reply.finish()
		pass(3 * time.Second)
		h.same("once it has ended", h.channel.texts(alice), []string{"Once upon a time", "Reminder: tea", "It rains."})

		long := h.begin(h.conversation("alice", alice))
		long.say("And then")
		pass(3 * time.Second)
		again := h.beginJob("2")
		again.say("It still rains.")
		again.finish()
		pass(2*time.Minute - time.Second)
		h.same("for two minutes", len(h.channel.texts(alice)), 4)
		pass(2 * time.Second)
		h.same("after two minutes", h.channel.texts(alice)[4:], []string{"It still rains."})
		long.finish()
		pass(3 * time.Second)
		h.same("waiting", h.waiting(alice), 0)
	})
}

// TestRequestedMessage_ComesBeforeJobMessages checks that a message that a user waits for comes at
// once, even if many job messages wait for a growing reply.
func TestRequestedMessage_ComesBeforeJobMessages(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		reply := h.begin(h.conversation("alice", alice))
		reply.say("Once upon")
		pass(3 * time.Second)
		for i := range 150 {
			job := h.beginJob(fmt.Sprint(i))
			job.say("It rains.")
			job.finish()
		}
		h.notice(h.conversation("alice", alice), "Reminder: tea")
		pass(3 * time.Second)
		h.same("what comes at once", h.channel.texts(alice), []string{"Once upon", "Reminder: tea"})
		reply.finish()
	})
}

// TestReply_GrowsInTheChatOfItsAnswer covers a turn that began in another chat. Its reply grows in
// the chat of its answer, as long as the turn's user is served there.
func TestReply_GrowsInTheChatOfItsAnswer(t *testing.T) {
	inBubble(t, func(h *rig) {
		served := true
		h.live(func(o *outbox.Options) {
			o.Serves = func(c supervisor.Conversation) bool { return served && c.Chat == alice }
		})
		job := supervisor.Inbound{Conversation: supervisor.Conversation{User: "alice", Channel: "mcp", Chat: "7"},
			Destination: h.conversation("alice", alice), Source: "mcp/7", Key: "1", Kind: supervisor.KindMCP, Text: "say good morning"}
		turn := h.beginWith(job)
		turn.say("Good")
		pass(3 * time.Second)
		h.same("growing", h.channel.texts(alice), []string{"Good"})
		turn.say(" morning")
		pass(3 * time.Second)
		h.same("grown", h.channel.texts(alice), []string{"Good morning"})
		turn.finish()
		pass(3 * time.Second)
		h.same("calls", h.channel.verbs(alice), "send edit")
		h.same("waiting", h.waiting(alice), 0)

		job.Key, served = "2", false
		turn = h.beginWith(job)
		turn.say("Nobody is here")
		pass(3 * time.Second)
		h.same("to nobody", h.channel.texts(alice), []string{"Good morning"})
	})
}
