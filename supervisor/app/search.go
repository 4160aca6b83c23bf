package app

import (
	"time"

	"mews/supervisor/search"
)

// searcher finds what was said, and what homes hold.
func (s *service) searcher() *search.Searcher {
	return &search.Searcher{Index: s.index, Transcript: s.db.Transcript(), Conversations: s.db.Conversations(), Now: s.now,
		Zone: func(user string) *time.Location {
			u, _ := s.settings.Find(user)
			return u.Zone()
		}}
}
