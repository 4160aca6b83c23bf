package memory

// What a person is asked.
const (
	textMayRemember = "Shall I remember this? It does not go by your own words.\n\n%s"
	textMayForget   = "Shall I forget this? Your own words do not ask for it.\n\n%s"
	textMoreFacts   = "- and %d more"
	textMayCorrect  = "Shall I correct what I remember? It does not go by your own words.\n\nNew:\n%s\n\nOld:\n%s"
	textWhichHolds  = "This contradicts what I remember. Which holds?\n\nNew:\n%s\n\nOld:\n%s"
	textNewHolds    = "New: %s"
	textOldHolds    = "Old: %s"
	textBothHold    = "Both"
)

// What a model is told.
const (
	textNoMessage = "The person has no message #%d in this conversation. Leave message out to go by their newest one."
	textForgotten = "The person had this forgotten, so it is not remembered again unless they say it anew."
)

// wordsForForget are the beginnings of words that ask for something to be forgotten, in four
// languages. A person who uses other words is asked.
var wordsForForget = []string{"forget", "delete", "remove", "erase", "vergiss", "vergessen", "lösch", "entfern", "olvid", "borr", "elimin", "oubli", "effac", "supprim"}
