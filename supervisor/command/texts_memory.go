package command

// What people read of their memory.
const (
	textFacts         = "I remember %s of you. A button shows one, to correct or forget it.\n"
	textFactLine      = "\n%s %s, %s"
	textNoFacts       = "I remember nothing of you. Say what I should remember, or write it into MEMORY.md of your folder."
	textNoFact        = "There is no fact %s. /memory lists those that there are."
	textFact          = "%[1]s %[2]s\n\n%[3]s, confidence %[4]g, %[5]s, line %[6]d of MEMORY.md\n\n`/memory correct %[1]s` with other words corrects it."
	textFactCorrected = "%[1]s is now %[2]s."
	textFactForgotten = "%[1]s is forgotten, and its words are gone from what I keep, but for what you said yourself."
	textMoreButton    = "More"
	textForgetButton  = "Forget it"
	textImported      = "Taken in: %s, %s. There already: %d."
	textImportMore    = "\nand %d more"
)
