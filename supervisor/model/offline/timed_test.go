package offline

import (
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/modelcall"
)

// TestClock_ReadsStampOfMessage checks that the answer is the time in the message's stamp.
func TestClock_ReadsStampOfMessage(t *testing.T) {
	at := time.Date(2026, 11, 29, 10, 2, 0, 0, time.FixedZone("", 3600))
	sent := supervisor.SentMessageInfo{At: at,
		Conversation: supervisor.Conversation{Channel: supervisor.ChannelTerminal}}
	for stamp, want := range map[string]string{
		history.FormatStamp(sent): "It is 10:02 on Sunday, 29 November 2026.",
		"":                        textNoClock,
		"[yesterday, Terminal]":   textNoClock,
	} {
		m := protocol.NewUserMessage("what time is it?")
		m.Stamp = stamp
		if got := answer(modelcall.Request{Messages: []protocol.Message{m}}).Text(); got != want {
			t.Errorf("%q: said %q, want %q", stamp, got, want)
		}
	}
}

// TestReminder_ClosedTool_IsOpenedFirst covers tools that find_tools has to open.
func TestReminder_ClosedTool_IsOpenedFirst(t *testing.T) {
	c := newChat(t, map[string]protocol.ToolResult{toolSchedule: ok("Reminder 1 is set: tomorrow at 9. Next: Mon 30 " +
		"Nov. " +
		"They see a card of it. It waits for them to tap Start on the card: it is odd.")})
	c.extraCalls = 1
	c.tools = offer(append(toolNames, toolFind)...)
	c.add(protocol.NewUserMessage("remind me tomorrow at 9 to call Ann"))
	for range 2 {
		m := answer(modelcall.Request{Tools: c.tools, Messages: c.history})
		c.add(m)
		c.run(m.ToolCalls())
		c.tools = offer(append(toolNames, toolFind, toolSchedule)...)
	}
	c.wantCalls(`find_tools {"words":"schedule_task"}`,
		`schedule_task {"kind":"reminder","text":"call Ann","when":"tomorrow at 9"}`)
	got := answer(modelcall.Request{Tools: c.tools, Messages: c.history}).Text()
	if want := "Done: Reminder 1 is set: tomorrow at 9. Next: Mon 30 Nov. " + textPressStart; got != want {
		t.Errorf("said %q, want %q", got, want)
	}

	shut := newChat(t, nil)
	shut.tools = offer(toolFind)
	shut.extraCalls = 1
	if got := shut.say("remind me tomorrow at 9 to call Ann"); got != textNoReminders {
		t.Errorf("without the tool: %q", got)
	}
}

// TestUnknownMessage_Repeated_GetsOtherAnswer sends two unknown messages. Their answers differ.
func TestUnknownMessage_Repeated_GetsOtherAnswer(t *testing.T) {
	c := newChat(t, nil)
	told := map[string]bool{}
	for i, message := range []string{"asdf", "Why is the sky blue?", "asdf", "who are you?", "tell me more", "hm",
		"asdf"} {
		got := c.say(message)
		if told[got] {
			t.Errorf("%q was answered as before: %q", message, got)
		}
		if i > 0 && strings.Contains(got, textConnect) {
			t.Errorf("%q: how to connect was told twice", message)
		}
		told[got] = true
	}
}
