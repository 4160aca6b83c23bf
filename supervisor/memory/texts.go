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

// What people read of their memory.
const (
	textFacts    = "I remember %s of you. A button shows one, to correct or forget it.\n"
	textFactLine = "\n%s %s, %s"
	textNoFacts  = "I remember nothing of you. Say what I should remember, or write it into MEMORY.md of your " +
		"folder."
	textNoFact = "There is no fact %s. /memory lists those that there are."
	textFact   = "%[1]s %[2]s\n\n%[3]s, confidence %[4]g, %[5]s, line %[6]d of MEMORY.md\n\n`/memory correct " +
		"%[1]s` with other words corrects it."
	textFactCorrected = "%[1]s is now %[2]s."
	textFactForgotten = "%[1]s is forgotten, and its words are gone from what I keep, but for what you said yourself."
	textMoreButton    = "More"
	textForgetButton  = "Forget it"
	textImported      = "Taken in: %s, %s. There already: %d."
	textImportMore    = "\nand %d more"
)

// What people read who ask at a terminal, and of what could not be done.
const (
	textTerminalFact      = "%s  %s\n    %s, confidence %g, %s, MEMORY.md:%d\n"
	textTerminalTaken     = "facts: %d, notes: %d, there already: %d, not taken: %d\n"
	textTerminalNone      = "there is no such fact\n"
	textTerminalForgotten = "forgotten\n"
	textRefused           = "That was not done: %s."
	textFailed            = "That was not done with what is remembered. %s"
)

// wordsForForget are the beginnings of words that ask for something to be forgotten, in four
// languages. A person who uses other words is asked.
var wordsForForget = []string{"forget", "delete", "remove", "erase", "vergiss", "vergessen", "lösch", "entfern", "olvid", "borr", "elimin", "oubli", "effac", "supprim"}
