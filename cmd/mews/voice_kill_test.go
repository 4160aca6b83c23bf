package main_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// voiceKills is the number of kills of the supervisor. Before each kill, both users send a message.
// MEWS_VOICE_KILLS makes the run longer; MEWS_KILL_SEED replays a run.
const voiceKills = 4

// TestVoiceKillRun_SpeaksEachAnswerOnce kills the supervisor at random while two people get voice
// answers, one with the text and one without. The kills fall between the turn's end and the last
// database row. Each answer is sent as voice once, or again with a mark if the first may have
// arrived. The text comes only in the mode with text.
func TestVoiceKillRun_SpeaksEachAnswerOnce(t *testing.T) {
	for _, program := range []string{"espeak-ng", "ffmpeg"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	seed := uint64(apptest.NumberFromEnv(t, "MEWS_KILL_SEED", int(time.Now().UnixNano()>>10)))
	kills := apptest.NumberFromEnv(t, "MEWS_VOICE_KILLS", voiceKills)
	t.Logf("replay with MEWS_KILL_SEED=%d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	_, url := modeltest.NewServer(t, modeltest.EchoScript)
	people := []string{"ann", "ben"}
	modes := map[string]string{"ann": "on", "ben": "only"}
	h := apptest.NewService(t, url, people...)
	server := telegramtest.New(t, telegramtest.Options{Token: testToken, Strict: true})
	h.AppendConfig(apptest.TelegramConfig(server, "rate: {chat: 30, all: 1000}") + apptest.QueueModeConfig)
	h.Start()
	say := func(i int, text string) {
		who := telegramtest.User{ID: apptest.FirstTelegramID + int64(i), First: people[i]}
		server.Say(telegramtest.PrivateChat(who), who, text)
	}
	for i, name := range people {
		say(i, "/voice "+modes[name])
	}
	h.WaitUntilTrue(apptest.DefaultTestTimeout, "both modes to be kept",
		func() bool { return h.QueryCount("SELECT count(*) FROM setting WHERE name LIKE 'voice in %'") == 2 })
	for kill := range kills {
		for i := range people {
			say(i, fmt.Sprintf("message %d", kill))
		}
		// The voice message comes some tenths of a second after the turn's end, depending on the
		// machine. The wait is at most 1.2 s.
		<-time.After(time.Duration(rng.IntN(1200)) * time.Millisecond)
		h.Kill()
		server.RecordClientKill(time.Now())
		h.Start()
	}
	h.WaitUntilTrue(4*time.Minute, "every answer to be said", func() bool {
		return h.QueryCount("SELECT count(*) FROM inbox WHERE kind = 'text' AND state = 'done'") == len(people)*kills &&
			h.QueryCount("SELECT count(*) FROM speech") == 0 &&
			h.QueryCount("SELECT count(*) FROM outbox WHERE delivered_at IS NULL") == 0
	})
	for _, c := range server.Calls("sendVoice") {
		if seconds, err := strconv.Atoi(fmt.Sprint(c.Params["duration"])); err != nil || seconds < 1 || seconds > 10 {
			t.Errorf("a voice is said to take %v seconds", c.Params["duration"])
		}
	}
	for i, name := range people {
		checkVoices(t, server.Messages(apptest.FirstTelegramID+int64(i)), modes[name], kills)
	}
	h.Stop()
	h.CheckIntegrity()
}

// checkVoices checks a chat with the given number of answers, and a kill after each answer.
func checkVoices(t *testing.T, chat []telegramtest.Message, mode string, answers int) {
	t.Helper()
	voices, repeated := 0, 0
	texts := map[string]int{}
	for _, m := range chat {
		switch {
		case !m.FromBot || strings.Contains(m.Text, "voice message"): // skips a user's message or the reply to /voice
		case m.Media == "voice" && strings.HasPrefix(m.Text, apptest.RepeatedMessageMark):
			repeated++
		case m.Media == "voice":
			voices++
		case strings.HasPrefix(m.Text, "echo: "):
			texts[m.Text]++
		case !strings.HasPrefix(m.Text, apptest.RepeatedMessageMark):
			t.Errorf("%s: %q was said", mode, m.Text)
		}
	}
	t.Logf("%s: %d voices, %d repeated, %d texts", mode, voices, repeated, len(texts))
	if voices > answers || voices+repeated < answers || repeated > answers {
		t.Errorf("%s: %d voices and %d repeated for %d answers", mode, voices, repeated, answers)
	}
	if mode == "only" && len(texts) > 0 || mode == "on" && len(texts) > answers {
		t.Errorf("%s: the texts are %v", mode, texts)
	}
	for text, n := range texts {
		if n > 1 {
			t.Errorf("%s: %q came %d times", mode, text, n)
		}
	}
}
