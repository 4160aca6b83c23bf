package operation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/pool"
)

// EraseReport says which files of a home were deleted.
type EraseReport struct {
	Files   int64
	More    bool     // the time was up before the home was empty; another Erase deletes the rest
	LeftOut []string // a line for each name that could not be deleted
}

// EraseHome lets a worker delete all files of a user's home, and waits for the end. The worker
// stops after some seconds. The user may already be deleted. The home itself stays. The errors are
// for people.
func (o *Operations[H]) EraseHome(ctx context.Context, user string, seconds int) (EraseReport, error) {
	return o.erase(ctx, user, seconds, pool.ProfileHome)
}

// EraseHistory does the work of EraseHome for the file history of a user's home.
func (o *Operations[H]) EraseHistory(ctx context.Context, user string, seconds int) (EraseReport, error) {
	return o.erase(ctx, user, seconds, pool.ProfileHistory)
}

func (o *Operations[H]) erase(ctx context.Context, user string, seconds int, profile pool.WorkerProfile) (
	EraseReport, error) {
	// encoding a number can't fail
	parameters, _ := json.Marshal(protocol.EraseParameters{Seconds: seconds})
	id, raw, err := o.runOnce(ctx, user, profile, protocol.OperationKindErase, string(parameters))
	o.DeleteBlobs(id)
	if err != nil {
		return EraseReport{}, err
	}
	var result protocol.EraseResult
	if err := json.Unmarshal(raw, &result); err != nil {
		return EraseReport{}, fmt.Errorf("read the result of erasing a folder of %s: %w", user, err)
	}
	return EraseReport{result.Files, result.More, leftOutLines(result.LeftOut, result.LeftOutMore)}, nil
}

// runOnce runs an operation in a one-shot worker with a profile, and waits for the end. The
// operation is not stored, because its caller begins again after a crash. The user may already be
// deleted. The caller discards the blobs. An error is for people, unless ctx has ended.
func (o *Operations[H]) runOnce(ctx context.Context, user string, profile pool.WorkerProfile,
	kind protocol.OperationKind,
	parameters string) (id int64, result json.RawMessage, err error) {
	id = firstIndex + o.homes.lastID.Add(1)
	own, done, _ := o.userWork.BeginWork(ctx, user, func() bool { return true })
	defer done()
	t := o.newExecution(supervisor.Operation{ID: id, User: user, Kind: kind, Parameters: parameters})
	if t == nil {
		return id, nil, failure(textUnknown, fmt.Errorf("%s: the parameters can't be read", kind))
	}
	t.kind.profile = profile
	defer t.slot.Release()
	if err := t.slot.Wait(own); err != nil {
		return id, nil, err
	}
	worker, err := t.acquire(own)
	if err == nil {
		result, err = t.work(own, worker)
		worker.Release() // a one-shot worker ends by itself
	}
	if told := new(supervisor.Error); err != nil && own.Err() == nil && !errors.As(err, &told) {
		err = failure(textDied, err)
	}
	if err != nil {
		t.log.Warn("operation failed", "error", err)
	}
	return id, result, err
}
