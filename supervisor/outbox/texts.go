package outbox

import "mews/supervisor"

const (
	// repeatMark begins a message that may have been sent before.
	repeatMark = "↻ May be a repeat:\n"

	textEmpty = "(The answer was empty.)"
	// textApology ends the first delivery after a delivery that may not have arrived.
	textApology = "(An earlier message of mine may not have reached you; /resend sends it again.)"
	// textWhole is the caption of the file with a whole answer.
	textWhole = "The whole answer. It is too long for a few messages."
	// TextDeletedMessage replaces the text of a delivery that is deleted from its chat.
	TextDeletedMessage = "(This message was temporary and has been deleted.)"
	// TextNoAccess is the reason why a delivery failed: its user was shut out.
	TextNoAccess = "the user no longer has access"
	textFileLost = "(The file %s could not be sent: %s)"

	// Reasons why a delivery failed or may not have arrived.
	textPartRefused     = "the channel refused a part of the message"
	textNotAcknowledged = "the channel did not confirm the message"
	textUnreachable     = "the chat could not be reached for 24 h: "
	textOthersTaken     = "the channel took other messages but not this one: "

	// Messages about trouble with the channel or the store.
	textStoreFailed = "the store failed: "
	textAlarm       = "Since %s no message could be sent to %s: %s. Mews keeps the messages and tries again for a day."
	textRecovered   = "Messages to %s can be sent again, after %s of failures."
)

// resultTexts describe the result of a failed call. The channel's own words follow.
var resultTexts = map[supervisor.SendResult]string{
	supervisor.SendResultUnsent:  "the channel did not take the message",
	supervisor.SendResultUnknown: "Mews does not know whether the channel took the message",
}
