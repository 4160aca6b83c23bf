package sqlite

import (
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

const findSending = `SELECT i.edited_at, i.source = 'question', i.kind = 'job', i.together = ?2,
	EXISTS (SELECT 1 FROM attachment a WHERE a.inbound = i.id AND a.kind = 'voice' AND a.position >= i.first_file),
	EXISTS (SELECT 1 FROM attachment a WHERE a.inbound = i.id AND a.kind <> 'voice' AND a.position >= i.first_file) FROM inbox i WHERE i.id = ?1`

// HistoryTexts makes the model's texts about messages, such as their time and channel.
type HistoryTexts struct {
	Stamp func(supervisor.SentMessageInfo) string // returns the text about a message's time, channel and way of sending
	Where func(supervisor.SentMessageInfo) string // returns the text about a message's time and conversation
	// Channel returns the name of the channel for people.
	Channel func(supervisor.SentMessageInfo) string
	// Aged returns a message of an earlier day without its words of others.
	Aged func(supervisor.OldForeignMessage) protocol.Message
	// Recap returns the text about other conversations.
	Recap func([]supervisor.RecapLine) string
}

// stamp returns the line about when and how an inbound was sent. If correction is set, the line has
// the time of the last edit. Inbounds on channels where nobody talks have no stamp. Without
// Options.Zone there are no stamps.
func (t turnTx) stamp(in supervisor.Inbound, correction bool) string {
	if t.zone == nil || in.Kind != supervisor.KindText && in.Kind != supervisor.KindJob {
		return ""
	}
	var edited int64
	s, _ := one(t, func(r *engine.Row) (s supervisor.SentMessageInfo) {
		r.Scan(&edited, &s.Pressed, &s.Scheduled, &s.Forwarded, &s.Voice, &s.File)
		return s
	}, findSending, in.ID, supervisor.InboundGroupForwarded)
	s.Conversation, s.At, s.Edited = in.Conversation, in.ReceivedAt, edited > 0
	if correction {
		s.At = fromMillis(edited)
	}
	s.At = s.At.In(t.zoneOf(in.Conversation.User))
	return t.policies.History.Stamp(s)
}

// zoneOrUTC returns a user's time zone, or UTC without Options.Zone.
func (t *tx) zoneOrUTC(user string) *time.Location {
	if t.zone == nil {
		return time.UTC
	}
	return t.zoneOf(user)
}

// zoneOf returns a user's time zone.
func (t *tx) zoneOf(user string) *time.Location {
	return t.zone(user, t.setting(user, "timezone"))
}
