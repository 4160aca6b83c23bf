// Package titles has the words for attachments in texts for people, such as "a picture".
package titles

import (
	"cmp"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
)

// Attachment names a file in a sentence: “a photo”, or its kind and name.
func Attachment(a supervisor.Attachment) string {
	what := cmp.Or(attachmentNames[a.Kind], attachmentNames[protocol.AttachmentDocument])
	if a.Name == "" {
		return what
	}
	return fmt.Sprintf(textTitled, what, protocol.FileName(a.Name))
}
