package ingress

import (
	"testing"
	"time"

	"mews/supervisor"
)

func TestAuditAdmissions_EachConversation_OnceADay(t *testing.T) {
	now, taken, rows := time.Time{}, 0, 0
	note := AuditAdmissions(
		func(_, _, _ string) { rows++ },
		func() time.Time { return now },
		func(supervisor.Inbound) { taken++ },
	)
	morning := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		conversation int64
		after        time.Duration
		want         bool
	}{{1, 0, true}, {1, time.Hour, false}, {2, time.Hour, true}, {1, 16 * time.Hour, true}, {2, 17 * time.Hour, true}, {2, 18 * time.Hour, false}} {
		now, rows = morning.Add(c.after), 0
		note(supervisor.Inbound{Conversation: supervisor.Conversation{ID: c.conversation}})
		if noted := rows > 0; noted != c.want || taken != i+1 {
			t.Errorf("conversation %d after %s: noted is %v, and %d were taken", c.conversation, c.after, noted, taken)
		}
	}
}

func TestAuditRefusals_EachUser_OnceADay(t *testing.T) {
	var rows [][3]string
	turned := AuditRefusals(
		func(user, action, detail string) { rows = append(rows, [3]string{user, action, detail}) },
		time.Now,
	)
	for _, uid := range []uint32{4711, 4711, 4712} {
		turned(uid, &supervisor.Error{Code: supervisor.CodeForbidden, Message: "No."})
	}
	if len(rows) != 2 || rows[0] != [3]string{"", "control.refused", "user id 4711: No."} {
		t.Errorf("kept %q", rows)
	}
}
