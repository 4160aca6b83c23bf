package outbox

import "mews/supervisor"

const (
	// repeatMark stands before what may have been sent before.
	repeatMark = "↻ May be a repeat:\n"

	textEmpty = "(The answer was empty.)"
	// textApology ends the delivery after one that may not have arrived.
	textApology = "(An earlier message of mine may not have reached you; /resend sends it again.)"
	// textWhole stands below the file of an answer whose beginning stands above it.
	textWhole = "The whole answer, which is too long for a few messages."
	// TextNotKept stands for what a delivery said that is deleted from its chat.
	TextNotKept  = "(This was for a moment, and is not kept.)"
	textFileLost = "(The file %s could not be sent: %s)"

	// Why a delivery did not arrive for certain.
	textNoRecipient     = "nobody here any more"
	textPartRefused     = "the channel has refused a part of it"
	textNotAcknowledged = "the channel has not said whether it took it"
	textUnreachable     = "could not be reached for 24 h: "
	textOthersTaken     = "the channel took others, and not this one: "

	// What does not go in a chat.
	textStoreFailed = "the store failed: "
	textAlarm       = "Since %s nothing could be sent to any chat of %s: %s. Messages are kept, and sending is tried again for " +
		"a day."
	textRecovered = "Messages can be sent to %s again, after %s."
)

// resultTexts say what a failed call has come to, before what the channel says of it.
var resultTexts = map[supervisor.SendResult]string{
	supervisor.ResultUnsent:  "it was not taken",
	supervisor.ResultUnknown: "it is not known whether it was taken",
}
