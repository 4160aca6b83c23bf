package filereminder

// Layouts of times in texts.
const (
	timeLayout = "Mon 2 Jan 15:04"
	dateLayout = "Mon 2 Jan"
)

const (
	textReminder      = "Reminder: %s%s"
	textWorldReminder = "Reminder from %s%s. The words are not yours:"
	textWasDue        = "It was due at %s."
	textDue           = "%s:\n"
	textListed        = "\n- **%d**: %s%s" // not a numbered list, because Markdown would renumber it
	textWorldList     = "These words are not yours:"
	textToday         = ", due today"
	textDueOn         = ", due %s"
	textNoTitle       = "(no title)"
	textMore          = "%s due today: %s"
	textAtLeastMore   = "At least %s due today: %s"
	textAnd           = " and "
)
