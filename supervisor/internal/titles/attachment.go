// Package titles has the few words by which people call things.
package titles

import (
	"cmp"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
)

// Attachment names a file in a sentence: “a photo”, or what sort of file it is and its name.
func Attachment(a supervisor.Attachment) string {
	what := cmp.Or(attachmentNames[a.Kind], attachmentNames[protocol.AttachmentDocument])
	if a.Name == "" {
		return what
	}
	return fmt.Sprintf(textTitled, what, protocol.FileName(a.Name))
}
