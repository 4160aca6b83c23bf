// Package titles has names of things for texts.
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
