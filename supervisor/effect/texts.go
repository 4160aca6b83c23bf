package effect

import (
	"mews/supervisor"
)

// What the ledger of effects says.
const (
	// TextWhatIDid is the heading of an answer's effects.
	TextWhatIDid = "What I did"

	textNoSpan        = "%q is neither a time, such as today, 7d or 2026-11-20, nor a kind: %s."
	textNothingDone   = "Nothing was done in that time."
	textOlderEffects  = "\n(Older ones are left out: ask for a shorter time, or for one kind.)"
	textWorkersEffect = "\n\nThat files were changed and programs were run is the word of the sandbox in which " +
		"that is done; the rest was done by Mews itself."
	textMoreEffects = "and %d more"
	textManyTimes   = " %d times"
	textLastTime    = ", last: %s"
)

// Kinds are all kinds of effects in the order of their groups: what each is called in a row
// and on the wire, and how a line about it reads. Those with a dot are the supervisor's to report,
// the others a worker's.
var Kinds = []Kind{
	{Name: "write", Group: GroupChanged, words: "wrote", detail: " (%s)"},
	{Name: "append", Group: GroupChanged, words: "added to", detail: " (%s)"},
	{Name: "edit", Group: GroupChanged, words: "edited", detail: " (%s)"},
	{Name: "move", Group: GroupChanged, words: "moved", detail: " to %s", named: true},
	{Name: "delete", Group: GroupChanged, words: "deleted", detail: " (%s)"},
	{Name: "program", Group: GroupChanged, words: "changed by a program:", detail: " (%s)"},
	{Name: "remember", Group: GroupChanged, words: "remembered", detail: " (%s)"},
	{Name: "update", Group: GroupChanged, words: "corrected what is remembered as", detail: " (%s)"},
	{Name: "forget", Group: GroupChanged, words: "forgot"},
	{Name: "note", Group: GroupChanged, words: "noted in"},
	{Name: supervisor.EffectCorrected, Group: GroupChanged, words: "corrected, as you asked, what is " +
		"remembered as", unsaid: true},
	{Name: supervisor.EffectForgotten, Group: GroupChanged, words: "forgot, as you asked,", unsaid: true},
	{
		Name:   supervisor.EffectImported,
		Group:  GroupChanged,
		words:  "took in what was remembered in",
		detail: " (%s)",
		unsaid: true,
	},
	{Name: supervisor.EffectUndone, Group: GroupChanged, words: "took back a change of", unsaid: true},
	{Name: "run", Group: GroupRun, words: "ran", detail: " (%s)", last: true},
	{Name: "begin", Group: GroupRun, words: "began", ends: ": how far it came is not known"},
	{Name: supervisor.EffectBegun, Group: GroupRun, words: "began", ends: ": how far it came is not " +
		"known"},
	{
		Name:   supervisor.EffectFileSent,
		Group:  GroupSent,
		words:  "sent",
		detail: " (%s)",
		until:  ", sha256 ",
	},
	{Name: supervisor.EffectMessageSent, Group: GroupSent, words: "sent a message", detail: " (%s)"},
	{Name: supervisor.EffectAsked, Group: GroupAsked, words: "asked", detail: " ➜ %s", last: true},
	{
		Name:   supervisor.EffectReceived,
		Group:  GroupReceived,
		words:  "received",
		detail: " (%s)",
		unsaid: true,
	},
}
