package app

import (
	"context"
	"fmt"
	"slices"

	"mews/supervisor/command"
)

// tellBlindModel tells a user that a model sees no pictures, and names a model that does. The user
// is told once for each model.
func (s *service) tellBlindModel(ctx context.Context, conversation int64, spec string) {
	c, known, err := s.db.Conversations().FindConversation(ctx, conversation)
	if err != nil || !known {
		return
	}
	name := "blind " + spec
	// check this first, because listing models may need a request to a provider
	if told, err := s.notices().WasToldOnce(ctx, c.User, name); err != nil || told {
		return
	}
	models, instead := s.modelCommands(), textNoneSighted
	offers := models.ListOffers(ctx)
	if i := slices.IndexFunc(offers, func(o command.ModelOffer) bool {
		return o.SeesPictures() &&
			models.MayChoose(c.User, o.Spec)
	}); i >= 0 {
		instead = fmt.Sprintf(textSighted, offers[i].Spec, offers[i].Spec)
	}
	s.notices().TellOnce(ctx, c, name, fmt.Sprintf(textBlind, spec, instead))
}
