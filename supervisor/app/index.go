package app

import (
	"context"

	"mews/supervisor/hostcall"
	"mews/supervisor/index"
	"mews/supervisor/usage"
)

// openIndex makes the full-text index, which is opened as it runs: nobody waits for it at the
// start.
func (s *service) openIndex(context.Context) error {
	s.index = index.New(index.Options{Path: s.private("index.db"), Transcript: s.db.Transcript(), People: s.people.Names, Now: s.now,
		Opened: s.indexHomes, Embedder: s.embedder(), Model: s.config.Models.Embed, Log: s.log.Named("index")})
	return nil
}

// homeIndexing is what workers tell of homes.
func (s *service) indexDependencies() hostcall.IndexDependencies {
	return hostcall.IndexDependencies{
		UpdateHome: s.index.UpdateHome,
		HomeChanged: func(user string) {
			if _, there := s.pool.Find(user); there { // not of one that was started to look
				s.routines.HomeChanged(user)
			}
			s.operations.IndexHome(user)
		},
	}
}

// indexHomes has the homes of those be looked through whose workers run: the index may be a new
// one.
func (s *service) indexHomes() {
	for _, w := range s.pool.List() {
		s.operations.IndexHome(w.Key)
	}
}

// said has the index read on. What is said before there is one is read as it is opened.
func (s *storage) indexMessage(user string, conversation int64) {
	if s.index != nil {
		s.index.Said(user, conversation)
	}
}

// eraseIndex takes what is a person's out of the index. Where no service runs, all of it goes: it
// is made anew.
func (s *storage) eraseIndex(ctx context.Context, user string) error {
	if s.index != nil {
		return s.index.EraseUser(ctx, user)
	}
	return index.Remove(s.private("index.db"))
}

// embedder is what turns texts into vectors; nil if the configuration names no model.
func (s *service) embedder() index.Embedder {
	if s.config.Models.Embed == "" {
		return nil
	}
	return usage.Embedder{Payer: s.payer(), Model: s.config.Models.Embed, Transcript: s.db.Transcript(),
		Conversations: s.db.Conversations(), Serves: s.serves}
}
