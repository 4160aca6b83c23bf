package offline

// Texts of the offline model.
const (
	textWhatIAm = "I am the offline model of Mews: a fixed list of rules that runs without any network. I am not an AI " +
		"and know nothing of the world. I can run commands, change files in your folder and keep lists. I can also " +
		"set reminders, tell the time, and remember what you tell me to."
	textConnect = "To talk to a real model, ask your admin for one. If you run this Mews yourself: without a " +
		"mews.yaml, set MEWS_MODEL and its maker's key, such as MEWS_MODEL=gemini-2.5-flash and GEMINI_API_KEY. For an Ollama on " +
		"this machine set OPENAI_BASE_URL=http://127.0.0.1:11434/v1, and OPENAI_MODEL to a model that it has. With a " +
		"mews.yaml, name the model under `models:` there. Then start Mews again. `mews help models` says more."
	textHello = "Hello! I am the offline model of Mews: a list of rules, not an AI. I can run commands and Python. I can " +
		"list, read, write, move and delete files in your folder, take notes, and remember facts. I can also " +
		"set reminders and keep lists. Say `help` to see how."
	textSayHelp      = "Say `help` for what I understand."
	textUnknown      = "I did not understand that."
	textHelp         = "I am the offline model: a list of rules, not an AI. These are examples of what I understand:"
	textAlsoClock    = "I can also tell the time and the date."
	textUnknownAgain = "I did not understand that either."
	textTry          = " I understand %s and %s. Say `help` for more."
	textNothing      = "There is no message to answer."
	textReminders    = "I can set a reminder if you name a time and what it is about: `remind me tomorrow at 9 to " +
		"call " +
		"Ann`. The " +
		"command `/remind tomorrow at 9: call Ann` does the same, and /jobs lists what is set."
	textNoReminders = "I can't set reminders here, but this command can: `/remind tomorrow at 9: call Ann`. /jobs " +
		"lists " +
		"what is set."
	textNoTodos    = "I can't change your to-dos here, but this command can: `/todo Call Ann`. /todo lists them."
	textTickTodo   = "/todo lists your to-dos, with buttons that tick and delete them."
	textMemory     = "/memory shows all that I remember of you, and where each fact comes from."
	textBegins     = "The text begins:\n%s"
	textOnlyShows  = "I can show a text, but not say what it means: for that I would need a real model."
	textOnlyKept   = "I keep it in your folder. Say `list my files` to see where."
	textWake       = "Wake up!"
	textPressStart = "Press Start on its card, or nothing happens."
	textNoJobs     = "You have no reminders or tasks."
	textJobs       = "Your reminders and tasks:\n%s"
	textClock      = "It is %s."
	textNoClock    = "I can't tell the time here."
	textNoList     = "There may be no list yet; `add milk to my shopping list` makes one."
	textSkipped    = "Skipped."
	textUnseen     = "I cannot see the picture that you sent."

	// parts of the results of tools
	toolWaits      = " It waits for them "
	toolNone       = "There are none."
	stampScheduled = ", a job"
	// the beginning of the advice for models after a question without an answer
	adviceWithoutAnswer = " Go on without an answer"

	textPictureFile = ", and I cannot see pictures"
	textNoTool      = "For that I would need the tool %s, and I do not have it here."
	textOtherCall   = "I cannot continue this answer: it began with the tool %s, but I would use %s. " +
		"Please ask again."
	textInterrupted = "I do not know whether I could %s: it was interrupted, and its outcome is unknown. " +
		"Please check that before you ask again."
	textFailed       = "I could not %s: %s"
	textFailedLines  = "I could not %s:\n%s"
	textFailedSilent = "I could not %s. The tool did not say why."
	textNoNotes      = "There may be no notes yet; `take a note: ...` makes the first."
	textDone         = "Done: %s"
	textDoneLines    = "Done:\n%s"
	textEmptyFile    = "%s is empty."
	textEmptyFolder  = "There is nothing in your folder."
	textFolder       = "This is in your folder:\n%s"
	textFound        = "This is what I found:\n%s"
	textOutput       = "The output is:\n%s"
	textCut          = "That is only the beginning. Not shown: %s."
)
