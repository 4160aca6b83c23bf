package ingress

import (
	"fmt"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/rare"
	"mews/supervisor/problem"
)

// NoteAdmissions audits accepted messages, once a day per conversation, and calls accept.
func NoteAdmissions(
	routine func(user, action, detail string),
	now func() time.Time,
	accept func(supervisor.Inbound),
) func(supervisor.Inbound) {
	var today rare.Window
	return func(in supervisor.Inbound) {
		if c := in.Conversation; today.IsNew(fmt.Sprint(c.ID), now()) {
			routine(c.User, "admitted", fmt.Sprintf("in conversation %d: %s chat %q", c.ID, c.Channel, c.Chat))
		}
		accept(in)
	}
}

// NoteRefusals audits refusals at the control socket, once a day for each account.
func NoteRefusals(note func(user, action, detail string), now func() time.Time) func(uid uint32, why error) {
	var strangers rare.Window
	return func(uid uint32, why error) {
		if strangers.IsNew(fmt.Sprint(uid), now()) {
			note("", "control.refused", fmt.Sprintf("user id %d: %s", uid, problem.Message(why)))
		}
	}
}
