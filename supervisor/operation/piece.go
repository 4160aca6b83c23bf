package operation

import (
	"context"
	"time"

	"mews/protocol"
)

// piecework commits the pieces of a recording during one attempt.
type piecework[H Host] struct {
	*execution[H]
	timer *time.Timer // ends the attempt after its time limit
	end   context.CancelCauseFunc
}

// piece is the function Attempt.Piece. It ends the attempt if a shorter recording goes first.
func (w piecework[H]) piece(ctx context.Context, p protocol.OperationPiece) error {
	if p.Done != nil {
		if err := w.o.Store.PutPiece(ctx, w.ID, p.Piece-1, *p.Done); err != nil {
			return err
		}
	}
	if p.Piece < p.Total && w.slot.IsWanted() {
		w.end(errYielded)
		return errYielded
	}
	w.timer.Reset(pieceTimeout + 3*time.Duration(p.Seconds)*time.Second)
	return nil
}

// progress is the function Attempt.Progress.
func (w piecework[H]) progress(seconds int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secondsDone[w.ID] = seconds
}
