package disk

import (
	"fmt"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
)

// keepBallast frees the ballast if the disk of the state folder is full. After the disk has had
// room for some time, keepBallast makes the ballast again.
func (g *Guard) keepBallast(r *reading) {
	now := g.Now()
	switch size := ballastSize(r.Space); {
	case r.IsFull():
		g.roomSince = time.Time{}
		g.freeBallast(r)
	case r.Free-size < protocol.DiskReserve(r.Total) || r.lacksFiles():
		g.roomSince = time.Time{}
	case g.roomSince.IsZero():
		g.roomSince = now
	case now.Sub(g.roomSince) >= roomFor:
		g.roomSince = now
		if g.ballast.IsWhole(r.Space) {
			return
		}
		if err := g.ballast.Make(r.Space); err != nil {
			g.Log.Warn("the ballast could not be made", "error", err)
		}
	}
}

// freeBallast frees the ballast, and tells the admins how much room is left.
func (g *Guard) freeBallast(r *reading) {
	freed, err := g.ballast.Free()
	if err != nil {
		g.Log.Error("free the ballast", "error", err)
	}
	if freed {
		g.tell("freed", r, fmt.Sprintf(textFreed, r.path, r.Space, amount.BinarySize(ballastSize(r.Space))))
	} else if r.isExhausted() {
		g.tell("full", r, fmt.Sprintf(textFull, r.path, r.Space))
	}
}

// BallastIn returns the ballast in a folder that only the supervisor may read.
func BallastIn(folder string) Ballast { return Ballast{Dir: folder + "/ballast"} }

// FreeBallastForStart frees the ballast if the disk is full, so that a service can start. It
// returns the room after that.
func FreeBallastForStart(folder string) (Space, error) {
	s, err := SpaceOf(folder)
	if err != nil || !s.IsFull() {
		return s, err
	}
	if _, err := BallastIn(folder).Free(); err != nil {
		return s, fmt.Errorf("free the ballast: %w", err)
	}
	return SpaceOf(folder)
}
