package attachment

import (
	"fmt"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/history"
	"mews/supervisor/internal/titles"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// partsOf is what a model reads of a file: what its worker has made of it, and why that is not all.
func partsOf(file supervisor.Attachment, got protocol.ReceivedFile) []protocol.Part {
	parts := got.Parts
	switch {
	case got.Failure != "" && got.Path == "":
		parts = append(parts, protocol.Part{Text: fmt.Sprintf(textNotHad, describe(file), got.Failure)})
	case got.Failure != "":
		parts = append(parts, protocol.Part{Text: fmt.Sprintf(textNotRead, describe(file), got.Path, got.Failure)})
	case len(parts) == 0:
		parts = append(parts, protocol.Part{Text: fmt.Sprintf(textKept, describe(file), got.Path)})
	}
	return parts
}

// describe names a file for a model.
func describe(file supervisor.Attachment) string {
	if file.Size == 0 {
		return titles.Attachment(file)
	}
	return titles.Attachment(file) + " of " + amount.Size(file.Size)
}

// What a model reads at once of messages that are taken together, in bytes: half of what the usual
// limits.history (32000 tokens of four bytes) has room for, as long as which a request leaves the
// person's words.
const (
	maxText = 64 << 10
	// of each file: its line stands first, and says where it is. No recording is cut whose text
	// lies in no file
	leastText = 3 << 10
)

// limitText cuts the middle out of texts of messages that are taken together, once those before
// have used up maxText. The words of the messages themselves are no parts, and stay.
func limitText(list []sqlite.Arrived) {
	left := maxText
	for _, a := range list {
		for i, p := range a.Parts {
			a.Parts[i].Text = history.CutText(p.Text, max(left, leastText), textMoreInFile)
			left -= len(a.Parts[i].Text)
		}
	}
}

// limitImages leaves the first protocol.MaxImages pictures of messages that are taken together, and
// says in the place of each other that it is there.
func limitImages(list []sqlite.Arrived) {
	left := protocol.MaxImages
	for _, a := range list {
		for i, p := range a.Parts {
			if p.Image == nil {
				continue
			}
			if left--; left < 0 {
				a.Parts[i] = protocol.Part{Text: modelcall.PictureNote(*p.Image, fmt.Sprintf(textTooManyPictures, protocol.MaxImages))}
			}
		}
	}
}
