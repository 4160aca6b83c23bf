package claim

// Parts of the warning about claims: textNote, then the deeds, then textNoteEnd.
const (
	textNote    = "(Not verified: it says that it "
	textAnd     = " and "
	textNoteEnd = "; no tool did so in this turn.)"
	// textPromise is the whole warning if an answer claims nothing but a promise.
	textPromise = "(Not verified: it says that it will come back to you; no reminder or task was set for that.)"
)

// deeds maps the kinds of deeds to their words in a warning.
var deeds = map[DeedKind]string{
	DeedWrite:        "saved or changed something",
	DeedDelete:       "deleted something",
	DeedSend:         "sent something",
	DeedRun:          "ran something",
	DeedBuy:          "booked or paid something",
	DeedSchedule:     "scheduled something",
	DeedLookup:       "looked something up",
	DeedRemember:     "noted something for later",
	DeedPromise:      "will come back to you later",
	DeedRunSucceeded: "ran something without errors",
}
