package protocol

import (
	"errors"
	"time"
)

// OperationLog adds an exchange to the log of its day in the home: LogParameters to LogResult. One
// that is there already is not added again.
const OperationLog OperationKind = "log"

// MaxLogWords is how many bytes of each of an exchange's texts are logged.
const MaxLogWords = 64 << 10

// LogParameters are what a person sent and was answered in a turn.
type LogParameters struct {
	Turn    int64     `json:"turn"`
	At      time.Time `json:"at"`      // when it was sent
	Channel string    `json:"channel"` // as people call it
	Said    []LogSaid `json:"said"`
	Answer  string    `json:"answer"`
	Effects []string  `json:"effects,omitempty"` // what was done, a line each
}

// LogSaid is a message that was sent.
type LogSaid struct {
	Text  string `json:"text"`
	World bool   `json:"world,omitempty"` // some of it is somebody else's
}

// LogResult is an empty object.
type LogResult struct{}

// Check refuses what names no turn or no time.
func (p LogParameters) Check() error {
	if p.Turn < 1 || p.At.IsZero() {
		return errors.New("there is no turn, or no time")
	}
	return nil
}
