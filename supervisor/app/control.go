package app

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/api"
	"mews/supervisor/control"
	"mews/supervisor/feature"
	"mews/supervisor/ingress"
	"mews/supervisor/webhook"
)

// listeners are the sockets that other programs connect to.
type listeners struct {
	control  *control.Server
	routes   []feature.Route // routes of the public listener, including those of features
	public   publicListener
	webhooks *webhook.Receiver
	local    privateListener
}

// openControl makes the control socket for terminal chats and the command line.
func (s *service) openControl(context.Context) (err error) {
	report := s.statusReporter()
	methods, err := s.methods(report)
	if err != nil {
		return err
	}
	s.control, err = control.Listen(SocketPath(s.config), control.Options{
		People: s.people, Conversations: s.db.Conversations(), Outbox: s.db.Outbox(), Feeds: &s.feeds,
		Greet: func(ctx context.Context, u supervisor.User) control.JoinChatResult {
			return s.greeting(ctx, report, u)
		},
		Inbox: s.inbox, Lines: s.db.Inbox(), Blobs: s.db.Blobs(), Spool: s.spool,
		Transcribe: speechInput{s}.transcribeUpload,
		Methods:    methods,
		Refused:    ingress.AuditRefusals(s.audit.RecordAction, s.now), Group: s.config.SocketGroup,
		Log: s.log.Named("control"),
	})
	return err
}

// greeting describes the service for a client that attaches.
func (s *service) greeting(ctx context.Context, report api.StatusReporter, u supervisor.User) control.JoinChatResult {
	g := control.JoinChatResult{Version: s.version, Walls: report.Sandbox(), Model: report.UserModel(ctx, u),
		HasTelegram: s.channel != nil, Bot: s.awaitBotName(ctx)}
	for _, entry := range s.commands.Menu(u.Role == supervisor.RoleAdmin) {
		g.Commands = append(g.Commands, entry.Name)
	}
	return g
}

// methods returns the calls of the control socket, by name.
func (s *service) methods(report api.StatusReporter) (map[string]api.MethodFunc, error) {
	own := api.CallDependencies{Status: report, Usage: s.usageSums(), Catalogue: s.models, Choices: s.modelChoice(),
		Effects: s.db.Effects()}
	table, err := api.New(api.Options{People: s.people, Audit: s.audit.RecordAction}, own.ControlCalls(),
		s.admins.ControlCalls(), s.backupCalls(),
		collect(s.features, func(f feature.Feature) []feature.ControlCall { return f.Calls }))
	if err != nil {
		return nil, err
	}
	return table.Methods(), nil
}

// statusReporter returns the reporter of the service's status. It needs all other parts.
func (s *service) statusReporter() api.StatusReporter {
	r := api.StatusReporter{
		Version: s.version, State: s.config.State, Since: s.since, DB: s.db, Models: s.models, People: s.people,
		Chosen:    s.modelChoice().CurrentModel,
		Locations: s.locations,
		Workers:   s.pool.List, Index: s.index, Memory: s.config.Worker.Memory, PIDs: s.config.Worker.PIDs,
		Disk: int64(s.config.Worker.Disk), FileHistory: s.fileHistorySize,
		Listen: s.listenerStatus, Alarms: s.raisedAlarms, Faults: s.listFaults,
	}
	if s.channel != nil {
		r.Channel = s.channel.status
	}
	return r
}

// ownStatus returns the answer to /status for a user.
func (s *service) ownStatus(report api.StatusReporter) api.OwnStatus {
	return api.OwnStatus{Report: report, Left: s.settings.ListRemainingBudgets, AskWorker: s.pool.CallIfRunning,
		Now:    s.now,
		Log:    s.log,
		Limits: func() access.GateLimits { return gateLimits(s.configuration.Current()) }}
}
