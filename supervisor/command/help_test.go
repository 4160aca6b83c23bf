package command_test

import (
	"slices"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/command"
	"mews/supervisor/feature"
)

// manualPages returns two pages for all users, and one for admins.
func manualPages() []command.ManualPage {
	return []command.ManualPage{
		{Name: "chat", First: "# The chat", Text: "# The chat\n\nAll of it."},
		{Name: "tasks", First: "# Tasks", Text: "# Tasks"},
		{Name: "install", First: "# Install", Text: "# Install", ForAdmins: true},
	}
}

func TestHelp_Overview_NamesGroupsAndPages(t *testing.T) {
	for role, want := range map[supervisor.Role]string{supervisor.RoleUser: "", supervisor.RoleAdmin: "install"} {
		h := newRig(t)
		h.setRole(role)
		h.options.Manual = manualPages
		h.live()
		got := h.ask("/help")
		for _, part := range []string{"/stop - ", "- chat: /start, /queue, /followup, /lock, /resend\n",
			": chat, tasks.\n"} {
			if !strings.Contains(got, part) {
				t.Errorf("%s: got %q, which lacks %q", role, got, part)
			}
		}
		if admin := want != ""; strings.Contains(got, "install") != admin || strings.Contains(got, "/invite") != admin {
			t.Errorf("%s: got %q", role, got)
		}
	}
}

func TestHelp_Word_ExplainsAllMatches(t *testing.T) {
	h := newRig(t)
	h.setRole(supervisor.RoleUser)
	h.options.Manual = manualPages
	h.live()
	for word, want := range map[string]string{
		"/stop": "/stop - end the running answer", "STOP": "/stop - ", "clear": "/new - ", "assist": "/model - ",
		"chat": "/queue - ", " chat ": "\n# The chat\n\nAll of it.", "task": "# Tasks",
		"shat": "Did you mean chat?", "mode": "Did you mean model or models?",
		"nonsense": "`nonsense`. /help lists", "install": "There is no",
		"invite": "There is no", "admin": "There is no",
	} {
		if got := h.ask("/help " + word); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, which lacks %q", word, got, want)
		}
	}
}

func TestHelp_LongPage_IsSentAsFile(t *testing.T) {
	h := newRig(t)
	kept := &pictures{}
	h.options.Manual, h.options.Pictures = manualPages, kept
	h.moveTo("1")
	h.live()
	got := h.answerOf(h.keep("/help chat"))
	if len(got.Files) != 1 || got.Files[0].Name != "chat.md" || string(kept.kept[0]) != manualPages()[0].Text ||
		!strings.Contains(got.Text, "# The chat\n\nThis is the beginning.") {
		t.Errorf("got %+v", got)
	}
	if got := h.answerOf(h.keep("/help tasks")); len(got.Files) != 0 || got.Text != "# Tasks" {
		t.Errorf("a short page came as %+v", got)
	}
}

func TestHiddenCommands_NotInHelpOrMenu(t *testing.T) {
	h := newRig(t)
	h.options.Hidden = []feature.HelpGroup{feature.HelpGroupPrivacy}
	commands := h.newCommands()
	h.live()
	isGrants := func(e command.MenuEntry) bool { return e.Name == "grants" }
	if slices.ContainsFunc(commands.Menu(true), isGrants) || strings.Contains(h.ask("/help"), "/grants") {
		t.Error("a hidden group is listed")
	}
	if got := h.ask("/help grants"); !strings.HasPrefix(got, "/grants - ") {
		t.Errorf("its command is explained as %q", got)
	}
}
