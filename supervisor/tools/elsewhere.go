package tools

import (
	"slices"
	"strings"
	"unicode"
)

// ForeignTool maps a tool of another assistant to our tools. A model may look for a tool by a name
// that it learnt in another assistant.
type ForeignTool struct {
	Assistant string
	Tool      string
	Action    string   // an action of the other assistant's tool; "" means none
	Tools     []string // our tools for the same purpose
	Button    string   // the button with which the user does the same; "" means none
}

// ForeignTools lists other assistants' tools for scheduled work and to-dos.
var ForeignTools = []ForeignTool{
	{"EchOS", "add_reminder", "", []string{"schedule_task"}, ""},
	{"EchOS", "list_reminders", "", []string{"list_tasks"}, ""},
	{"EchOS", "list_reminders", "completed", []string{"get_task_results"}, ""},
	{"EchOS", "complete_reminder", "", []string{"cancel_task"}, "Done"},
	{"EchOS", "list_todos", "", []string{"todo_list"}, ""},
	{"EchOS", "manage_schedule", "upsert", []string{"schedule_task", "update_task"}, ""},
	{"EchOS", "manage_schedule", "upsert, enabled", []string{"update_task"}, "Pause"},
	{"EchOS", "manage_schedule", "list", []string{"list_tasks"}, ""},
	{"EchOS", "manage_schedule", "delete", []string{"cancel_task"}, "Delete"},
	{"Picobot", "cron", "add", []string{"schedule_task"}, ""},
	{"Picobot", "cron", "list", []string{"list_tasks"}, ""},
	{"Picobot", "cron", "cancel", []string{"cancel_task"}, "Delete"},
}

// calledElsewhere reports whether name, in lower case, is a tool of another assistant that our tool
// replaces.
func calledElsewhere(name, tool string) bool {
	return slices.ContainsFunc(ForeignTools, func(e ForeignTool) bool {
		return e.Tool == name &&
			slices.Contains(e.Tools, tool)
	})
}

// names returns the words of a text in lower case, to compare them with names of tools.
func names(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
