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

// partsOf describes a file for a model: its text or pictures, and the missing parts.
func partsOf(file supervisor.Attachment, got protocol.ReceivedFile) []protocol.ContentPart {
	parts := got.Parts
	switch {
	case got.Failure != "" && got.Path == "":
		parts = append(parts, protocol.ContentPart{Text: fmt.Sprintf(textNotHad, describe(file), got.Failure)})
	case got.Failure != "":
		parts = append(parts, protocol.ContentPart{Text: fmt.Sprintf(textNotRead, describe(file), got.Path,
			got.Failure)})
	case len(parts) == 0:
		parts = append(parts, protocol.ContentPart{Text: fmt.Sprintf(textKept, describe(file), got.Path)})
	}
	return parts
}

// describe names a file for a model.
func describe(file supervisor.Attachment) string {
	if file.Size == 0 {
		return titles.AttachmentTitle(file)
	}
	return titles.AttachmentTitle(file) + " of " + amount.BinarySize(file.Size)
}

// Limits of the text of files in messages that one turn takes together, in bytes. They leave half
// of the usual limits.history (32000 tokens of four bytes) for the user's own words.
const (
	maxText = 64 << 10
	// minTextPerFile is how many bytes of each file are kept, so that the first line, with the
	// path, stays. A recording without a file for its text is never cut.
	minTextPerFile = 3 << 10
)

// limitText cuts texts in the middle once the texts before them have used up maxText. The words of
// the messages themselves are not cut.
func limitText(list []sqlite.ArrivalResult) {
	left := maxText
	for _, a := range list {
		for i, p := range a.Parts {
			a.Parts[i].Text = history.CutText(p.Text, max(left, minTextPerFile), textMoreInFile)
			left -= len(a.Parts[i].Text)
		}
	}
}

// limitImages keeps the first protocol.MaxResultImages pictures of messages that one turn takes
// together. It replaces each further picture by a note.
func limitImages(list []sqlite.ArrivalResult) {
	left := protocol.MaxResultImages
	for _, a := range list {
		for i, p := range a.Parts {
			if p.Image == nil {
				continue
			}
			if left--; left < 0 {
				a.Parts[i] = protocol.ContentPart{Text: modelcall.PictureNote(*p.Image, fmt.Sprintf(textTooManyPictures,
					protocol.MaxResultImages))}
			}
		}
	}
}
