package app

import (
	"context"
	"time"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/attachment"
	"mews/supervisor/budget"
	"mews/supervisor/command"
	"mews/supervisor/reply"
	"mews/supervisor/runner"
	"mews/supervisor/session"
)

// sessionParts run turns, and the commands that need not wait in the queue.
type sessionParts struct {
	sessions *session.Registry
	advances *budget.Advances
	commands *command.Commands
	feeds    reply.Feeds
}

// openSessions makes the sessions and the slash commands.
func (s *service) openSessions(context.Context) (err error) {
	s.advances = &budget.Advances{Leases: s.db.Leases(), Terms: func(c supervisor.Conversation) (budget.Options, bool) {
		o, served, err := s.budgetOf(supervisor.Turn{Conversation: c})
		// if budgetOf fails here, the model call reports the error
		return o, served && err == nil && c.Channel.Capabilities() != supervisor.Capabilities{}
	}}
	o := session.Options{
		Inbox: s.db.Inbox(), Turns: s.db.Turns(), Waiting: s.db.Turns(), LastSteps: s.db.Turns(),
		Notices: s.db.Outbox(), Runner: s.runners(), Feeds: &s.feeds, Limits: turnLimits(s.config),
		Jobs:   session.JobLimits{Turn: s.jobTerms().TurnLimits, AtOnce: s.config.Limits.Jobs},
		AtOnce: s.config.Limits.Turns, Audit: s.audit.RecordAction, Serves: s.serves, Busy: s.settings.BusyMode,
		PrivateFirst: s.privateFirst,
		Running:      s.process.turnsChanged, Advances: s.advances, Voices: s.voices, Ended: s.operations.Wake,
		Now: time.Now,
		Log: s.log.Named("session"),
	}
	if s.config.Chat.Claims == config.ClaimsModeCheck {
		o.Worked = s.db.Turns()
	}
	if s.channel != nil {
		o.Claim = s.channel.outbox.ReserveSend
	}
	s.sessions = session.New(o)
	s.locations.Tell = s.sessions.SendNotice
	s.commands, err = command.New(chatCommands{s}.commandOptions(s.sessions, s.statusReporter()))
	return err
}

// turns returns the runner of turns in users' workers.
func (s *service) turns() runner.Turns {
	return runner.Turns{Pool: s.pool, Spec: s.workerSpec, OnBegin: s.locations.AllowLimitNotices,
		Model:    s.jobTerms().Model,
		Reserver: s.newReserver, Faults: &runner.WorkerStartFaults{MayRead: s.mayReadFaults, Tell: s.tellAdmins},
		OnEnd: s.locations.Disk.RecordHomeSize, Uses: s.memory().CountFactUses, Log: s.log}
}

// jobTerms returns the model and the limits of jobs' turns.
func (s *service) jobTerms() runner.JobTurnPolicy {
	return runner.JobTurnPolicy{Find: s.db.Jobs().Find, Choice: s.modelChoice(), Small: s.models.SmallModel,
		Limits: turnLimits(s.config),
		Log:    s.log}
}

// accept returns the function that passes stored messages on. Commands and presses do not wait in
// the queue.
func accept(sessions *session.Registry, commands *command.Commands, attachments *attachment.Receiver, arrived func()) func(supervisor.Inbound) {
	return func(in supervisor.Inbound) {
		arrived()
		if in.State == supervisor.InboundArriving || in.State == supervisor.InboundDropped {
			attachments.Wake()
			return
		}
		if in.Kind == supervisor.KindCommand || in.Kind == supervisor.KindPress {
			commands.Accept(in)
			return
		}
		sessions.WakeSession(in.Conversation)
	}
}

// afterRecovery runs a part after the leases of an earlier run are settled and release was called.
// Before that, no new lease may be taken.
func afterRecovery(s *storage, release func(context.Context), run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		left, err := s.db.Leases().RecoverAfterCrash(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if left > 0 {
			s.log.Warn("an earlier run left model calls unfinished; each counts in full",
				"calls", left)
		}
		release(ctx)
		return run(ctx)
	}
}

// turnLimits converts the configured limits of a turn.
func turnLimits(cfg *config.Config) protocol.TurnLimits {
	return protocol.TurnLimits{
		Steps:   cfg.Limits.Steps,
		Seconds: int64(cfg.Limits.Turn / time.Second),
		Output:  int(cfg.Limits.Output),
	}
}
