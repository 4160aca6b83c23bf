package protocol

import (
	"errors"
	"time"
)

// OperationKindLog adds an exchange to the log of its day in the home. It takes LogParameters and
// returns LogResult. It does not add the same exchange twice.
const OperationKindLog OperationKind = "log"

// MaxLogTextBytes bounds each text of a logged exchange, in bytes.
const MaxLogTextBytes = 64 << 10

// LogParameters hold a user's messages and the answer of one turn.
type LogParameters struct {
	Turn    int64           `json:"turn"`
	At      time.Time       `json:"at"`      // time at which the user sent the messages
	Channel string          `json:"channel"` // name of the channel, as people read it
	Said    []LoggedMessage `json:"said"`
	Answer  string          `json:"answer"`
	Effects []string        `json:"effects,omitempty"` // effects of the turn, one on each line
}

// LoggedMessage is one message of a user for the daily log.
type LoggedMessage struct {
	Text  string `json:"text"`
	World bool   `json:"world,omitempty"` // the message has words that are not the user's own
}

// LogResult is an empty object.
type LogResult struct{}

// Validate returns an error for parameters without a turn or a time.
func (p LogParameters) Validate() error {
	if p.Turn < 1 || p.At.IsZero() {
		return errors.New("there is no turn, or no time")
	}
	return nil
}
