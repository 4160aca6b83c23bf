// Package policies collects the rules and texts of other packages that the database's transactions
// need.
package policies

import (
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/answer"
	"mews/supervisor/effect"
	"mews/supervisor/history"
	"mews/supervisor/inbox"
	"mews/supervisor/instructions"
	"mews/supervisor/job"
	"mews/supervisor/markdown"
	"mews/supervisor/outbox"
	"mews/supervisor/sqlite"
	"mews/supervisor/undo"
	"mews/supervisor/voice"
)

// All returns the policies of the service.
func All() sqlite.Policies {
	return sqlite.Policies{
		Gate: sqlite.GatePolicy{Refuse: access.RefusalText, ShouldChallenge: access.ShouldChallenge,
			Lately:         access.ChallengeInterval,
			DecideLateCode: access.SpendLateCode, ResetAnswer: access.TextResendAfterFactorReset,
			EditRefusal:     access.TextEditWhileLocked,
			CodePlaceholder: access.TextCodePlaceholder},
		Edits: sqlite.EditPolicy{
			SplitNotes:      inbox.SplitNotes,
			UnreadNote:      inbox.UnreadableFilesNote,
			ReplacementNote: inbox.ReplacementNote,
			CorrectionText:  inbox.CorrectionText,
			Offer:           inbox.OfferNewAnswer,
			RetryButtons:    inbox.RetryButtons,
			NewAnswerNote:   inbox.TextNewAnswerBelow,
			CommandNote:     inbox.TextEditedCommand,
			LateCommandNote: inbox.TextEditedIntoCommand,
		},
		Questions: sqlite.QuestionAnswerPolicy{
			MayAsk:          answer.CheckQuestionLimit,
			DecideMessage:   answer.MatchAnswer,
			Reminder:        answer.OpenQuestionReminderText,
			DecidePress:     answer.ParsePress,
			YesOrNo:         answer.ParseYesOrNo,
			Buttons:         answer.QuestionButtons,
			LateAnswerText:  answer.LateAnswerMessage,
			AnswerText:      answer.AnswerText,
			EndNotice:       answer.OutcomeText,
			FinalText:       answer.EndedQuestionText,
			KeepsButtons:    answer.KeepsButtons,
			HasKeyboard:     answer.HasLocationKeyboard,
			KeyboardRemoval: answer.QuestionClosedMessage,
		},
		Undo: sqlite.UndoTexts{Buttons: undo.Buttons, ImpossibleNote: undo.CannotUndoNote,
			RestoredNote: undo.RestoredFilesNote},
		PromptFiles: sqlite.PromptFileTexts{Card: instructions.PendingChangesNotice},
		Effects: sqlite.EffectTexts{Lines: effect.AnswerLines, SentMessageDetail: effect.SentMessageDetail,
			SentFileEntry:     effect.SentFileEntry,
			ReceivedFileEntry: effect.ReceivedFileEntry,
			RefusedNotice: func(refused []supervisor.Effect) string {
				return effect.RefusalTextForUser(refused,
					markdown.EscapeName)
			},
			RefusedNote: effect.RefusalTextForModel},
		History: sqlite.HistoryTexts{
			Stamp:   history.FormatStamp,
			Where:   history.FormatTimeAndPlace,
			Channel: history.ChannelName,
			Aged:    history.HideForeignWords,
			Recap:   history.FormatRecap,
		},
		Outbox: sqlite.OutboxTexts{DeletedText: outbox.TextDeletedMessage,
			SpokenAnswerShown: voice.TextWrittenBecauseOfFiles},
		Jobs: sqlite.JobPolicy{
			IsResting:         job.IsPausedWhileAway,
			ShouldPause:       job.ShouldPause,
			RetryDelay:        job.RetryDelay,
			MaxQuestionTime:   job.MaxQuestionTime,
			DecideOutcome:     job.DecideFireOutcome,
			Notice:            job.TitledMessage,
			AddPausedNote:     job.AddPausedNote,
			PausedAwayText:    job.PausedWhileAwayText,
			WaitingInChatText: job.WaitingJobsText,
			RefusedRetryDelay: job.RefusingChatRetryDelay,
			DeletedTopicText:  job.DeletedTopicText,
			JobMessagesText:   job.JobMessagesText,
		},
		Notices: sqlite.NoticePolicy{QuietUntil: job.QuietHoursEnd, IsHeld: job.IsHeldInQuietHours,
			Combine: job.CombineNotices},
	}
}
