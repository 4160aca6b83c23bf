package main_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mews/supervisor/telegram/telegramtest"
)

// BenchmarkTelegramPhoto measures how soon the model gets a phone's photo. The time starts when
// Mews requests the photo's bytes, and ends at the model's call.
func BenchmarkTelegramPhoto(b *testing.B) {
	m := newTelegramService(b, 1, fastRate)
	m.Start()
	m.warm(1)
	photo, sent := phonePhoto(b), 0
	b.SetBytes(int64(len(photo)))
	m.timeFile(sent, telegramtest.WithPhoto(telegramtest.File{ID: "warm", Content: photo}))
	var took samples
	for b.Loop() {
		sent++
		took = append(took, m.timeFile(sent, telegramtest.WithPhoto(telegramtest.File{ID: fmt.Sprint("photo-", sent),
			Content: photo})))
		b.StopTimer()
		m.pause()
		b.StartTimer()
	}
	took.report(b, time.Millisecond, "ms-photo-to-model")
}

// BenchmarkTelegramVoiceNote measures how soon the model gets a voice message of 10 s. The time
// starts with the request for the message's bytes. Mews's own share is reported too: the whole time
// without the times of ffmpeg and the recogniser. These two times are measured alone, at the same
// priority.
func BenchmarkTelegramVoiceNote(b *testing.B) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		b.Skip(err)
	}
	note := filepath.Join(b.TempDir(), "note.ogg")
	run := func(args ...string) time.Duration {
		began := time.Now()
		if out, err := exec.CommandContext(b.Context(), "nice", append([]string{"-n", "15"}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("%q: %v: %s", args, err, out)
		}
		return time.Since(began)
	}
	run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=f=300:d=10", "-ar", "48000", "-c:a", "libopus", "-b:a", "32k", note)
	content, err := os.ReadFile(note)
	if err != nil {
		b.Fatal(err)
	}
	m := newTelegramService(b, 1, fastRate)
	m.AppendConfig(`speech: {in: {engine: command, command: [/bin/echo, buy eggs, "{wav}"]}}` + "\n")
	m.Start()
	m.warm(1)
	sent := 0
	send := func() time.Duration {
		sent++
		return m.timeFile(sent, telegramtest.WithVoice(telegramtest.File{ID: fmt.Sprint("voice-", sent),
			Content: content}, 10*time.Second))
	}
	send()
	var all, theirs, ours samples
	for b.Loop() {
		took := send()
		b.StopTimer()
		m.pause()
		alone := run("ffmpeg", "-hide_banner", "-nostdin", "-nostats", "-i", "file:"+note, "-map", "0:a:0", "-af", "silencedetect=noise=-50dB:d=0.3",
			"-ac", "1", "-ar", "16000", "-f", "s16le", "-y", "file:"+note+".pcm") + run("/bin/echo", "buy eggs")
		all, theirs, ours = append(all, took), append(theirs, alone), append(ours, took-alone)
		b.StartTimer()
	}
	all.report(b, time.Millisecond, "ms-voice-to-model")
	theirs.report(b, time.Millisecond, "ms-ffmpeg-and-engine")
	ours.report(b, time.Millisecond, "ms-ours")
}

// BenchmarkTelegramLargeFile compares the supervisor's memory after a file of 50 MB with its memory
// after a file of 5 MB. The files come from a local Bot API server.
func BenchmarkTelegramLargeFile(b *testing.B) {
	for b.Loop() {
		dir := b.TempDir()
		m := newTelegramServiceOf(b, 1, fastRate+", files: "+dir, dir)
		m.Start()
		m.warm(1)
		supervisor := m.ProcessIDs("mews")[0]
		document := func(n int, size int64) float64 {
			m.timeFile(n, telegramtest.WithDocument(telegramtest.File{ID: fmt.Sprint("document-", n), Name: "data.bin",
				Mime:    "application/octet-stream",
				Content: []byte{1, 0, 2}, Size: size}))
			return procField(fmt.Sprintf("/proc/%d/status", supervisor), "VmHWM:")
		}
		small := document(0, 5<<20)
		b.ReportMetric(document(1, 50<<20)-small, "KB-peak-50MB-after-5MB")
		m.Stop()
	}
	b.ReportMetric(0, "ns/op")
}

// phonePhoto returns a JPEG of 2560 x 1920 with as much detail as a phone's photo.
func phonePhoto(b *testing.B) []byte {
	b.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 2560, 1920))
	for y := range 1920 {
		for x := range 2560 {
			noise := uint8((x*7 + y*13 + x*y/31) % 23)
			picture.SetRGBA(x, y, color.RGBA{uint8(x/10) + noise, uint8(y/8) + noise, uint8((x+y)/18) + noise, 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: 85}); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// timeFile sends a file from the first user and returns the time until the model's call. The time
// starts with the request for the file's bytes, or with the message if the server puts files into a
// folder.
func (m *telegramService) timeFile(n int, file telegramtest.MessageOption) time.Duration {
	m.b.Helper()
	m.server.WaitUntil(m.b, "a poll that waits", m.server.IsPolling)
	began := time.Now()
	m.server.Say(telegramtest.PrivateChat(m.people[0]), m.people[0], fmt.Sprint("file ", n), file)
	m.awaitAnswer()
	called := receive(m.b, m.model.calls, m.Service, "the model's end").called
	if downloads := m.server.Calls(telegramtest.DownloadMethod); len(downloads) > 0 {
		began = downloads[len(downloads)-1].At
	}
	return called.Sub(began)
}
