package routine

const (
	textNoRoutine     = "there is no routine %q: there are %s"
	textRoutineOn     = "%s is on. It comes %s."
	textRoutineOff    = "%s is off."
	textRoutineSwitch = "%s can only be turned on or off: its times are fixed."
	textRoutineWords  = "%q can't be read. Write a time, such as 7:30 or weekdays 8:00, or one of on, off, %s."
	promptHeartbeat   = "This is due in their HEARTBEAT.md. Do each item, and say in one message what is worth " +
		"telling:\n"
	promptItem         = "\n- %s %s"
	answerNoFiles      = "A task can't turn this on or off: only the person can, or you when they ask you in a chat."
	answerFilesInGroup = "File notifications are for the private chat only: others can read them in a group."
)

// defaultHeartbeat is every 30 minutes, from 08:00 to 21:30.
const defaultHeartbeat = "*/30 8-21 * * *"

// defaultFiles is how often the service compares folders that no worker watches.
const defaultFiles = "every 15 min"

// Texts about files.
const (
	textFilesOthers = "Changed in your folder by others:"
	textFileNew     = "new: %s"
	textFileChanged = "changed: %s"
	textFileGone    = "gone: %s"
	textFilesMore   = "and %d more"
)

// Descriptions of routines, and the help of their commands.
const (
	descriptionHeartbeat = "I look into HEARTBEAT.md and do what is due there. If nothing is due, no " +
		"model is asked. An item may begin with a time: - @weekdays 8:30 look at the build"
	descriptionFiles = "I tell you which text files in your folder others have changed: by an editor, git or a " +
		"sync program. My own changes are left out. I watch while I work for you, and otherwise check " +
		"every 15 min. No model is asked."
	descriptionDigest = "I send you one message with what is due today and what waits for you. It also tells " +
		"what your tasks did, missed or cost, and which files are new. If nothing is new, I say nothing. " +
		"With /digest written, a small model writes the text; /digest plain uses none."

	helpHeartbeat = "read HEARTBEAT.md every half hour of the day, and do what is due: /heartbeat " +
		"on or off"
	helpDigest = "a morning summary: /digest 7:30, /digest off"
	helpFiles  = "news of files in your folder that others have changed: /notifications on or off"
)
