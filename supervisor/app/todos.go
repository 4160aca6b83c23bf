package app

import (
	"context"

	"mews/protocol"
	"mews/supervisor/feature"
	"mews/supervisor/model/offline"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
	"mews/supervisor/todo"
)

// todoSearch returns the dependencies of the search for to-dos in users' files.
func (s *service) todoSearch() todo.SearchOptions {
	return todo.SearchOptions{Calls: s.external, Begun: s.db.ExternalCalls(), Sections: s.db.TodoSections(),
		Marked: s.db.Taints().MarkedFiles,
		Small:  s.smallModel, Ask: questionAsker{s}.Ask,
		Complete: func(ctx context.Context, spec string, req modelcall.Request) (modelcall.Answer, error) {
			return s.models.Complete(ctx, spec, req)
		},
		Cost: func(spec string, u protocol.Usage) (int64, bool) { return s.models.Cost(spec, u, 0) },
		Pay: func(ctx context.Context, t feature.Turn, call sqlite.ModelCall, do func() (protocol.Usage, error)) error {
			turn, err := s.db.Turns().Find(ctx, t.ID)
			if err != nil {
				return err
			}
			return s.payer().PayCall(ctx, turn, call, do)
		},
		InGroup: func(ctx context.Context, conversation int64) (bool, error) {
			c, _, err := s.db.Conversations().FindConversation(ctx, conversation)
			return c.IsInGroup(), err
		}}
}

// smallModel returns the small model for the words of a user, or the user's own model if the small
// model is farther away. It is never the offline model, which understands only its own phrasings.
func (s *service) smallModel(ctx context.Context, user string) (string, error) {
	own, _, err := s.modelChoice().CurrentModel(ctx, user)
	spec := s.models.SmallModelFor(own)
	if spec == offline.Name {
		spec = ""
	}
	return spec, err
}
