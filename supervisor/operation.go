package supervisor

import (
	"time"

	"mews/protocol"
)

// Operation is work by a person's worker that is no turn. It is done again after a crash, under the
// same ID.
type Operation struct {
	ID         int64
	User       string
	Kind       protocol.OperationKind
	Parameters string // a JSON object
	// that it is about; 0 for none. There is one operation of a kind for each of its attachments
	Inbound   int64
	Position  int // of the attachment
	State     OperationState
	Deaths    int    // workers that ended in it
	Result    string // of one that is done; of one that failed or is parked, why
	CreatedAt time.Time
	UpdatedAt time.Time // when its state or its Deaths changed
}

// OperationState is how far an operation has come.
type OperationState string

const (
	OperationWaiting OperationState = "waiting" // for a worker
	OperationRunning OperationState = "running"
	OperationDone    OperationState = "done"
	OperationFailed  OperationState = "failed" // its worker says that it can't be done
	OperationParked  OperationState = "parked" // it ended MaxDeaths workers
)

// MaxDeaths is how many workers an operation may end before it is parked.
const MaxDeaths = 3
