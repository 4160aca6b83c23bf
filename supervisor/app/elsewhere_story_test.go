package app_test

import (
	"slices"
	"testing"

	"mews/supervisor/tools"
)

// A model that searches by another product's name for a tool gets and uses the tool of Mews. Each
// known name leads only to tools that exist.
func TestFindTools_OtherProductsName_FindsMewsTool(t *testing.T) {
	t.Parallel()
	m := &taskModel{chat: scriptedModel{
		{words: "every morning", calls: calls("find_tools", `{"words":"cron"}`, "schedule_task", `{"when":"weekdays 8:30","text":"stand up"}`), answer: "It is set."},
		{words: "what else", calls: calls("find_tools", `{"words":"tasks"}`,
			"find_tools", `{"words":"todos"}`), answer: "That is all."},
	}}
	l := newTaskService(t, m, "")
	l.say("alice", "tell me every morning to stand up")
	l.awaitLastTold("alice", "It is set.")
	offered := func() (names []string) {
		requests := l.model.Requests()
		for _, tool := range requests[len(requests)-1].Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	if got := offered(); !slices.Contains(got, "schedule_task") || slices.Contains(got, "update_task") {
		t.Errorf("once it has looked for cron it is offered %q", got)
	}
	if n := l.query("SELECT count(*) FROM job WHERE kind = 'reminder'"); n != "1" {
		t.Errorf("%s reminders are set", n)
	}
	l.sayInChat("what else is there?")
	for _, e := range tools.ForeignTools {
		for _, name := range e.Tools {
			if !slices.Contains(offered(), name) {
				t.Errorf("%s's %s is done by %s, which is not there: %q", e.Assistant, e.Tool, name, offered())
			}
		}
	}
}
