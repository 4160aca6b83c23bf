package transcription_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/supervisor"
)

// A long recording shows its progress after 5 s, and then every 5 s if it has changed; in a group,
// every 15 s.
func TestTranscribe_LongRecording_ShowsProgress(t *testing.T) {
	for name, test := range map[string]struct {
		chat  string
		takes time.Duration
		want  []string
	}{
		"short recording": {"1001", 4 * time.Second, nil},
		"long recording": {"1001", 24 * time.Second,
			[]string{"Transcribed: 0:00 of 12:00.", "Transcribed: 2:00 of 12:00.", "Transcribed: 4:00 of 12:00."}},
		"long recording in a group": {"-5", 24 * time.Second, []string{"Transcribed: 0:00 of 12:00.", "Transcribed: 4:00 of 12:00."}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(true)
				r.setResult(protocol.TranscribeResult{Text: "Buy milk.", Seconds: 720})
				r.wait = func() {
					for end := time.Now().Add(test.takes); time.Now().Before(end); {
						r.seconds.Store(int64((test.takes-time.Until(end))/(8*time.Second)) * 120)
						time.Sleep(time.Second - time.Millisecond)
						synctest.Wait()
					}
				}
				recording := voice()
				recording.Seconds, recording.Conversation.Chat, recording.Conversation.Channel = 720, test.chat, supervisor.ChannelTelegram
				r.Transcribe(t.Context(), recording)
				var got []string
				for _, d := range r.shown {
					got = append(got, d.Text)
					if d.Inbound != 5 || d.DeleteAfter == 0 {
						t.Errorf("shown %+v", d)
					}
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("shown %q, want %q", got, test.want)
				}
			})
		})
	}
}
