// Package titles has the words for attachments in texts for people, such as "a picture".
package titles

import (
	"cmp"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
)

// AttachmentTitle returns the words for a file in a sentence, such as “a photo”. If the file has a
// name, the words are its kind and name.
func AttachmentTitle(a supervisor.Attachment) string {
	what := cmp.Or(attachmentNames[a.Kind], attachmentNames[protocol.AttachmentDocument])
	if a.Name == "" {
		return what
	}
	return fmt.Sprintf(textTitled, what, protocol.SafeFileName(a.Name))
}
