// Package policies collects the rules and texts of other packages that the database's transactions
// need.
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
		Gate: sqlite.GatePolicy{Refuse: access.RefuseHeld, ShouldChallenge: access.Challenges,
			Lately:         access.ChallengeAgain,
			DecideLateCode: access.DecideLate, ResetAnswer: access.TextHeldReset, EditRefusal: access.TextEditLocked,
			CodePlaceholder: access.TextCode},
		Edits: sqlite.EditPolicy{
			SplitNotes:      inbox.SplitNotes,
			UnreadNote:      inbox.WithUnread,
			ReplacementNote: inbox.InsteadOf,
			CorrectionText:  inbox.Correction,
			ShouldOffer:     inbox.OffersAnew,
			Offer:           inbox.AnewOffer,
			NewAnswerNote:   inbox.TextAnsweredAnew,
		},
		Questions: sqlite.QuestionPolicy{
			MayAsk:          answer.MayAsk,
			DecideMessage:   answer.Match,
			Reminder:        answer.Reminder,
			DecidePress:     answer.ParsePress,
			Buttons:         answer.Buttons,
			LateAnswerText:  answer.LateMessage,
			AnswerText:      answer.AnswerText,
			EndNotice:       answer.OutcomeText,
			FinalText:       answer.EndedText,
			KeepsButtons:    answer.KeepsButtons,
			HasKeyboard:     answer.HasKeyboard,
			KeyboardRemoval: answer.ClosingMessage,
		},
		Undo: sqlite.UndoTexts{Buttons: undo.Buttons, ImpossibleNote: undo.ImpossibleNote,
			RestoredNote: undo.RestoredNote},
		PromptFiles: sqlite.PromptFileTexts{Card: instructions.Card},
		Effects: sqlite.EffectTexts{Lines: effect.Lines, SentMessageDetail: effect.SentMessageDetail, SentFileEntry: effect.SentFileEntry,
			ReceivedFileEntry: effect.Received},
		History: sqlite.HistoryTexts{
			Stamp:   history.Stamp,
			Where:   history.Where,
			Channel: history.ChannelOf,
			Recap:   history.Recap,
		},
		Outbox: sqlite.OutboxTexts{DeletedText: outbox.TextNotKept},
		Jobs: sqlite.JobPolicy{
			IsResting:        job.IsResting,
			ShouldPause:      job.ShouldPause,
			RetryDelay:       job.RetryDelay,
			MaxQuestionTime:  job.MaxQuestionTime,
			DecideOutcome:    job.DecideOutcome,
			Notice:           job.Notice,
			AddPausedNote:    job.AddPausedNote,
			PausedAwayText:   job.PausedAwayText,
			PausedInChatText: job.PausedInChatText,
			DeletedTopicText: job.DeletedTopicText,
			JobMessagesText:  job.JobMessagesText,
		},
		Notices: sqlite.NoticePolicy{QuietUntil: job.QuietUntil, IsHeld: job.IsHeld, Combine: job.CombineNotices},
	}
}
