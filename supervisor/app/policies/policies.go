// Package policies connects the database's transactions with the packages that decide and word what
// they do.
package policies

import (
	"mews/supervisor/access"
	"mews/supervisor/answer"
	"mews/supervisor/effect"
	"mews/supervisor/history"
	"mews/supervisor/inbox"
	"mews/supervisor/instructions"
	"mews/supervisor/job"
	"mews/supervisor/outbox"
	"mews/supervisor/sqlite"
	"mews/supervisor/undo"
)

// All returns the policies of the service.
func All() sqlite.Policies {
	return sqlite.Policies{
		Gate: sqlite.GatePolicy{Refuse: access.RefuseHeld, Challenges: access.Challenges, Lately: access.ChallengeAgain,
			DecideLate: access.DecideLate, ResetAnswer: access.TextHeldReset, EditRefusal: access.TextEditLocked, CodePlaceholder: access.TextCode},
		Edits: sqlite.EditPolicy{
			Split:        inbox.SplitNotes,
			Unread:       inbox.WithUnread,
			Replacement:  inbox.InsteadOf,
			Correction:   inbox.Correction,
			OffersAnew:   inbox.OffersAnew,
			Offer:        inbox.AnewOffer,
			AnsweredAnew: inbox.TextAnsweredAnew,
		},
		Questions: sqlite.QuestionPolicy{
			MayAsk:      answer.MayAsk,
			Meets:       answer.Meets,
			Reminder:    answer.Reminder,
			Pressed:     answer.Pressed,
			Buttons:     answer.Buttons,
			Late:        answer.Late,
			Words:       answer.Words,
			Told:        answer.Told,
			Shown:       answer.Shown,
			Stays:       answer.Stays,
			HasKeyboard: answer.HasKeyboard,
			Parting:     answer.Parting,
		},
		Undo:        sqlite.UndoPolicy{Buttons: undo.Buttons, Impossible: undo.NeverNote, Told: undo.Told},
		PromptFiles: sqlite.PromptFilePolicy{Card: instructions.Card},
		Effects: sqlite.EffectPolicy{Lines: effect.Lines, MessageSent: effect.MessageSent, FileSent: effect.FileSent,
			Received: effect.Received},
		History: sqlite.HistoryPolicy{
			Stamp:   history.Stamp,
			Where:   history.Where,
			Channel: history.ChannelOf,
			Recap:   history.Recap,
		},
		Outbox: sqlite.OutboxPolicy{NotKept: outbox.TextNotKept},
		Jobs: sqlite.JobPolicy{
			Away:         job.Away,
			Pauses:       job.Pauses,
			Retry:        job.Retry,
			AskAtMost:    job.AskAtMost,
			Outcome:      job.Outcome,
			Notice:       job.Notice,
			Paused:       job.Paused,
			PausedAway:   job.PausedAway,
			PausedInChat: job.PausedInChat,
			Elsewhere:    job.Elsewhere,
			Told:         job.ToldText,
		},
		Notices: sqlite.NoticePolicy{Quiet: job.QuietUntil, Holds: job.IsHeld, Together: job.Together},
	}
}
