package supervisor

import (
	"time"

	"mews/protocol"
)

// SaidMessage is what a person said, or was answered.
type SaidMessage struct {
	protocol.Message
	Origin Origin
	At     time.Time
	Size   int64 // in bytes, as it is kept
}
