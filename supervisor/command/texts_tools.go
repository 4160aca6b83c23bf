package command

// /tools.
const (
	textTools        = "Always there: %s."
	textToolsOpen    = "\n\nOpen in this conversation:\n"
	textToolsClosed  = "\n\nClosed; I open what I need by myself:\n"
	textToolFamily   = "\n- %s: %s%s"
	textToolsKept    = " (kept open)"
	textMoreTools    = " and %d more"
	textFamilyKept   = "The tools of %s are open in this conversation from your next message on, and stay open. /tools close lets them go."
	textFamilyClosed = "The tools of %s are closed in this conversation from your next message on."
	textNoFamily     = "There is no family of tools called %s. /tools lists them."
	textToolsFull    = "There is no room for the tools of %s: at most %d tools of %d KiB are open at once. Close others with /tools close first."
	textToolsUsage   = "I know /tools, which lists all tools, “/tools keep FAMILY” and “/tools close FAMILY”."
)

// toolButtons are the buttons below the list, with a family.
var toolButtons = map[string]string{wordKeep: "Keep %s open", wordClose: "Close %s"}
