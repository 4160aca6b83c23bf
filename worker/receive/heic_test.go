package receive_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/program"
	"mews/worker/receive"
	"mews/worker/tool/images"
)

// fixedFFmpeg is an ffmpeg that returns this picture.
type fixedFFmpeg []byte

func (r fixedFFmpeg) Run(_ context.Context, p program.Program) error {
	_, err := p.Stdout.Write(r)
	return err
}

// TestHEIC_OnlyOneTileDecoded_Fails: one tile of a picture must not be shown as the picture.
func TestHEIC_OnlyOneTileDecoded_Fails(t *testing.T) {
	h := newHome(t, "")
	ispe := "ispe\x00\x00\x00\x00"
	heic := []byte("\x00\x00\x00\x18ftypheic\x00\x00" + ispe + "\x00\x00\x02\x00\x00\x00\x02\x00" + ispe + "\x00\x00\x0f\xc0\x00\x00\x0b\xd0")
	for name, c := range map[string]struct {
		read     []byte
		pictures int
		failure  string
	}{
		"all of it": {photo(t, 1568, 1176), 1, ""},
		"upright":   {photo(t, 1176, 1568), 1, ""},
		"one tile":  {photo(t, 512, 512), 0, "can't be opened"},
	} {
		result, err := receive.Run(t.Context(), protocol.ReceiveParameters{SentAt: sentAt, Files: []protocol.ArrivedFile{
			h.file(protocol.AttachmentDocument, "IMG_1.HEIC", heic),
		}}, receive.Options{Home: h.ws, Zone: time.UTC, Blobs: h.blobs, Programs: fixedFFmpeg(c.read),
			Pictures: images.New(h.ws, images.Convert), Temp: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Files[0]; pictures(got) != c.pictures || !strings.Contains(got.Failure, c.failure) || c.failure == "" && got.Failure != "" {
			t.Errorf("%s: %d pictures, %q", name, pictures(got), got.Failure)
		}
	}
}
