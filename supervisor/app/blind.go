package app

import (
	"context"
	"fmt"
	"slices"

	"mews/supervisor/command"
)

// blind tells a person, once of each model, that it has seen none of their pictures, and which
// model of theirs would.
func (s *service) tellBlindModel(ctx context.Context, conversation int64, spec string) {
	c, known, err := s.db.Conversations().FindByID(ctx, conversation)
	if err != nil || !known {
		return
	}
	name := "blind " + spec
	// a list of models may be asked of a provider
	if told, err := s.notices().WasTold(ctx, c.User, name); err != nil || told {
		return
	}
	models, instead := s.modelCommands(), textNoneSighted
	offers := models.Offers(ctx)
	if i := slices.IndexFunc(offers, func(o command.Offer) bool { return o.SeesPictures() && models.May(c.User, o.Spec) }); i >= 0 {
		instead = fmt.Sprintf(textSighted, offers[i].Spec, offers[i].Spec)
	}
	s.notices().TellOnce(ctx, c, name, fmt.Sprintf(textBlind, spec, instead))
}
