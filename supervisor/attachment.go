package supervisor

import (
	"cmp"
	"fmt"

	"mews/protocol"
)

// Title names a file in a sentence: “a photo”, or what sort of file it is and its name.
func (a Attachment) Title() string {
	what := cmp.Or(attachmentNames[a.Kind], attachmentNames[protocol.AttachmentDocument])
	if a.Name == "" {
		return what
	}
	return fmt.Sprintf(textTitled, what, protocol.FileName(a.Name))
}
