package telegram

import (
	"slices"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/quotes"
)

// recorded are the kinds of files that contain a user's own words.
var recorded = []protocol.AttachmentKind{protocol.AttachmentVoice, protocol.AttachmentVideoNote}

// origin reads whether a part of a message comes from others: forwarded, made by a bot, quoted, or
// in a file.
func (r *updateReader) origin(m fields) {
	_, r.in.Forwarded = m["forward_origin"]
	_, things := thingIn(m)
	attached := slices.ContainsFunc(r.in.Attachments, func(a supervisor.Attachment) bool { return !slices.Contains(recorded, a.Kind) })
	r.in.OwnText = attribution(m) == "" && !things
	if !r.in.OwnText || attached || r.quotesOthers(m) {
		r.in.Origin = supervisor.OriginWorld
	}
}

// quotesOthers reports whether a message quotes a message of others: neither the sender's nor the
// bot's.
func (r *updateReader) quotesOthers(m fields) bool {
	to := repliedTo(m)
	by := field[gotgbot.User](to, "from").Id
	if by == 0 { // the reply is to a message of another chat
		by = field[origin](to, "origin").User.Id
	}
	return quotes.FormatQuote(r.in.Quote) != "" && (attribution(to) != "" || by != r.sender && by != r.self.ID)
}
