package effect

import (
	"mews/supervisor"
)

// Texts of the ledger of effects.
const (
	// TextEffectsHeading is the heading of the effects below an answer.
	TextEffectsHeading = "What I did"

	textNoSpan        = "%q is neither a time, such as today, 1h, 7d or 2026-11-20, nor a kind: %s."
	textNothingDone   = "Nothing was done in that time."
	textOlderEffects  = "\n(Older ones are left out: ask for a shorter time, or for one kind.)"
	textWorkersEffect = "\n\nThe walled-off worker reported the changed files and the programs that ran. " +
		"Mews itself did the rest."
	textMoreEffects = "and %d more"
	textManyTimes   = " %d times"
	textLastTime    = ", last: %s"

	textRefusedNotice = "I could not send this: %s."
	textRefusedNote   = "[The chat did not accept what you sent: %s.]\n"
	textRefusedText   = "a message"
)

// Kinds lists all kinds of effects in the order of their groups. A kind has its name in rows and on
// the wire, and the parts of its line. The supervisor reports the kinds with a dot in their names,
// and workers report the other kinds.
var Kinds = []Kind{
	{Name: "write", Group: GroupChanged, words: "wrote", detail: " (%s)"},
	{Name: "append", Group: GroupChanged, words: "added to", detail: " (%s)"},
	{Name: "edit", Group: GroupChanged, words: "edited", detail: " (%s)"},
	{Name: "move", Group: GroupChanged, words: "moved", detail: " to %s", detailIsName: true},
	{Name: "delete", Group: GroupChanged, words: "deleted", detail: " (%s)"},
	{Name: "program", Group: GroupChanged, words: "changed by a program:", detail: " (%s)"},
	{Name: "remember", Group: GroupChanged, words: "remembered", detail: " (%s)"},
	{Name: "update", Group: GroupChanged, words: "corrected what is remembered as", detail: " (%s)"},
	{Name: supervisor.EffectFactReplaced, Group: GroupChanged, words: "replaced what was remembered as",
		detail: " (%s)"},
	{Name: "forget", Group: GroupChanged, words: "forgot"},
	{Name: "note", Group: GroupChanged, words: "noted in"},
	{Name: supervisor.EffectFactCorrected, Group: GroupChanged, words: "corrected, as you asked, what is " +
		"remembered as", hidden: true},
	{Name: supervisor.EffectFactForgotten, Group: GroupChanged, words: "forgot, as you asked,", hidden: true},
	{
		Name:   supervisor.EffectMemoryImported,
		Group:  GroupChanged,
		words:  "imported what was remembered in",
		detail: " (%s)",
		hidden: true,
	},
	{Name: supervisor.EffectCalendarImported, Group: GroupChanged, words: "added, as you asked, events to",
		detail: " (%s)", hidden: true},
	{Name: "restore", Group: GroupChanged, words: "restored an earlier version of", detail: " (%s)"},
	{Name: supervisor.EffectFilesRestored, Group: GroupChanged, words: "restored, as you asked, an earlier version of",
		detail: " (%s)", hidden: true},
	{Name: supervisor.EffectFilesRestoredByAdmin, Group: GroupChanged,
		words: "restored, as an admin asked, an earlier version of", detail: " (%s)", hidden: true},
	{Name: supervisor.EffectRestoreUndone, Group: GroupChanged, words: "took back a restore of", hidden: true},
	{Name: supervisor.EffectChangeUndone, Group: GroupChanged, words: "undid a change to", hidden: true},
	{Name: supervisor.EffectProgramUndone, Group: GroupChanged, words: "took back what a program changed:",
		hidden: true},
	{Name: "run", Group: GroupProgramsRun, words: "ran", detail: " (%s)", showsLast: true},
	{Name: "begin", Group: GroupProgramsRun, words: "began", suffix: ": it may not have finished"},
	{Name: supervisor.EffectCallBegun, Group: GroupProgramsRun, words: "began", suffix: ": it may not " +
		"have finished"},
	{
		Name:   supervisor.EffectFileSent,
		Group:  GroupSent,
		words:  "sent",
		detail: " (%s)",
		cutAt:  ", sha256 ",
	},
	{Name: supervisor.EffectMessageSent, Group: GroupSent, words: "sent a message", detail: " (%s)"},
	{Name: supervisor.EffectFileQueued, Group: GroupSent, words: "being sent:", detail: " (%s)", cutAt: ", sha256 ",
		notDone: true},
	{Name: supervisor.EffectMessageQueued, Group: GroupSent, words: "being sent: a message", detail: " (%s)",
		notDone: true},
	{Name: supervisor.EffectFileRefused, Group: GroupSent, words: "could not send", detail: " (%s)", notDone: true},
	{Name: supervisor.EffectMessageRefused, Group: GroupSent, words: "could not send a message", detail: " (%s)",
		notDone: true},
	{Name: supervisor.EffectFileMaybeSent, Group: GroupSent, words: "may not have arrived:", detail: " (%s)",
		cutAt: ", sha256 ", notDone: true},
	{Name: supervisor.EffectMessageMaybeSent, Group: GroupSent, words: "may not have arrived: a message",
		detail:  " (%s)",
		notDone: true},
	{Name: supervisor.EffectServiceCalled, Group: GroupCalled, words: "called the service", detail: " (status %s)"},
	{Name: supervisor.EffectServiceMaybeCalled, Group: GroupCalled, words: "may have called the service",
		notDone: true},
	{Name: supervisor.EffectQuestionAsked, Group: GroupQuestionsAsked, words: "asked", detail: " ➜ %s",
		showsLast: true},
	{
		Name:   supervisor.EffectFileReceived,
		Group:  GroupReceived,
		words:  "received",
		detail: " (%s)",
		hidden: true,
	},
	{Name: supervisor.EffectWebSearched, Group: GroupReceived, words: "searched the web for", detail: " (%s)",
		hidden: true},
	{Name: supervisor.EffectWeatherRead, Group: GroupReceived, words: "looked up the weather in", hidden: true},
}
