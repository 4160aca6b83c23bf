package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor/api"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
)

// searchModel is a model that calls the tool that the user names, with the rest of the message.
// Then it says the result.
func searchModel(r modeltest.Request) modeltest.Answer {
	if done := r.AnsweredCalls(); len(done) > 0 {
		return modeltest.Answer{Text: done[len(done)-1].Result}
	}
	if tool, args, ok := strings.Cut(strings.TrimPrefix(r.NewestUserMessage(), "@mews_bot "), " {"); ok {
		return modeltest.Answer{Calls: []modeltest.Call{{Name: tool, Args: "{" + args}}}
	}
	return modeltest.Answer{Text: "Noted."}
}

// The model finds messages that have left the history, even in another language. In a group it
// finds only messages of that group. It never finds messages of another user.
func TestSearch_FindsOwnMessagesOnly(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, searchModel, "", "alice, role: admin, totp: 'off'", "bob, totp: 'off'")
	l.open()
	l.say("bob", "My oolong is secret")
	l.awaitNewest("bob", "Noted.")
	for i, text := range []string{"I take oolong without sugar", "Der Tomatenkuchen braucht vierzig Minuten"} {
		l.say("alice", text)
		l.awaitAnswer("alice", i+1, "Noted.")
	}
	l.bot.Say(flatChat, l.telegramUser("alice"), "/allow")
	l.awaitInFlat("")
	l.bot.Say(flatChat, l.telegramUser("alice"), "@mews_bot the oolong for the flat is in the cupboard")
	l.awaitInFlat("Noted.")
	l.bot.Say(flatChat, l.telegramUser("alice"), "/new@mews_bot")
	l.say("alice", "/new")
	l.awaitAnswer("alice", 3, "")
	l.awaitFound("alice", `search_history {"words":"oolong"}`, "person: I take oolong without sugar", "after: ", "cupboard", "telegram group -")
	l.awaitFound("alice", `search_history {"words":"tomatenkuchen \" OR NOT ( * ^ NEAR"}`, "1. ", "person: Der Tomatenkuchen braucht vierzig Minuten")
	l.awaitFound("alice", `search_history {"words":"rhubarb"}`, "No match in all messages")
	l.awaitFound("alice", `search_history {"from":"today","who":"person"}`, "person: I take oolong without sugar\n", "Tomatenkuchen")
	l.awaitFound("alice", `search_history {"from":"soon"}`, `"soon" is no time that I can read`)
	l.awaitFound("alice", `search_history {}`, "Give words")
	l.awaitFound("alice", `search_home {"words":"rhubarb"}`, "No match in the text files of the home")
	garden := filepath.Join(l.UserHome("alice"), "garden.md")
	if err := os.WriteFile(garden, []byte("# Garden\n## Beds\nrhubarb behind the shed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	apptest.ChownToWorkers(t, l.UserHome("alice"))
	l.WaitUntilTrue(apptest.DefaultTestTimeout, "the home to be in the index", func() bool {
		var s api.Status
		err := control.CallOnce(t.Context(), l.Socket, api.MethodStatus, nil, &s)
		return err == nil && slices.ContainsFunc(s.Users, func(u api.UserStatus) bool { return u.Name == "alice" && u.Index.Files > 0 })
	})
	l.awaitFound("alice", `search_home {"words":"rhubarb"}`, "garden.md", "rhubarb behind the shed")
	for _, told := range l.told("alice") {
		if strings.Contains(told, "secret") {
			t.Errorf("alice is told %q", told)
		}
	}
	l.move(time.Minute) // the search ignores the current message
	n := len(l.told("alice"))
	l.say("alice", "/history")
	l.awaitAnswer("alice", n+1, "1. ")
	if text := lastOf(l.told("alice")); strings.Contains(text, "[search_") || !strings.Contains(text, "assistant: ") {
		t.Errorf("a call alone is told: %q", text)
	}
	l.bot.Say(flatChat, l.telegramUser("alice"), `@mews_bot search_history {"words":"oolong sugar Tomatenkuchen"}`)
	l.awaitInFlat("1. ")
	l.awaitInFlat("oolong for the flat is in the cupboard\n")
	for _, m := range l.bot.BotMessages(flatChat.ID) {
		if strings.Contains(m.Text, "without") || strings.Contains(m.Text, "vierzig") {
			t.Errorf("the group is told %q", m.Text)
		}
	}
}

// awaitFound lets a model search until the result contains these words, because the index lags
// behind.
func (l *gatedService) awaitFound(name, search string, words ...string) {
	l.T.Helper()
	for range 50 {
		n := len(l.told(name))
		l.say(name, search)
		l.awaitAnswer(name, n+1, "")
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(lastOf(l.told(name)), w) }) {
			return
		}
	}
	l.T.Fatalf("%s was told %q, without one of %q", name, lastOf(l.told(name)), words)
}

// awaitAnswer waits until a user has got n messages. The last one must begin with begin.
func (l *gatedService) awaitAnswer(name string, n int, begin string) {
	l.T.Helper()
	l.bot.WaitUntil(l.T, "an answer", func() bool {
		told := l.told(name)
		return len(told) >= n && strings.HasPrefix(lastOf(told), begin)
	})
}
