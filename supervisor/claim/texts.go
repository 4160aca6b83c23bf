package claim

// Parts of the warning about claims: textNote, then the deeds, then textNoteEnd.
const (
	textNote    = "(Not verified: the assistant says that it "
	textAnd     = " and "
	textNoteEnd = "; no tool did that for this answer.)"
	// textPromise is the whole warning if an answer claims nothing but a promise.
	textPromise = "(Not verified: the assistant says that it will come back to you; it set no reminder or task for " +
		"that.)"
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
