package app

import (
	"mews/supervisor/calendar"
	"mews/supervisor/feature"
	"mews/supervisor/filehistory"
	"mews/supervisor/filereminder"
	"mews/supervisor/forget"
	"mews/supervisor/github"
	"mews/supervisor/memory"
	"mews/supervisor/restore"
	"mews/supervisor/routine"
	"mews/supervisor/schedule"
	"mews/supervisor/search"
	"mews/supervisor/todo"
	"mews/supervisor/undo"
	"mews/supervisor/usagetools"
)

// capabilities are the features, and the parts of features that other code uses.
type capabilities struct {
	features  []feature.Feature
	forgetter *forget.Forgetter
	schedule  *schedule.Schedule
	routines  *routine.Routines
	reminders *filereminder.Reminders
	gitHub    *github.GitHub
	calendar  *calendar.Calendar
}

// newFeatures lists the features, one on each line. It does not use their dependencies; see
// describeFeatures.
func (s *service) newFeatures() []feature.Feature {
	return []feature.Feature{
		s.memory().Feature(),
		s.instructions().Feature(),
		s.newUndos().Feature(),
		s.newFileHistory().Feature(),
		s.newSearcher().Feature(),
		s.newUsageTools().Feature(),
		s.forgetter.Feature(),
		s.voices.Feature(),
		s.transcriber.Feature(),
		s.gitHub.Feature(),
		s.schedule.Feature(),
		s.routines.Feature(),
		s.reminders.Feature(),
		s.newTodos().Feature(),
		s.calendar.Feature(),
		s.webhooks.Feature(),
		s.services.Feature(),
		s.newWebTools().Feature(),
		restore.Feature{Settings: s.db.Settings(), Audit: s.audit.RecordAction, Zone: s.settings.Zone}.Feature(),
	}
}

// newUndos makes the feature that undoes changes of files.
func (s *service) newUndos() *undo.Undoer {
	return undo.New(undo.Options{Store: s.db.Undos(), Operations: s.operations, Spool: s.spool,
		HasHistory:  func(user string) bool { return s.whyNoFileHistory(user) == "" },
		OutsideHome: s.workspacePaths, Now: s.now})
}

// newFileHistory makes the feature that shows and restores earlier versions of files.
func (s *service) newFileHistory() *filehistory.FileHistory {
	return filehistory.New(filehistory.Options{Operations: s.operations, Kept: s.db.Operations(),
		Effects:  s.db.Effects(),
		Settings: s.db.Settings(), Blobs: s.db.Blobs(), Sent: s.db.Inbox(), Spool: s.spool,
		ShowDiff: s.newUndos().DiffDelivery, WhyOff: s.whyNoFileHistory, Running: s.usersWithWorker,
		Workspaces: s.workspacePaths,
		TellOnce:   s.tellOnceInPrivate, Zone: s.settings.Zone, Now: s.now,
		Report: func(err error) { s.log.Warn("file history", "error", err) }})
}

// newTodos makes the feature of to-do lists.
func (s *service) newTodos() *todo.Todos {
	return todo.New(todo.Options{Operations: s.operations, Kept: s.db.Operations(), Effects: s.db.Effects(),
		Zone: s.settings.Zone, Now: s.now, Search: s.todoSearch()})
}

// newSearcher makes the feature that searches messages and homes.
func (s *service) newSearcher() *search.Searcher {
	return search.New(search.Options{Index: s.index, Transcript: s.db.Transcript(),
		Conversations: s.db.Conversations(), Sent: s.db.Inbox(), Files: s.newFileHistory().Subcommand(),
		GroupTitle: s.groupTitles().Find, Zone: s.settings.Zone, Now: s.now})
}

// newUsageTools makes the feature that tells models the usage.
func (s *service) newUsageTools() *usagetools.Tools {
	return usagetools.New(usagetools.Options{Sums: s.usageSums(), Conversations: s.db.Conversations(),
		Zone: s.settings.Zone, Now: s.now})
}

// newForgetter makes the feature that deletes messages that users want forgotten.
func (s *service) newForgetter() *forget.Forgetter {
	return forget.New(forget.Options{Store: s.db.ForgetRequestStore(), Index: s.index, Home: s.memory(),
		Turns: s.db.ForgetRequestStore(), Facts: s.db.Memories(), Memories: s.memory(), Copies: s.db.MigrationCopies(),
		Versions: s.newFileHistory(), HistoryLeft: s.historyLeftText,
		FactPress: memory.ForgetButtonPress, People: s.people, Now: s.now,
		Remove: s.spool.RemoveBlob, Audit: s.audit.RecordAction, Requested: s.recordForgetting,
		Log: s.log.Named("forget")})
}
