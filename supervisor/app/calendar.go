package app

import (
	"context"
	"maps"
	"slices"

	"mews/config"
	"mews/protocol"
	"mews/supervisor/access"
	"mews/supervisor/calendar"
	"mews/supervisor/egress"
)

// newCalendar makes the feature that shows the user's calendar and those of others.
func (s *service) newCalendar() *calendar.Calendar {
	c := calendar.New(calendar.Options{Operations: s.operations, Kept: s.db.Operations(), Effects: s.db.Effects(),
		Marks: s.db.Taints(), Sent: s.db.Inbox(), Zone: s.settings.Zone, Subscriptions: s.db.CalendarSubscriptions(),
		Seal: s.seal.For(access.PurposeCalendar), Client: s.egress, Calls: s.external, Spool: s.spool,
		Blobs: s.db.Blobs(), Now: s.now})
	s.setCalendars(c, s.config)
	return c
}

// subscribedCalendars returns the subscribed calendars of a user, for the digest.
func (s *service) subscribedCalendars(ctx context.Context, user string) ([]protocol.SubscribedCalendar, error) {
	return s.calendar.Subscribed(ctx, user, 0)
}

// setCalendars puts a configuration's calendars into force.
func (s *service) setCalendars(c *calendar.Calendar, cfg *config.Config) {
	if err := c.SetCalendars(calendarsOf(cfg)); err != nil {
		s.log.Error("calendars that are off", "error", err)
	}
}

// calendarsOf converts the configured calendars, sorted by name.
func calendarsOf(cfg *config.Config) (list []calendar.Configured) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Calendars)) {
		c := cfg.Calendars[name]
		list = append(list, calendar.Configured{Name: name, URL: c.URL.Reveal(), CAFile: c.CAFile, Users: c.Users})
	}
	return list
}

// ValidateCalendars returns errors about addresses and certificates of calendars.
func ValidateCalendars(cfg *config.Config) error {
	return calendar.New(calendar.Options{Client: egress.New(egress.Options{})}).SetCalendars(calendarsOf(cfg))
}
