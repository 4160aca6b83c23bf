package app

import (
	"context"
	"slices"

	"mews/supervisor"
	"mews/supervisor/forget"
	"mews/supervisor/history"
	"mews/supervisor/memory"
)

// memory makes the feature that keeps facts about users.
func (s *service) memory() *memory.Memory {
	return memory.New(memory.Options{Store: s.db.Memories(), PromptFiles: s.db.PromptFiles(),
		SystemTexts: s.db.SystemTexts(), Effects: s.db.Effects(),
		Kept: s.db.Operations(), Operations: s.operations, Approver: newApprover(s),
		PrivateChat: s.privateChat, Queued: s.deliveryQueued,
		AskForget:   forget.AskForgetFactPress,
		ForgetWords: func(ctx context.Context, user string) error { return s.forgetter.ForgetFacts(ctx, user) },
		ForgetLater: func() { s.forgetter.Wake() }, Forgotten: s.recordForgottenFact,
		HistoryLeft: s.historyLeftText, Zone: s.settings.Zone, Now: s.now,
		Settings: s.db.Settings(), Users: func() []string { return s.people.Names() }, Log: s.log,
		Foreign: func(ctx context.Context, turn int64) (string, error) { return s.foreignWords(ctx, turn, false) }})
}

// maxForeignWords is the most messages with other people's words that a question names.
const maxForeignWords = 3

// foreignWords names the messages and results with other people's words that a turn has read, the
// newest first. If world is true, it names only those that certainly contain such words.
func (s *service) foreignWords(ctx context.Context, turn int64, world bool) (string, error) {
	list, err := s.db.Transcript().ListWorldWords(ctx, turn)
	if err != nil || len(list) == 0 {
		return "", err
	}
	if world {
		list = slices.DeleteFunc(list, func(m supervisor.OldForeignMessage) bool { return !m.World })
	}
	return history.DescribeForeignWords(list, maxForeignWords, s.settings.Zone(list[0].User)), nil
}
