package app

import (
	"context"

	"mews/supervisor/forget"
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
		ForgetLater: func() { s.forgetter.Wake() }, Zone: s.settings.Zone, Now: s.now})
}
