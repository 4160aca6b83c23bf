package ingress

import (
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/audit"
	"mews/supervisor/sqlite"
)

func TestAnAdmissionIsKeptOnceADay(t *testing.T) {
	log := audit.New(sqlite.Audit{}, hclog.NewNullLogger())
	now, taken := time.Time{}, 0
	note := NoteAdmissions(log, func() time.Time { return now }, func(supervisor.Inbound) { taken++ })
	morning := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		conversation int64
		after        time.Duration
		want         bool
	}{{1, 0, true}, {1, time.Hour, false}, {2, time.Hour, true}, {1, 16 * time.Hour, true}, {2, 17 * time.Hour, true}, {2, 18 * time.Hour, false}} {
		now = morning.Add(c.after)
		note(supervisor.Inbound{Conversation: supervisor.Conversation{ID: c.conversation}})
		if noted := len(log.Take()) > 0; noted != c.want || taken != i+1 {
			t.Errorf("conversation %d after %s: noted is %v, and %d were taken", c.conversation, c.after, noted, taken)
		}
	}
}

func TestWhoIsTurnedAwayIsKeptOnceADay(t *testing.T) {
	log := audit.New(sqlite.Audit{}, hclog.NewNullLogger())
	turned := NoteRefusals(log, time.Now)
	for _, uid := range []uint32{4711, 4711, 4712} {
		turned(uid, &supervisor.Error{Code: supervisor.CodeForbidden, Message: "No."})
	}
	rows := log.Take()
	if len(rows) != 2 || rows[0] != (sqlite.AuditRow{Action: "control.refused", Detail: "user id 4711: No."}) {
		t.Errorf("kept %+v", rows)
	}
}
