package app

import (
	"context"
	"errors"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/session"
)

// reading runs attempts at turns for which a worker of its own reads a material. work does what
// comes of that, and says what the turn ends with.
type reading[R ~func(context.Context, protocol.ReviewMaterial) (protocol.ReviewReport, error)] struct {
	*service
	work func(ctx context.Context, turn supervisor.Turn, read R) (card string, err error)
}

// Run is a session.Runner's.
func (s reading[R]) Run(ctx context.Context, a session.Attempt) (session.End, error) {
	card, err := s.work(ctx, a.Turn, func(ctx context.Context, m protocol.ReviewMaterial) (r protocol.ReviewReport, err error) {
		material, err := keepMaterial(s.spool, m)
		if err != nil {
			return r, err
		}
		end, err := s.oneShots().Run(ctx, a, material, func(_ context.Context, reported protocol.ReviewReport) error {
			r = reported
			return nil
		})
		if err == nil && end.Why != protocol.WhyDone {
			err = supervisor.Errorf(supervisor.CodeModel, textReadTooLong)
		}
		return r, err
	})
	switch {
	case errors.Is(err, supervisor.ErrWaits):
		return session.End{TurnEnd: protocol.TurnEnd{Why: protocol.WhyWaits}}, nil
	case err != nil:
		return session.End{}, err
	}
	return endWithCard(ctx, s.db.Turns(), a, card)
}
