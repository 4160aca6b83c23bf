package tools_test

import (
	"slices"
	"strings"
	"testing"

	"mews/supervisor/tools"
)

// tasks has the tools of the variable some, and the family of tools for scheduled work.
var tasks = append(slices.Clone(some),
	tool("tasks", "schedule_task", "Set a reminder, which says text at a time, or a task."),
	tool("tasks", "list_tasks", "Their reminders and tasks"),
	tool("tasks", "update_task", "Change a reminder or task."),
	tool("tasks", "cancel_task", "Delete a reminder or task."),
	tool("tasks", "get_task_results", "What came of tasks, newest first"),
	tool("history", "list_said", "List what was said."))

// A search for another assistant's tool name finds our tool with the same purpose, and no other
// tool.
func TestFindTools_ForeignToolName_FindsOurs(t *testing.T) {
	for words, want := range map[string]string{
		"cron": "schedule_task list_tasks cancel_task", "CRON": "schedule_task list_tasks cancel_task", "add_reminder": "schedule_task",
		"list_reminders": "list_tasks get_task_results", "complete_reminder": "cancel_task", "manage_schedule": "schedule_task list_tasks update_task cancel_task",
		"a cron job that comes every day": "schedule_task list_tasks cancel_task", "add_reminder, manage_schedule": "schedule_task",
	} {
		if got := strings.Join(tools.Names(tools.FindTools(tasks, words)), " "); got != want {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
}

// A search for a single word of another assistant's tool name finds nothing.
func TestFindTools_PartOfForeignName_FindsNone(t *testing.T) {
	for _, words := range []string{"add", "manage", "complete"} {
		if got := tools.Names(tools.FindTools(tasks, words)); len(got) > 0 {
			t.Errorf("%q finds %q", words, got)
		}
	}
}
