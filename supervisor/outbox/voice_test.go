package outbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/outbox"
	"mews/supervisor/sqlite"
)

var voice = supervisor.File{SHA256: file("", "").SHA256, Size: 7, Name: "voice.ogg",
	MediaType: supervisor.MediaTypeVoice}

// finishSaid ends a turn with a spoken answer, and stores its recordings as deliveries.
func (t *turn) finishSaid(mode supervisor.VoiceMode, recordings int) supervisor.Delivery {
	t.h.Helper()
	d, err := t.h.db.Turns().Finish(t.h.Context(), sqlite.TurnEnding{Turn: t.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered, Text: t.said, Voice: mode})
	must(t.h, d, err)
	t.Close()
	var list []supervisor.File
	for range recordings {
		list = append(list, voice)
	}
	must(t.h, 0, t.h.db.SpokenAnswers().PutRecordings(t.h.Context(), d.ID, list))
	t.h.feeds.NotifyDelivery(d.Conversation.ID)
	return d
}

// TestSpokenAnswer_VoiceFails_TextArrives lists the chat's contents for each result of sending the
// recordings. The text never waits for the recordings, and arrives even if they fail.
func TestSpokenAnswer_VoiceFails_TextArrives(t *testing.T) {
	refuses := func(reason supervisor.SendErrorReason) func(c called) (bool, *supervisor.SendError) {
		return func(c called) (bool, *supervisor.SendError) {
			return c.content.File == nil, map[bool]*supervisor.SendError{true: refused(reason)}[c.content.File != nil]
		}
	}
	lost := func(c called) (bool, *supervisor.SendError) {
		if c.content.File != nil {
			return false, unknown()
		}
		return true, nil
	}
	for name, test := range map[string]struct {
		mode    supervisor.VoiceMode
		script  func(c called) (bool, *supervisor.SendError)
		want    []string
		noVoice string
	}{
		"on":   {supervisor.VoiceOn, nil, []string{"hello", "[voice.ogg] ", "[voice.ogg] "}, ""},
		"only": {supervisor.VoiceOnly, nil, []string{"[voice.ogg] ", "[voice.ogg] "}, ""},
		"on and forbidden": {supervisor.VoiceOn, refuses(supervisor.SendReasonNoVoice), []string{"hello"},
			"alice"},
		"only and forbidden":    {supervisor.VoiceOnly, refuses(supervisor.SendReasonNoVoice), []string{"hello"}, "alice"},
		"on and refused":        {supervisor.VoiceOn, refuses(""), []string{"hello"}, ""},
		"only and refused":      {supervisor.VoiceOnly, refuses(""), []string{"hello"}, ""},
		"only and not answered": {supervisor.VoiceOnly, lost, []string{"hello"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.channel.script = test.script
				noVoice := ""
				h.live(final, func(o *outbox.Options) {
					o.NoVoice = func(_ context.Context, c supervisor.Conversation) error { noVoice += c.User; return nil }
				})
				turn := h.begin(h.conversation("alice", alice))
				turn.say("hello")
				turn.finishSaid(test.mode, 2)
				pass(10 * time.Minute)
				h.same("chat", h.channel.rendered(alice), test.want)
				h.same("waiting", h.waiting(alice), 0)
				h.same("takes no voice", noVoice, test.noVoice)
				h.notice(turn.Conversation, "more")
				pass(time.Minute)
				h.same("what follows tells of nothing lost", h.channel.rendered(alice), append(test.want, "more"))
			})
		})
	}
}

// TestSpokenAnswer_Crash_RepeatIsMarked kills the process after each of its calls of the
// store. The voice must come once, or twice with a mark if the first may have arrived. If no voice
// arrives, the text must.
func TestSpokenAnswer_Crash_RepeatIsMarked(t *testing.T) {
	for _, mode := range []supervisor.VoiceMode{supervisor.VoiceOn, supervisor.VoiceOnly} {
		for _, script := range []string{"well", "refused"} {
			for calls := 1; calls < 15; calls++ {
				t.Run(fmt.Sprintf("%s, %s, after %d", mode, script, calls), func(t *testing.T) {
					inBubble(t, func(h *rig) {
						h.channel.script = func(c called) (bool, *supervisor.SendError) {
							if c.content.File == nil {
								return true, nil
							}
							return endings[script]()
						}
						h.liveAs(&process{left: calls}, final)
						turn := h.begin(h.conversation("alice", alice))
						turn.say("hello")
						turn.finishSaid(mode, 1)
						pass(time.Minute)
						h.live(final)
						pass(30 * time.Minute)
						text, voices, marked := 0, 0, 0
						for _, look := range h.channel.rendered(alice) {
							switch look {
							case "hello", repeatMark + "hello":
								text++
							case "[voice.ogg] ":
								voices++
							case "[voice.ogg] " + repeatMark:
								marked++
							default:
								t.Errorf("the chat shows %q", look)
							}
						}
						wantText := mode == supervisor.VoiceOn || script == "refused"
						if voices+marked > 1+marked || (text > 0) != wantText || (voices+marked > 0) != (script == "well") || h.waiting(alice) != 0 {
							t.Errorf("the chat shows %q, waiting %d", h.channel.rendered(alice), h.waiting(alice))
						}
					})
				})
			}
		}
	}
}

func TestShowRecordingAction_SendsChatAction(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		h.mu.Lock()
		box := h.box
		h.mu.Unlock()
		box.ShowRecordingAction(h.Context(), h.conversation("alice", alice))
		h.same("calls", len(h.channel.made(alice, "record_voice")), 1)
	})
}
