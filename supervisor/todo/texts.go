package todo

// Answers of /todo.
const (
	textList     = "Your list has %s."
	textListDone = "Done: %s."
	textEmpty    = "Your list is empty. Write “/todo Buy milk” to add something, or tell me in your own words."
	textAllDone  = "All %d to-dos are done. /todo done lists them."
	textNoneDone = "Nothing on your list is done yet."
	textNoneFits = "No open to-do matches."
	textMore     = "\n… and %d more. All are in todos.md."
	textLineDue  = ", due "
	textPlace    = "\n(line %d of todos.md)"

	textAdded   = "Added: %s"
	textThere   = "This is on your list already: %s"
	textDone    = "Done: %s."
	textDue     = "%s is due %s."
	textNotDue  = "%s has no due date any more."
	textDeleted = "Deleted: %s."
	textNoItem  = "Your list has no to-do %s. /todo lists all."
	textGone    = "This to-do has changed or is gone. /todo shows the list."

	textToday    = "today"
	textTomorrow = "tomorrow"
	textOverdue  = "since "

	// layouts of a date
	textDay       = "Mon 2 Jan"
	textDayOfYear = "Mon 2 Jan 2006"

	textDoneButton     = "Done"
	textTomorrowButton = "Tomorrow"
	textDeleteButton   = "Delete"
	textMoreButton     = "%d more"
)

// usageLines are the lines of the answer of /todo help.
var usageLines = []string{
	"/todo lists the open to-dos",
	"/todo Buy milk +shopping due:friday adds a to-do",
	"/todo 7 shows number 7",
	"/todo done 7 ticks it",
	"/todo done lists the to-dos that are done",
	"/todo due 7 friday 15:00 sets the due date, “none” removes it",
	"/todo tomorrow 7 moves it to tomorrow",
	"/todo delete 7 deletes it",
	"/todo +shopping lists the to-dos with this tag",
	"The list is the file todos.md in your folder. You may edit it yourself.",
}

// Errors.
const (
	textFailed  = "I could not open your to-do list. %s"
	textRefused = "Your list is unchanged: %s."
	textTooMany = "That is too much at once. Send at most %d lines, or write them into todos.md."
	textDueOnce = "A to-do is due once. Write one date, such as friday or 2026-12-01."
)

// Lines that the command `mews todo` prints.
const (
	textTerminalItem  = "%s  %s %s%s\n"
	textTerminalNone  = "there is no such to-do\n"
	textTerminalEmpty = "the list is empty\n"
)
