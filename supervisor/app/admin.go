package app

import (
	"context"
	"time"

	"mews/config"
	"mews/supervisor/admin"
	"mews/supervisor/outbox"
)

// openAdmin makes the service that answers admin commands, while Mews runs.
func (s *service) openAdmin(context.Context) error {
	s.configuration.setPrices = func(cfg *config.Config) error { return s.models.SetPrices(pricesOf(cfg)) }
	s.configuration.applyRest = s.applyConfiguration
	if s.channel != nil {
		s.configuration.refusesToken = s.channel.client.RefusesToken
	}
	o := s.adminOptions()
	o.Archive, o.Erase = s.archive, s.erase
	o.Running = &admin.RunningParts{Clean: s.cleanFiles, Work: admin.UserWork{
		ListUnfinished: s.db.Inbox().ListUnfinishedConversations, StopTurn: s.sessions.StopTurnWithoutStoring,
		Evict: s.pool.Evict,
		EndOthers: []func(context.Context, string) error{s.commands.EndUserCommands, s.attachments.StopUser,
			s.voices.StopUser, s.operations.EndUserOperations},
	}}
	s.admins = admin.New(o)
	return nil
}

// adminOptions returns the dependencies of admin calls that need no running service.
func (s *service) adminOptions() admin.Options {
	return admin.Options{
		Store: s.db.UserAccessStores(), Log: s.db.Audit(), People: s.people, Configuration: s.configuration,
		Seal: s.seal,
		Gate: s.gate,
		Say:  s.db.Outbox().SendNotice, Queued: s.deliveryQueued, Bot: s.botName, Now: s.now,
		Logger:     s.log.Named("admin"),
		EraseIndex: s.eraseIndex, Archive: s.archiveAlone, Erase: s.eraseAlone, Copies: s.db.MigrationCopies(),
		Acted: s.recordAct,
	}
}

// inviter returns the part that makes invites.
func (s *service) inviter() admin.Inviter {
	return admin.Inviter{Store: s.db.UserAccessStores(), People: s.people, Configuration: s.configuration,
		Bot: s.botName,
		Now: s.now, KeepPicture: generatedFileStore{s.spool}.StorePicture}
}

// cleanFiles deletes the files of chat messages whose time has expired.
func (s *service) cleanFiles(ctx context.Context, now time.Time) error {
	return outbox.FileCleaner{Cleanings: s.db.MessageCleanups(), Remove: s.spool.RemoveBlob}.RemoveExpiredFiles(ctx,
		now)
}
