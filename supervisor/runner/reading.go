package runner

import (
	"context"
	"errors"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/session"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
)

// ReadOnlyTurns runs reviews and triages: turns whose worker only reads material.
type ReadOnlyTurns[R ~func(context.Context, protocol.ReviewMaterial) (protocol.ReviewReport, error)] struct {
	OneShotTurns
	Spool *spool.Spool
	Steps sqlite.Turns
	// Work calls read, which runs a worker and returns its report. Work acts on the report, and
	// returns the card that ends the turn.
	Work func(ctx context.Context, turn supervisor.Turn, read R) (card string, err error)
}

// Run runs an attempt: a worker reads the material, and the card of Work ends the turn.
func (s ReadOnlyTurns[R]) Run(ctx context.Context, a session.Attempt) (session.AttemptEnd, error) {
	card, err := s.Work(ctx, a.Turn, func(ctx context.Context, m protocol.ReviewMaterial) (
		r protocol.ReviewReport, err error) {
		material, err := keepMaterial(s.Spool, m)
		if err != nil {
			return r, err
		}
		end, err := s.OneShotTurns.Run(ctx, a, material, func(_ context.Context, reported protocol.ReviewReport) error {
			r = reported
			return nil
		})
		failure := new(supervisor.Error)
		switch {
		case err != nil:
		case end.Why != protocol.TurnEndDone:
			err = supervisor.Errorf(supervisor.CodeModelFailed, textReadTooLong)
		case readNothing(m, r) && errors.As(end.Failure, &failure):
			err = failure
		}
		return r, err
	})
	switch {
	case errors.Is(err, supervisor.ErrWaitsForAnswer):
		return session.AttemptEnd{TurnEnd: protocol.TurnEnd{Why: protocol.TurnEndWaitsForUser}}, nil
	case err != nil:
		return session.AttemptEnd{}, err
	}
	return endWithCard(ctx, s.Steps, a, card)
}

// readNothing reports whether a worker has read no part of its material.
func readNothing(m protocol.ReviewMaterial, r protocol.ReviewReport) bool {
	return r.Triage == nil && len(r.Findings) == 0 && len(r.Unread) >= max(1, len(m.Chunks))
}
