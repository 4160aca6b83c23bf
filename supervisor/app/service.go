package app

import (
	"context"
	"errors"

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
	manual      func() []command.ManualPage
	process     *processTuner
	ownsProcess bool            // the process runs nothing but this service
	health      *health.Monitor // pings the long loops
	manager     *pool.ManagerLink
	safe        safeMode
}

// open makes all parts, each after the parts that it needs. On an error it closes the opened parts.
func (s *service) open(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	for _, open := range []func(context.Context) error{
		s.openManager, s.openState, s.openSafeMode, s.makeRoom, s.openStoreOrAnswer,
		s.openModels, s.openPeople, s.openIndex, s.openSeal, s.openTelegram,
		s.openGuards, s.openWorkers, s.openDisks, s.openOperations, s.openVoices, s.openHearing, s.openGitHub,
		s.openWebhooks, s.openOutside, s.openServices, s.openFeatures, s.openSessions,
		s.openAttachments, s.openInbox, s.openAdmin, s.openTelegramIn, s.openHealth, s.openWeb, s.openControl,
	} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return nil
}

// parts lists the parts in the order of their start; they stop in the reverse order. Parts that
// deliver answers start first. Parts that make answers follow, and then the parts that accept
// messages. Leases of an earlier run are settled before the first session.
func (s *service) parts() []part {
	list := []part{{"database", s.db.Run}, {"audit", s.audit.Run}, {"sweep", s.sweep}, {"copies", s.keepCopies},
		{"modes", s.keepModes}, {"homes", s.recordHomes}, {"process", s.process.run}, {"index", s.index.Run},
		{"admin", s.admins.Run}}
	if c := s.channel; c != nil {
		list = append(list, part{"outbox", c.outbox.Run}, part{"cleaner", c.cleaner.Run}, part{"reactor", c.reactor.Run}, part{"presses", c.presses.Run})
	}
	list = append(list, part{"workers", s.pool.Run}, part{"disks", s.disks.Run}, part{"operations", s.operations.Run})
	list = append(list, s.featureParts(true)...)
	list = append(list, part{"attachments", s.attachments.Run},
		part{"sessions", afterRecovery(&s.storage, s.releaseMessages, s.sessions.Run)},
		part{"questions", s.questions.Run})
	list = append(list, s.featureParts(false)...)
	list = append(list, part{"commands", s.commands.Run})
	if c := s.channel; c != nil {
		list = append(list, part{"telegram", c.receive}, part{"telegram menu", c.present})
	}
	if s.public != nil {
		list = append(list, part{"webhooks", s.public.Run})
	}
	return s.safe.leaveRunning(append(list, part{"control socket", s.control.Run}, part{"safe mode", s.keepSafeMode},
		part{"watchdog", s.watchLoops}, part{"service manager", s.reportToManager}))
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
