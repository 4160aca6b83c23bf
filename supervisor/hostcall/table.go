package hostcall

import (
	"context"
	"fmt"

	"mews/protocol"
)

// row is what the table says of one thing that a worker may send in a turn. There is nothing yet that it may send when
// it has none: every row's phase is "in turn", and the turn is one that this very connection was given.
type row struct {
	limit  int  // how often in one turn
	serial bool // one at a time in a turn
	turn   func(*protocol.Request) (int64, any, error)
	run    func(ctx context.Context, d *Conn, t *turn, params any) (any, error)
	// immediate takes a notification on the reader's goroutine, so it must not block. Its error is an offence.
	immediate func(d *Conn, t *turn, params any) error
}

// The limits are far above what an honest turn needs (50 steps of a few calls each) and far below what would hurt. Model
// calls have a limit of their own in Turn.Limits, of at most 1,000 steps; each may be asked for twice, by hash and whole.
const (
	maxModelCalls = 2_000
	maxCommits    = 20_000
	maxEvents     = 10_000
	maxBlobs      = 1_000
	maxBlobWrites = 16_384 // of 64 KiB: 1 GiB
	maxBlobReads  = 16_384
)

var calls = map[string]row{
	protocol.MethodModelStream: call(maxModelCalls, streamModel,
		func(p *protocol.ModelStream) int64 { return p.Turn }).serialCall(),
	protocol.MethodStepCommit: call(maxCommits, commitStep, func(p *protocol.StepCommit) int64 { return p.Turn }),
	protocol.MethodBlobBegin:  call(maxBlobs, beginBlob, func(p *protocol.BlobBegin) int64 { return p.Turn }),
	protocol.MethodBlobWrite:  call(maxBlobWrites, writeBlob, func(p *protocol.BlobWrite) int64 { return p.Turn }),
	protocol.MethodBlobCommit: call(maxBlobs, commitBlob, func(p *protocol.BlobCommit) int64 { return p.Turn }),
	protocol.MethodBlobRead:   call(maxBlobReads, readBlob, func(p *protocol.BlobRead) int64 { return p.Turn }),
	protocol.MethodChatSend: call(protocol.MaxFiles, sendFile,
		func(p *protocol.ChatSend) int64 { return p.Turn }).serialCall(),
}

var notes = map[string]row{
	protocol.MethodTurnEvent: note(maxEvents, showEvent, func(p *protocol.TurnEvent) int64 { return p.Turn }),
}

// call makes a row of a typed function.
func call[P any](limit int, run func(context.Context, *Conn, *turn, *P) (any, error), turnOf func(*P) int64) row {
	return row{
		limit: limit,
		turn:  decode(turnOf),
		run: func(ctx context.Context, d *Conn, t *turn, params any) (any, error) {
			return run(ctx, d, t, params.(*P))
		},
	}
}

// note makes a row of a typed function that takes a notification.
func note[P any](limit int, take func(*Conn, *turn, *P) error, turnOf func(*P) int64) row {
	return row{
		limit:     limit,
		turn:      decode(turnOf),
		immediate: func(d *Conn, t *turn, params any) error { return take(d, t, params.(*P)) },
	}
}

func (r row) serialCall() row {
	r.serial = true
	return r
}

// decode reads the parameters, and which turn they are about.
func decode[P any](turnOf func(*P) int64) func(*protocol.Request) (int64, any, error) {
	return func(req *protocol.Request) (int64, any, error) {
		params := new(P)
		if err := req.Decode(params); err != nil {
			return 0, nil, fmt.Errorf("parameters of %s: %w", req.Method, err)
		}
		return turnOf(params), params, nil
	}
}
