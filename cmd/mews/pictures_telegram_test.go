package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/telegram/telegramtest"
)

// recogniserConfig uses a program instead of speech recognition, so that the picture needs no
// speech model.
const recogniserConfig = "speech: {in: {engine: command, command: " +
	"[/bin/sh, -c, 'echo \"take a note: buy oat milk\"', '{wav}']}}\n"

// telegramChat lets Ann talk with a real Mews over a fake Telegram, and returns the messages of the
// chat. Answers are shown only when they are complete.
func telegramChat(t *testing.T) []telegramtest.Message {
	t.Helper()
	voice := telegramtest.File{Name: "voice.ogg", Content: recording(t)}
	server := telegramtest.New(t, telegramtest.Options{Token: "123456789:" + strings.Repeat("A", 35), Strict: true})
	h := apptest.NewService(t, "", "ann")
	h.AppendConfig(apptest.TelegramConfig(server, "rate: {chat: 30, all: 100}") +
		recogniserConfig + "chat: {stream: final}\n")
	h.Start()
	ann := telegramtest.User{ID: apptest.FirstTelegramID, First: "Ann"}
	chat := telegramtest.PrivateChat(ann)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%+v\n%s", server.Messages(chat.ID), server.DumpState())
		}
	})
	last := func() telegramtest.Message {
		messages := server.Messages(chat.ID)
		return messages[len(messages)-1]
	}
	answered := func(text string) {
		h.WaitUntilTrue(apptest.DefaultTestTimeout, text, func() bool {
			m := last()
			return m.FromBot && strings.Contains(m.Text, text) &&
				h.QueryCount("SELECT count(*) FROM outbox WHERE delivered_at IS NULL") == 0
		})
	}
	server.Say(chat, ann, "", telegramtest.WithVoice(voice, 4*time.Second))
	answered("notes.md was created")
	server.Say(chat, ann, "/remind tomorrow at 9: call the plumber")
	answered("call the plumber")
	server.Say(chat, ann, "/undo")
	answered("As it was before")
	server.Say(chat, ann, "ask me which tea: oolong, sencha or rooibos")
	answered("Which tea?")
	return server.Messages(chat.ID)
}

// recording makes a voice message of four seconds.
func recording(t *testing.T) []byte {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg makes the recording")
	}
	path := filepath.Join(t.TempDir(), "voice.ogg")
	out, err := exec.Command("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=f=300:d=4", "-c:a", "libopus",
		path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
