package app

import (
	"context"
	"maps"
	"time"

	"mews/supervisor/admin"
	"mews/supervisor/control"
	"mews/supervisor/ingress"
)

// openControl makes the control socket: chats, status, and the calls of admins.
func (s *service) openControl(context.Context) (err error) {
	report := newStatusReporter(s)
	s.control, err = control.Listen(SocketPath(s.config), control.Options{
		People: s.people, Conversations: s.db.Conversations(), Outbox: s.db.Outbox(), Feeds: &s.feeds, Greet: report.greet,
		Inbox: s.inbox, Blobs: s.db.Blobs(), Spool: s.spool, Status: report.status, Transcribe: hearing{s}.uploaded, Methods: controlMethods(s, s.admins),
		Refused: ingress.NoteRefusals(s.audit, s.now), Group: s.config.SocketGroup, Log: s.log.Named("control"),
	})
	return err
}

// controlMethods are what the control socket answers beside what it always does.
func controlMethods(s *service, admins *admin.Service) map[string]control.Method {
	all := callMethods(s.features, s.people, s.audit.Note)
	maps.Copy(all, usageMethods{s.modelCommands(), s.people, time.Now}.answers())
	maps.Copy(all, activityMethods{s.db.Effects(), s.people, s.audit.Note}.answers())
	maps.Copy(all, jobMethods{s}.answers())
	maps.Copy(all, gitHubMethods{s}.answers())
	maps.Copy(all, patches{s}.answers())
	for name, method := range admins.Methods() {
		all[name] = method
	}
	return all
}
