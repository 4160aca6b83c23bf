package main_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// chatFile is a file of a message. All files have different bytes.
type chatFile struct {
	kind    string // document, photo or voice
	content []byte
}

// addFiles adds files to three of ten messages: documents, photos, voices and albums of photos. The
// message's last command names the number of files.
func addFiles(rng *rand.Rand, name string, i int, text string) chatMessage {
	kinds, filed := map[int][]string{0: {"document"}, 1: {"photo", "photo", "photo"}, 2: {[]string{"photo", "voice"}[rng.IntN(2)]}}[rng.IntN(10)]
	if !filed {
		return chatMessage{text: text}
	}
	m := chatMessage{text: fmt.Sprintf("say #%d\nsay with %d times a %s of %s.", i, len(kinds), kinds[0], name)}
	for at, kind := range kinds {
		unique := fmt.Sprintf("%s of %s, message %d, %d.", kind, name, i, at)
		m.files = append(m.files, chatFile{kind, append(fileHead(kind), unique...)})
	}
	return m
}

// recogniserConfig configures a recogniser that transcribes every recording as heardWords.
const (
	heardWords       = "these words were spoken"
	recogniserConfig = `speech: {in: {engine: command, command: [/bin/echo, "` + heardWords + `", "{wav}"], echo: false}}` + "\n"
)

// fileHead returns the first bytes of a file of a kind.
func fileHead(kind string) []byte {
	var b bytes.Buffer
	switch kind {
	case "photo":
		_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 6))) // encoding into a buffer never fails
	case "voice": // half a second of a loud tone, long enough to be transcribed
		const rate, samples = 16000, 8000
		b.WriteString("RIFF")
		_ = binary.Write(&b, binary.LittleEndian, uint32(36+2*samples))
		b.WriteString("WAVEfmt ")
		for _, v := range []any{uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2 * rate), uint16(2), uint16(16)} {
			_ = binary.Write(&b, binary.LittleEndian, v)
		}
		b.WriteString("data")
		_ = binary.Write(&b, binary.LittleEndian, uint32(2*samples))
		for i := range samples {
			_ = binary.Write(&b, binary.LittleEndian, int16(20000*(i/20%2)-10000))
		}
	}
	return b.Bytes()
}

// telegramField returns the file as a Telegram message has it.
func (f chatFile) telegramField(id string) telegramtest.MessageOption {
	file := telegramtest.File{ID: id, Content: f.content}
	switch f.kind {
	case "photo":
		return telegramtest.WithPhoto(file)
	case "voice":
		return telegramtest.WithVoice(file, 3*time.Second)
	}
	file.Name, file.Mime = "note.txt", "text/plain"
	return telegramtest.WithDocument(file)
}

var fileMessagePattern = regexp.MustCompile(`say #(\d+)\nsay with (\d+) times a (\w+) of (\w+)\.`)

// checkFilesFirst is a model that answers messages with files. It fails unless all of a message's
// files have come, and expects one request for an album. The model next answers messages without
// files.
func checkFilesFirst(next modeltest.Script) modeltest.Script {
	return func(q modeltest.Request) modeltest.Answer {
		asked, at := "", len(q.Messages)
		for at > 0 && q.Messages[at-1].Role == "user" {
			at--
			asked = q.Messages[at].Content + asked
		}
		all := fileMessagePattern.FindAllStringSubmatch(asked, -1)
		if all == nil || q.Messages[len(q.Messages)-1].Role != "user" {
			return next(q)
		}
		m := all[len(all)-1]
		asked = asked[strings.LastIndex(asked, m[0]):]
		shown := map[string]string{"document": fmt.Sprintf("document of %s, message %s, 0.", m[4], m[1]), "photo": "a PNG image", "voice": "] " + heardWords}[m[3]]
		if files, err := strconv.Atoi(m[2]); err != nil || strings.Count(asked, shown) != files {
			return modeltest.Answer{Text: fmt.Sprintf("failed: with message %s of %s there are not %s times a %s: %s", m[1], m[4], m[2], m[3], asked)}
		}
		return modeltest.Answer{Text: "done: " + m[0]}
	}
}

// checkUploads compares a person's uploads with the files sent: each sent file is there once and
// complete, and there is no other file.
func checkUploads(t *testing.T, name, home string, messages []chatMessage) {
	t.Helper()
	there := map[string]string{}
	err := filepath.WalkDir(filepath.Join(home, "uploads"), func(path string, d fs.DirEntry, err error) error {
		// A killed worker may leave a temporary file. No list shows it, and it is deleted later.
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".mews-") && strings.HasSuffix(d.Name(), ".tmp") {
			return err
		}
		content, err := os.ReadFile(path)
		if before := there[string(content)]; before != "" {
			t.Errorf("%s: %s has the bytes of %s", name, path, before)
		}
		there[string(content)] = path
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	for i, m := range messages {
		for _, f := range m.files {
			if there[string(f.content)] == "" {
				t.Errorf("%s: a %s of message %d is not in uploads/", name, f.kind, i)
			}
			delete(there, string(f.content))
		}
	}
	for content, path := range there {
		t.Errorf("%s: nobody has sent %s: %q", name, path, content)
	}
}
