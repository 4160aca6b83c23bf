package command_test

import (
	"context"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
)

// fixedTools has the same tools for all users. The tools of the family "big" do not fit into a
// request.
type fixedTools struct{}

func (fixedTools) List(context.Context, string) ([]protocol.Tool, error) {
	return []protocol.Tool{
		{Name: "big_one", Family: "big", Description: strings.Repeat("x", 20<<10)},
		{Name: "big_two", Family: "big", Description: strings.Repeat("x", 20<<10)}, {Name: "forget", Family: "memory"},
		{Name: "get_time"}, {Name: "list_files"}, {Name: "note `today`", Family: "memory"},
	}, nil
}

// A family of tools can be kept open or closed by words and by buttons. Running the command twice
// does no harm.
func TestTools_KeepOrClose_ChangesToolList(t *testing.T) {
	h := newRig(t)
	h.live()
	if err := h.db.OpenedTools().AddTools(t.Context(), h.home, supervisor.OpenedTool{Name: "forget"}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ said, want string }{
		{"/tools", "Tools that are always open: `get_time`, `list_files`.\n\nOpen in this conversation:\n\n- " +
			"memory: `forget`\n\n" +
			"Closed (I open a family when I need it):\n\n- big: `big_one`, `big_two`\n- memory: `note today`"},
		{"/tools keep nothing", "There is no family of tools called `nothing`."},
		{"/tools drop memory", "I know /tools, which lists all tools"},
		{"/tools keep big", "There is no room for the tools of big: at most 40 tools of 24 KiB"},
		{"/tools keep Memory", "From your next message on, the tools of memory stay open in this conversation."},
		{"/tools", "Tools that are always open: `get_time`, `list_files`.\n\nOpen in this conversation:\n\n- " +
			"memory: `forget`, `note today` (kept open)\n\n" +
			"Closed (I open a family when I need it):\n\n- big: `big_one`, `big_two`"},
		{"/tools close memory", "The tools of memory are closed"},
		{"/tools", "Tools that are always open: `get_time`, `list_files`.\n\nClosed (I open a family when I need " +
			"it):\n\n- big: `big_one`, `big_two`\n- memory: `forget`, `note today`"},
	} {
		if got := h.ask(step.said); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: %q, want %q", step.said, got, step.want)
		}
	}
	message := h.pressAnswer("o:keep memory")
	if open, err := h.db.OpenedTools().List(t.Context(), h.home.ID); err != nil || len(open) != 2 || !strings.HasPrefix(message.Text, "From your next message on, the tools of memory") {
		t.Errorf("%+v are open, %v: %q", open, err, message.Text)
	}
	if gone := h.cleanings(); gone != nil {
		t.Errorf("the buttons are gone of %q", gone)
	}
}
