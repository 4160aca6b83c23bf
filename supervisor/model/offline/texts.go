package offline

// Texts of the offline model.
const (
	textWhatIAm = "I am the offline model of Mews: a fixed list of rules that runs without any network. I am not an AI " +
		"and know nothing of the world. I can only run commands, change files in your folder, and remember what you tell me to."
	textConnect = "To talk to a real model, set OPENAI_BASE_URL and OPENAI_MODEL (for an Ollama on this machine: " +
		"OPENAI_BASE_URL=http://127.0.0.1:11434/v1, and OPENAI_MODEL the name of a model it has; OPENAI_API_KEY where " +
		"the service wants one), or name one under `models:` in mews.yaml. Then start Mews again."
	textHello = "Hello! I am the offline model of Mews: a list of rules, not an AI. I can run commands and Python. I can " +
		"list, read, write, move and delete files in your folder, take notes, and remember facts. Say `help` to see how."
	textSayHelp   = "Say `help` for what I understand."
	textUnknown   = "I did not understand that."
	textHelp      = "I am the offline model: a list of rules, not an AI. These are examples of what I understand:"
	textNothing   = "There is no message to answer."
	textReminders = "I can't set a reminder from your words. Use a command: `/remind tomorrow at 9: call Ann`. /jobs lists all reminders."
	textMemory    = "/memory shows all that I remember of you, and where each fact comes from."
	textUnseen    = "I cannot see the picture that you sent."

	textPictureFile = ", and I cannot see pictures"
	textNoTool      = "For that I would need the tool %s, and I do not have it here."
	textOtherCall   = "I cannot continue this turn: it used %s, but I would use %s. " +
		"Please ask again."
	textInterrupted = "I do not know whether I could %s: it was interrupted, and its outcome is unknown. " +
		"Please check that before you ask again."
	textFailed       = "I could not %s: %s"
	textFailedLines  = "I could not %s:\n%s"
	textFailedSilent = "I could not %s. The tool did not say why."
	textNoNotes      = "There may be none yet; `take a note: ...` makes the first."
	textDone         = "Done: %s"
	textDoneLines    = "Done:\n%s"
	textEmptyFile    = "%s is empty."
	textEmptyFolder  = "There is nothing in your folder."
	textFolder       = "This is in your folder:\n%s"
	textFound        = "This is what I found:\n%s"
	textOutput       = "It says:\n%s"
	textCut          = "That is only the beginning. Not shown: %s."
)
