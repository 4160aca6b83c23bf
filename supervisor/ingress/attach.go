package ingress

import (
	"fmt"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/titles"
)

// attach adds a message's files to its item. Commands and codes have no files. A file that is too
// large is reported at once. The message's words still get a turn; without words there is no turn.
func (h *UpdateHandler) attach(item *supervisor.BatchItem, in supervisor.Incoming) {
	switch {
	case isCode(in.Text):
		return
	case isCommand(in):
		for _, file := range in.Attachments {
			item.Notice = fmt.Sprintf(textFileLeftOut, titles.AttachmentTitle(file))
		}
		return
	case in.Forwarded:
		item.Inbound.Group = supervisor.InboundGroupForwarded
	}
	for _, file := range in.Attachments {
		if file.Size > h.o.LargestFile {
			largest := amount.BinarySize(h.o.LargestFile)
			file.Failure = fmt.Sprintf(textNotFetched, largest)
			item.Notice = fmt.Sprintf(textTooLarge, titles.AttachmentTitle(file), amount.BinarySize(file.Size), largest)
		}
		item.Attachments = append(item.Attachments, file)
	}
	if item.Notice != "" && strings.TrimSpace(in.Text) == "" {
		item.Inbound.Text, item.Unread, item.Attachments = titles.AttachmentTitle(in.Attachments[0]), true, nil
		item.Answer, item.Notice = item.Notice, ""
	}
}
