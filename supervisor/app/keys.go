package app

import (
	"context"

	"mews/supervisor/access"
)

// openSeal finds the key that second factors are sealed with: the configured one, or the service's
// own, which is made where nothing was sealed yet. Without it the service runs, and the gate of
// whoever has a second factor stays closed.
func (s *service) openSeal(ctx context.Context) error {
	if configured := s.config.Access.Key.Reveal(); configured != "" {
		s.seal = access.NewSeal([access.KeySize]byte([]byte(configured)))
		return nil
	}
	sealed, err := s.db.Access().Factors.List(ctx)
	if err != nil {
		return err
	}
	key, err := access.LoadKey(s.private("seal.key"), len(sealed) == 0)
	if err != nil {
		s.log.Error("second factors can't be looked at: whoever has one can't speak", "error", err)
		return nil
	}
	s.seal = access.NewSeal(key)
	return nil
}
