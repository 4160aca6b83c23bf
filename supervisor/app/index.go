package app

import (
	"context"

	"mews/supervisor/hostcall"
	"mews/supervisor/index"
	"mews/supervisor/usage"
)

// openIndex makes the full-text index. The index opens its database later, so that the start need
// not wait.
func (s *service) openIndex(context.Context) error {
	s.index = index.New(index.Options{Path: s.private("index.db"), Transcript: s.db.Transcript(), People: s.people.Names, Now: s.now,
		OnOpen: s.indexHomes, Embedder: s.embedder(), Model: s.config.Models.Embed, Log: s.log.Named("index")})
	return nil
}

// indexDependencies returns the functions for workers' reports about their homes.
func (s *service) indexDependencies() hostcall.IndexDependencies {
	return hostcall.IndexDependencies{
		UpdateHome: s.index.BeginHomeUpdate,
		HomeChanged: func(user string) {
			if _, there := s.pool.Find(user); there { // a worker that was started only for a check does not count
				s.routines.RecordHomeChange(user)
			}
			s.operations.IndexHome(user)
		},
	}
}

// indexHomes indexes the homes of all running workers again, because the index may be new.
func (s *service) indexHomes() {
	for _, w := range s.pool.List() {
		s.operations.IndexHome(w.Key)
	}
}

// indexMessage adds a new message to the index. The index reads earlier messages when it opens.
func (s *storage) indexMessage(user string, conversation int64) {
	if s.index != nil {
		s.index.NotifyMessage(user, conversation)
	}
}

// eraseIndex removes a user from the index. If no service runs, it deletes the whole index, which
// is rebuilt later.
func (s *storage) eraseIndex(ctx context.Context, user string) error {
	if s.index != nil {
		return s.index.EraseUser(ctx, user)
	}
	return index.RemoveDatabase(s.private("index.db"))
}

// embedder returns the client that turns texts into vectors; nil if no embedding model is
// configured.
func (s *service) embedder() index.Embedder {
	if s.config.Models.Embed == "" {
		return nil
	}
	return usage.Embedder{Payer: s.payer(), Model: s.config.Models.Embed, Transcript: s.db.Transcript(),
		Conversations: s.db.Conversations(), Serves: s.serves}
}
