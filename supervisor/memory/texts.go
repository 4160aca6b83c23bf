package memory

// Questions to the user about facts.
const (
	textMayRemember = "Shall I remember this? It does not come from your own words.\n\n%s"
	textHaveRead    = "\n\nI have read: %s."
	textMayForget   = "Shall I forget this? Your own words do not ask for it.\n\n%s"
	textMoreFacts   = "- and %d more"
	textMayCorrect  = "Shall I correct this? The correction does not come from your own words.\n\nNew:\n%s\n\nOld:\n%s"
)

// The notice about a fact that was replaced.
const (
	textReplaced   = "I remember this as %s now:\n%s\n\nUntil now it was:\n%s"
	textRestoreOld = "Keep the old one"
)

// Answers of the memory tools to the model.
const (
	textNoMessage = "The user has no message #%d in this conversation. Leave message out to cite their newest one."
	textForgotten = "The user asked to forget this. It can be remembered again only if they say it anew."
)

// Answers of /memory.
const (
	textFacts    = "I remember %s about you. Tap one to correct or forget it.\n"
	textFactLine = "\n%s %s, %s"
	textNoFacts  = "I remember nothing about you yet. Tell me what to remember, or write it into MEMORY.md in your " +
		"folder."
	textMemoryUsage = "Write “/memory correct ID NEW WORDS” or “/memory forget ID”. /memory lists the ids."
	textNoFact      = "There is no fact %s. /memory lists all facts."
	textFact        = "%[1]s %[2]s\n\n%[3]s, confidence %[4]g, %[5]s, line %[6]d of MEMORY.md\n\n`/memory correct " +
		"%[1]s NEW WORDS` corrects it."
	textEarlierFact   = "%[1]s %[2]s\n\nMEMORY.md does not have this any more, but earlier versions of the file do."
	textFactCorrected = "%[1]s is now %[2]s."
	textFactForgotten = "%[1]s is forgotten. I deleted its words, except in messages that you wrote yourself."
	textMoreButton    = "More"
	textForgetButton  = "Forget it"
	textImported      = "Imported: %s, %s. Known already: %d."
	textImportMore    = "\nand %d more"
)

// Lines and errors that the command `mews memory` prints.
const (
	textTerminalFact      = "%s  %s\n    %s, confidence %g, %s, MEMORY.md:%d\n"
	textTerminalEarlier   = "%s  %s\n    %s, confidence %g, %s, only in earlier versions of MEMORY.md\n"
	textTerminalTaken     = "facts: %d, notes: %d, known already: %d, not imported: %d\n"
	textTerminalNone      = "there is no such fact\n"
	textTerminalForgotten = "forgotten\n"
	textRefused           = "Nothing was changed: %s."
	textFailed            = "I could not change my memory. %s"
)

// wordsForForget are the beginnings of words that ask to forget something, in English, German,
// Spanish and French. A user who uses other words is asked.
var wordsForForget = []string{"forget", "delete", "remove", "erase", "vergiss", "vergessen", "lösch", "entfern", "olvid", "borr", "elimin", "oubli", "effac", "supprim"}
