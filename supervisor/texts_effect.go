package supervisor

// What the ledger of effects says.
const (
	// TextWhatIDid is the heading of an answer's effects.
	TextWhatIDid = "What I did"

	textNoSpan        = "%q is neither a time, such as today, 7d or 2026-11-20, nor a kind: %s."
	textNothingDone   = "Nothing was done in that time."
	textOlderEffects  = "\n(Older ones are left out: ask for a shorter time, or for one kind.)"
	textWorkersEffect = "\n\nThat files were changed and programs were run is the word of the sandbox in which that is done; the rest was done by Mews itself."
	textMoreEffects   = "and %d more"
	textManyTimes     = " %d times"
	textLastTime      = ", last: %s"
)

// EffectKinds are all kinds of effects in the order of their groups: what each is called in a row
// and on the wire, and how a line about it reads. Those with a dot are the supervisor's to report,
// the others a worker's.
var EffectKinds = []EffectKind{
	{Name: "write", Group: EffectsChanged, words: "wrote", detail: " (%s)"},
	{Name: "append", Group: EffectsChanged, words: "added to", detail: " (%s)"},
	{Name: "edit", Group: EffectsChanged, words: "edited", detail: " (%s)"},
	{Name: "move", Group: EffectsChanged, words: "moved", detail: " to %s", named: true},
	{Name: "delete", Group: EffectsChanged, words: "deleted", detail: " (%s)"},
	{Name: "program", Group: EffectsChanged, words: "changed by a program:", detail: " (%s)"},
	{Name: "remember", Group: EffectsChanged, words: "remembered", detail: " (%s)"},
	{Name: "update", Group: EffectsChanged, words: "corrected what is remembered as", detail: " (%s)"},
	{Name: "forget", Group: EffectsChanged, words: "forgot"},
	{Name: "note", Group: EffectsChanged, words: "noted in"},
	{Name: EffectCorrected, Group: EffectsChanged, words: "corrected, as you asked, what is remembered as", unsaid: true},
	{Name: EffectForgotten, Group: EffectsChanged, words: "forgot, as you asked,", unsaid: true},
	{Name: EffectImported, Group: EffectsChanged, words: "took in what was remembered in", detail: " (%s)", unsaid: true},
	{Name: EffectUndone, Group: EffectsChanged, words: "took back a change of", unsaid: true},
	{Name: "run", Group: EffectsRun, words: "ran", detail: " (%s)", last: true},
	{Name: "begin", Group: EffectsRun, words: "began", ends: ": how far it came is not known"},
	{Name: EffectBegun, Group: EffectsRun, words: "began", ends: ": how far it came is not known"},
	{Name: EffectFileSent, Group: EffectsSent, words: "sent", detail: " (%s)", until: ", sha256 "},
	{Name: EffectMessageSent, Group: EffectsSent, words: "sent a message", detail: " (%s)"},
	{Name: EffectAsked, Group: EffectsAsked, words: "asked", detail: " ➜ %s", last: true},
	{Name: EffectReceived, Group: EffectsReceived, words: "received", detail: " (%s)", unsaid: true},
}
