package app

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/schedule"
)

// openSchedule makes what does things without being asked for again.
func (s *service) openSchedule(context.Context) error {
	s.schedule = schedule.New(schedule.Options{
		Store: s.db.Jobs(), Queue: s.db.Jobs(), Queued: s.deliveryQueued, Now: s.now, Log: s.log.Named("schedule"),
		Person: func(name string) (supervisor.User, bool) {
			user, known := s.settings.Find(name)
			return user, known && s.active(name)
		},
	})
	return nil
}
