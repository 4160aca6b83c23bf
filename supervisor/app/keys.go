package app

import (
	"context"

	"mews/supervisor/access"
)

// openSeal finds the key that encrypts second factors and addresses of calendars: the configured key,
// or the service's own. The service makes its own key if nothing is sealed yet. Without a key the
// service runs, but users with a second factor stay locked out.
func (s *service) openSeal(ctx context.Context) error {
	if configured := s.config.Access.Key.Reveal(); configured != "" {
		s.seal = access.NewSealer([access.SealingKeySize]byte([]byte(configured)))
		return nil
	}
	sealed, err := s.db.UserAccessStores().Factors.List(ctx)
	if err != nil {
		return err
	}
	calendars, err := s.db.CalendarSubscriptions().Any(ctx)
	if err != nil {
		return err
	}
	key, err := access.LoadSealingKey(s.private("seal.key"), len(sealed) == 0 && !calendars)
	if err != nil {
		s.log.Error("second factors can't be read; users with one stay locked out", "error", err)
		return nil
	}
	s.seal = access.NewSealer(key)
	return nil
}
