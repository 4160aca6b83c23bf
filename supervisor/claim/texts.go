package claim

// Parts of a Note: textNote, the deeds and textNoteEnd.
const (
	textNote    = "(Not verified: it says that it "
	textAnd     = " and "
	textNoteEnd = "; no tool did so in this turn.)"
)

// deeds are the words of a Note, by kind.
var deeds = map[Kind]string{
	Write:    "saved or changed something",
	Delete:   "deleted something",
	Send:     "sent something",
	Run:      "ran something",
	Schedule: "scheduled something",
	Lookup:   "looked something up",
	Remember: "noted something for later",
}
