package app

import (
	"context"
	"errors"

	"mews/supervisor/alarm"
	"mews/supervisor/backup"
	"mews/supervisor/command"
	"mews/supervisor/feature"
	"mews/supervisor/health"
	"mews/supervisor/model"
	"mews/supervisor/pool"
)

// service is the supervisor: it holds the parts and decides nothing itself. open makes the parts,
// Run runs them, and close closes them. Parts that are made together are in one struct, and in one
// file.
type service struct {
	storage
	guards
	userParts
	models *model.Catalogue
	workers
	sessionParts
	outside
	capabilities
	inboxParts
	channel *telegramChannel // Telegram; nil means that Telegram is not configured
	listeners
	alarms      *alarm.Alarms
	manual      func() []command.ManualPage
	process     *processTuner
	ownsProcess bool            // the process runs nothing but this service
	health      *health.Monitor // pings the long loops
	manager     *pool.ManagerLink
	isReady     bool // the manager has heard that the service is ready
	safe        safeMode
	backups     *backup.Maker
}

// open makes all parts. On an error it closes the opened parts.
func (s *service) open(ctx context.Context) error {
	return s.openParts(ctx, append(s.openersWithoutSocket(), s.openControl))
}

// openersWithoutSocket lists the functions that make the parts, each after the parts that it needs.
// The control socket is missing.
func (s *service) openersWithoutSocket() []func(context.Context) error {
	return []func(context.Context) error{
		s.openManager, s.openState, s.openSafeMode, s.openPublic, s.makeRoom, s.openStoreOrAnswer, s.openAlarms,
		s.openModels, s.openPeople, s.openIndex, s.openSeal, s.openTelegram, s.openGuards, s.openWorkers, s.openDisks,
		s.openOperations, s.openBackups, s.openVoices, s.openHearing, s.openGitHub, s.openWebhooks, s.openOutside,
		s.openServices, s.openFeatures, s.openSessions, s.openAttachments, s.openInbox, s.openAdmin, s.openTelegramIn,
		s.openHealth, s.openWeb, s.openPrivate,
	}
}

// openParts calls the functions in order. On an error it closes the opened parts.
func (s *service) openParts(ctx context.Context, openers []func(context.Context) error) (err error) {
	for _, open := range openers {
		if err := open(ctx); err != nil {
			return errors.Join(err, s.close())
		}
	}
	return nil
}

// controlSocketPart is the name of the part that serves terminals and the command line.
const controlSocketPart = "control socket"

// parts lists the parts in the order of their start; they stop in the reverse order. Parts that
// deliver answers start first. Parts that make answers follow, and then the parts that accept
// messages. Leases of an earlier run are settled before the first session.
func (s *service) parts() []part {
	list := []part{{"database", s.db.Run}, {"audit", s.audit.Run}, {"sweep", s.sweep}, {"copies", s.keepCopies},
		{"modes", s.keepModes}, {"homes", s.recordHomes}, {"process", s.process.run}, {"index", s.index.Run},
		{"admin", s.admins.Run}, {"updates", s.keepUpdated}}
	if c := s.channel; c != nil {
		list = append(list, part{"outbox", c.outbox.Run}, part{"cleaner", c.cleaner.Run}, part{"reactor", c.reactor.Run}, part{"presses", c.presses.Run})
	}
	list = append(list, part{"workers", s.pool.Run}, part{"disks", s.disks.Run}, part{"operations", s.operations.Run},
		part{"backups", s.backups.Run}, part{"drills", s.runDrills})
	list = append(list, s.featureParts(true)...)
	list = append(list, part{"attachments", s.attachments.Run},
		part{"sessions", afterRecovery(&s.storage, s.releaseMessages, s.sessions.Run)},
		part{"questions", s.questions.Run})
	list = append(list, s.featureParts(false)...)
	list = append(list, part{"commands", s.commands.Run})
	if c := s.channel; c != nil {
		list = append(list, part{"telegram", c.receive}, part{"telegram menu", c.present})
	}
	if s.public.server != nil {
		list = append(list, part{"webhooks", s.public.run})
	}
	if s.local.listener != nil {
		list = append(list, part{"private listener", s.local.listener.Run})
	}
	return s.safe.leaveRunning(append(list, part{"alarms", s.alarms.Run}, part{controlSocketPart, s.control.Run},
		part{"safe mode", s.keepSafeMode}, part{"watchdog", s.watchLoops}, part{"service manager", s.reportToManager}))
}

// featureParts lists the features' parts that start before the sessions (early), or after them.
func (s *service) featureParts(early bool) (list []part) {
	for _, p := range collect(s.features, func(f feature.Feature) []feature.Part { return f.Parts }) {
		if p.Early == early {
			list = append(list, part{p.Name, p.Run})
		}
	}
	return list
}
