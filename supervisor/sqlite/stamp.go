package sqlite

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const findSending = `SELECT i.edited_at, i.source = 'question', i.kind = 'job', i.together = ?2,
	EXISTS (SELECT 1 FROM attachment a WHERE a.inbound = i.id AND a.kind = 'voice' AND a.position >= i.first_file),
	EXISTS (SELECT 1 FROM attachment a WHERE a.inbound = i.id AND a.kind <> 'voice' AND a.position >= i.first_file) FROM inbox i WHERE i.id = ?1`

// HistoryPolicy is what a model reads of its messages beside their words.
type HistoryPolicy struct {
	Stamp func(supervisor.Sending) string // when, where and how something was sent
	Where func(supervisor.Sending) string // when and where
	// Channel is where, as people call it.
	Channel func(supervisor.Sending) string
	// Recap tells what was said elsewhere.
	Recap func([]supervisor.RecapLine) string
}

// stamp is the stamp of what an inbound says. With correction it says when its person has changed
// it; otherwise, when they sent it. What no person's conversation has sent has none, and nothing
// has one where nobody says by which time zone.
func (t turnTx) stamp(in supervisor.Inbound, correction bool) string {
	if t.zone == nil || in.Kind != supervisor.KindText && in.Kind != supervisor.KindJob {
		return ""
	}
	var edited int64
	s, _ := one(t, func(r *engine.Row) (s supervisor.Sending) {
		r.Scan(&edited, &s.Pressed, &s.Scheduled, &s.Forwarded, &s.Voice, &s.File)
		return s
	}, findSending, in.ID, supervisor.TogetherForwarded)
	s.In, s.At, s.Edited = in.Conversation, in.ReceivedAt, edited > 0
	if correction {
		s.At = fromMillis(edited)
	}
	s.At = s.At.In(t.zoneOf(in.Conversation.User))
	return t.policies.History.Stamp(s)
}

// zoneOrUTC is a person's time zone; UTC if nobody says which.
func (t *tx) zoneOrUTC(user string) *time.Location {
	if t.zone == nil {
		return time.UTC
	}
	return t.zoneOf(user)
}

// zoneOf is a person's time zone.
func (t *tx) zoneOf(user string) *time.Location {
	chosen, _ := one(t, engine.String, findSetting, user, "timezone")
	return t.zone(user, chosen)
}
