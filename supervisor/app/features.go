package app

import (
	"mews/supervisor/feature"
	"mews/supervisor/forget"
	"mews/supervisor/github"
	"mews/supervisor/memory"
	"mews/supervisor/routine"
	"mews/supervisor/schedule"
	"mews/supervisor/search"
	"mews/supervisor/undo"
)

// capabilities are what package feature describes.
type capabilities struct {
	features  []feature.Feature
	forgetter *forget.Forgetter
	schedule  *schedule.Schedule
	routines  *routine.Routines
	gitHub    *github.GitHub
}

// newFeatures makes the capabilities that package feature describes, one line each. It calls
// nothing of what they work on: see describe.
func (s *service) newFeatures() []feature.Feature {
	return []feature.Feature{
		s.memory().Feature(),
		s.instructions().Feature(),
		s.newUndos().Feature(),
		s.newSearcher().Feature(),
		s.forgetter.Feature(),
		s.voices.Feature(),
		s.transcriber.Feature(),
		s.gitHub.Feature(),
		s.schedule.Feature(),
		s.routines.Feature(),
		s.webhooks.Feature(),
	}
}

// undos are what was changed in people's files.
func (s *service) newUndos() *undo.Undos {
	return undo.New(undo.Options{Store: s.db.Undos(), Operations: s.operations, Spool: s.spool, Now: s.now})
}

// searcher finds what was said, and what homes hold.
func (s *service) newSearcher() *search.Searcher {
	return search.New(search.Options{Index: s.index, Transcript: s.db.Transcript(),
		Conversations: s.db.Conversations(), Sent: s.db.Inbox(),
		Zone: s.settings.Zone, Now: s.now})
}

// newForgetter makes what takes out what people want forgotten.
func (s *service) newForgetter() *forget.Forgetter {
	return forget.New(forget.Options{Store: s.db.Forgettings(), Index: s.index, Home: s.memory(),
		Turns: s.db.Forgettings(), Facts: s.db.Memories(), Memories: s.memory(), FactPress: memory.ForgetPress,
		People: s.people, Now: s.now, Remove: s.spool.Remove, Audit: s.audit.Note, Log: s.log.Named("forget")})
}
