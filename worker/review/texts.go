package review

import (
	"errors"

	"mews/protocol"
)

// Reasons for unread parts and findings. The supervisor shows them to the user.
var (
	errUnreadable   = errors.New("the model's answer could not be read, even when it was asked again")
	errNoSecondLook = errors.New("the model did not say whether the finding is right")
	errTooLong      = errors.New("it is too long for one request")
)

const (
	textNotTwice = "“%s” was not checked a second time: %s"
	textNoTime   = "the time for the review was up"
	textNoReason = "no reason was given"
	textLeftOut  = "%d findings were left out, because the report is full"
)

const maxReason = 500 // most bytes of a reason

// reason explains why something was not read.
func reason(err error) string {
	answer := new(protocol.Error)
	switch {
	case errors.Is(err, errOutOfTime):
		return textNoTime
	case errors.As(err, &answer):
		return clip(answer.Message, maxReason)
	}
	return clip(err.Error(), maxReason)
}
