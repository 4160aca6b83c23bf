package command

// summaries say in a few words what each command does: in /help, in the README and in a channel's menu.
var summaries = map[string]string{
	"start":    "what Mews is, and how to begin",
	"help":     "this list",
	"new":      "begin a new topic: what was said so far is left out from now on",
	"stop":     "end the running answer at once",
	"status":   "what runs, for whom, with which model and walls",
	"model":    "which model answers you; /model PROVIDER/MODEL chooses one, /model default takes that back",
	"models":   "which models there are; /models WORD lists those with that word in their names",
	"settings": "what is set for you; /settings NAME VALUE sets one of it, /settings NAME default takes that back",
	"usage":    "what you asked of models, what it cost, and what is left to spend",
	"grants":   "what you allow for always; /grants revoke NUMBER takes one back",
	"lock":     "lock this chat at once; /lock all locks all of yours",
	"invite":   "let somebody in: /invite NAME makes a code for them (for admins)",
	"allow":    "let people speak with me in this group (for admins)",
	"disallow": "answer nobody in this group any more (for admins)",
	"resend":   "send again what may not have reached you",
}

// MenuEntry is a command as a channel's menu shows it.
type MenuEntry struct {
	Name    string // without the slash
	Summary string
}

// Menu lists the commands for a channel that shows them to choose from. /start is not in it: such a channel offers that by
// itself to those who have not begun.
func Menu() []MenuEntry {
	var menu []MenuEntry
	for _, row := range commandTable() {
		if row.name != "start" {
			menu = append(menu, MenuEntry{Name: row.name, Summary: summaries[row.name]})
		}
	}
	return menu
}
