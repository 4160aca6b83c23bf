package ingress

import (
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/rare"
	"mews/supervisor/problem"
)

// AuditAdmissions returns a function that audits accepted messages and calls accept. Each
// conversation has one row a day in the audit log.
func AuditAdmissions(
	routine func(user, action, detail string),
	now func() time.Time,
	accept func(supervisor.Inbound),
) func(supervisor.Inbound) {
	var today rare.RecordLimiter
	return func(in supervisor.Inbound) {
		if c := in.Conversation; today.IsNewKey(fmt.Sprint(c.ID), now()) {
			routine(c.User, "admitted", fmt.Sprintf("in conversation %d: %s chat %q", c.ID, c.Channel, c.Chat))
		}
		accept(in)
	}
}

// AuditRefusals returns a function that audits refusals at the control socket. Each account has one
// row a day in the audit log.
func AuditRefusals(note func(user, action, detail string), now func() time.Time) func(uid uint32, why error) {
	var strangers rare.RecordLimiter
	return func(uid uint32, why error) {
		if strangers.IsNewKey(fmt.Sprint(uid), now()) {
			note("", "control.refused", fmt.Sprintf("user id %d: %s", uid, problem.UserText(why)))
		}
	}
}
