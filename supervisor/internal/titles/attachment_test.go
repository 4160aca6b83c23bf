package titles_test

import (
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/titles"
)

func TestAttachment_KindAndName_AreInTitle(t *testing.T) {
	for want, a := range map[string]supervisor.Attachment{
		"a photo":               {Kind: protocol.AttachmentPhoto},
		"an audio file “a.mp3”": {Kind: protocol.AttachmentAudio, Name: "a.mp3"},
		"a file":                {Kind: "hologram"},
		"a file “report.pdf”":   {Kind: protocol.AttachmentDocument, Name: "report.pdf"},
	} {
		if got := titles.AttachmentTitle(a); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
