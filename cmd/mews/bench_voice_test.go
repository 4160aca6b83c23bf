package main_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// BenchmarkVoice measures how long after an answer's text its voice message reaches the Bot API.
// The answer has 500 characters, the worker is warm, and espeak-ng speaks.
func BenchmarkVoice(b *testing.B) {
	for _, program := range []string{"espeak-ng", "ffmpeg"} {
		if _, err := exec.LookPath(program); err != nil {
			b.Skip(err)
		}
	}
	text := strings.Repeat("This sentence has got exactly fifty characters.   ", 10)
	_, url := modeltest.NewServer(b, func(modeltest.Request) modeltest.Answer { return modeltest.Answer{Text: text} })
	h := apptest.NewService(b, url, "ann")
	texts, voices := make(chan telegramtest.APICall, 8), make(chan telegramtest.APICall, 8)
	server := telegramtest.New(b,
		telegramtest.Options{Token: testToken, Strict: true, OnRequest: func(c telegramtest.APICall) {
			shown, _ := c.Params["text"].(string)
			switch {
			case c.Method == "sendVoice":
				voices <- c
			case shown == strings.TrimSpace(text):
				texts <- c
			}
		}})
	h.AppendConfig(apptest.TelegramConfig(server, fastRate))
	asUnit(b, h.Start)
	ann := telegramtest.User{ID: apptest.FirstTelegramID, First: "ann"}
	server.Say(telegramtest.PrivateChat(ann), ann, "/voice on")
	h.WaitUntilTrue(apptest.DefaultTestTimeout, "the mode to be kept",
		func() bool { return h.QueryCount("SELECT count(*) FROM setting WHERE user <> ''") == 1 })
	said := func() time.Duration {
		server.Say(telegramtest.PrivateChat(ann), ann, "speak")
		text := receive(b, texts, h, "the text").At
		return receive(b, voices, h, "the voice").At.Sub(text)
	}
	said() // the first message starts the worker
	total := time.Duration(0)
	for b.Loop() {
		total += said()
	}
	b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms-after-text")
	b.ReportMetric(0, "ns/op")
	h.Stop()
}
