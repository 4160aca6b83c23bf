package session

import (
	"context"
	"errors"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/modelcall"
	"mews/supervisor/reply"
	"mews/supervisor/sqlite"
)

// Runner runs attempts in workers. Run waits for a worker. When it returns, nothing of the attempt
// is running.
//
// A nil error means that the worker reported an end, and CheckEnd accepted it. If that end is
// TurnEndError, Failure is the cause. If CheckEnd refuses the end, Run kills the worker and returns
// CheckEnd's error. A *NoWorkerError means that no worker is available for a while. Any other error
// means that the worker died, unless ctx has ended.
type Runner interface {
	Run(ctx context.Context, a Attempt) (AttemptEnd, error)
}

// Attempt is one try at a turn, with one worker.
type Attempt struct {
	Turn   supervisor.Turn
	First  int64 // the first message that the turn must answer
	Start  protocol.TurnStart
	Stream *reply.Stream
	// checks the end that a worker reports; an invalid end is audited
	CheckEnd func(protocol.TurnEnd) error
	// CommitLast commits a step without further calls. If no message waits, the turn ends with the
	// step. Later reports of the worker then do not change the turn.
	CommitLast func(ctx context.Context, step sqlite.Step, text string,
		replaced *modelcall.ReplacedModel) (message int64, ended bool, err error)
}

// AttemptEnd is the end of an attempt.
type AttemptEnd struct {
	protocol.TurnEnd
	Failure error // error of the last model call, if Why is TurnEndError
	// the model that should have made the last step, if another model made it
	Replaced   *modelcall.ReplacedModel
	AnsweredBy string // the model that answered instead of the model in Replaced
	Tokens     int64  // input and output tokens of the attempt's model calls
	Cost       int64  // known cost of the attempt's model calls, in millionths of a dollar
	// whether an operation or another turn was in the worker at the same time
	Shared bool
	// whether the worker ended because mews-spawner did, which is not the worker's fault
	Lost bool
}

// NoWorkerError means that a user's worker keeps dying or can't be started, and is paused.
type NoWorkerError struct {
	Until time.Time
	Err   error
	Why   string // for the user: why the worker can't be started; "" if it keeps dying
}

func (e *NoWorkerError) Error() string {
	return "no worker before " + e.Until.Format(time.RFC3339) + ": " + e.Err.Error()
}

func (e *NoWorkerError) Unwrap() error { return e.Err }

// why returns the reason of the turn's end: TurnEndRefused if the model declined to answer,
// otherwise the worker's reason.
func (e AttemptEnd) why() protocol.TurnEndReason {
	failed := new(modelcall.Error)
	if e.Why == protocol.TurnEndError && errors.As(e.Failure, &failed) && failed.Class == modelcall.ContentFiltered {
		return protocol.TurnEndRefused
	}
	return e.Why
}
