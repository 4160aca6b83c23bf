package supervisor

import (
	"fmt"

	"mews/protocol"
)

// Title names a file in a sentence: “a photo”, or what sort of file it is and its name.
func (a Attachment) Title() string {
	if a.Name == "" {
		return attachmentNames[a.Kind]
	}
	return fmt.Sprintf(textTitled, attachmentNames[a.Kind], protocol.FileName(a.Name))
}
