package effect

import "mews/supervisor"

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
	{Name: "write", Group: supervisor.EffectsChanged, words: "wrote", detail: " (%s)"},
	{Name: "append", Group: supervisor.EffectsChanged, words: "added to", detail: " (%s)"},
	{Name: "edit", Group: supervisor.EffectsChanged, words: "edited", detail: " (%s)"},
	{Name: "move", Group: supervisor.EffectsChanged, words: "moved", detail: " to %s", named: true},
	{Name: "delete", Group: supervisor.EffectsChanged, words: "deleted", detail: " (%s)"},
	{Name: "program", Group: supervisor.EffectsChanged, words: "changed by a program:", detail: " (%s)"},
	{Name: "remember", Group: supervisor.EffectsChanged, words: "remembered", detail: " (%s)"},
	{Name: "update", Group: supervisor.EffectsChanged, words: "corrected what is remembered as", detail: " (%s)"},
	{Name: "forget", Group: supervisor.EffectsChanged, words: "forgot"},
	{Name: "note", Group: supervisor.EffectsChanged, words: "noted in"},
	{Name: supervisor.EffectCorrected, Group: supervisor.EffectsChanged, words: "corrected, as you asked, what is " +
		"remembered as", unsaid: true},
	{Name: supervisor.EffectForgotten, Group: supervisor.EffectsChanged, words: "forgot, as you asked,", unsaid: true},
	{
		Name:   supervisor.EffectImported,
		Group:  supervisor.EffectsChanged,
		words:  "took in what was remembered in",
		detail: " (%s)",
		unsaid: true,
	},
	{Name: supervisor.EffectUndone, Group: supervisor.EffectsChanged, words: "took back a change of", unsaid: true},
	{Name: "run", Group: supervisor.EffectsRun, words: "ran", detail: " (%s)", last: true},
	{Name: "begin", Group: supervisor.EffectsRun, words: "began", ends: ": how far it came is not known"},
	{Name: supervisor.EffectBegun, Group: supervisor.EffectsRun, words: "began", ends: ": how far it came is not " +
		"known"},
	{
		Name:   supervisor.EffectFileSent,
		Group:  supervisor.EffectsSent,
		words:  "sent",
		detail: " (%s)",
		until:  ", sha256 ",
	},
	{Name: supervisor.EffectMessageSent, Group: supervisor.EffectsSent, words: "sent a message", detail: " (%s)"},
	{Name: supervisor.EffectAsked, Group: supervisor.EffectsAsked, words: "asked", detail: " ➜ %s", last: true},
	{
		Name:   supervisor.EffectReceived,
		Group:  supervisor.EffectsReceived,
		words:  "received",
		detail: " (%s)",
		unsaid: true,
	},
}
