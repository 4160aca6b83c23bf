package command

// Answers of /tools.
const (
	textTools        = "Tools that are always open: %s."
	textToolsOpen    = "\n\nOpen in this conversation:\n"
	textToolsClosed  = "\n\nClosed (I open a family when I need it):\n"
	textToolFamily   = "\n- %s: %s%s"
	textToolsKept    = " (kept open)"
	textMoreTools    = " and %d more"
	textFamilyKept   = "From your next message on, the tools of %s stay open in this conversation. /tools close closes them."
	textFamilyClosed = "The tools of %s are closed in this conversation from your next message on."
	textNoFamily     = "There is no family of tools called %s. /tools lists them."
	textToolsFull    = "There is no room for the tools of %s: at most %d tools of %d KiB are open at once. Close others with /tools close first."
	textToolsUsage   = "I know /tools, which lists all tools, “/tools keep FAMILY” and “/tools close FAMILY”."
)

// toolButtons has the labels of the buttons below the list; %s is the family of tools.
var toolButtons = map[string]string{wordKeep: "Keep %s open", wordClose: "Close %s"}
