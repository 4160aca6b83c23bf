package command_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/access"
)

func TestLock_ClosesGateAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		ask     string
		codes   supervisor.TOTPPolicy
		guarded bool
		want    string
		closed  []string
		audited []string
	}{
		"here": {"/lock", "", true, "This chat is locked. Your messages wait until you send a code. A running answer continues; " +
			"/stop ends it.", []string{`ann in telegram "1"`}, []string{"ann lock telegram chat 1"}},
		"everywhere": {"/lock ALL", "", true, "All your chats are locked.", []string{"ann everywhere"},
			[]string{"ann lock everywhere: 3 chats"}},
		"unknown argument": {"/lock me", "", true, "I know /lock, which locks this chat", nil, nil},
		"no second factor": {"/lock", "", false, "There is nothing to lock: you have no second factor. Run `mews totp enroll ann`", nil, nil},
		"factor turned off": {"/lock all", supervisor.TOTPOff, false,
			"There is nothing to lock: the configuration has no second factor",
			nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t)
			h.moveTo("1")
			h.options.People = people{"ann": {Name: "ann", Codes: c.codes}}
			h.fakes.guarded = c.guarded
			h.live()
			if got := h.ask(c.ask); !strings.HasPrefix(got, c.want) {
				t.Errorf("told was %q", got)
			}
			if diff := cmp.Diff(c.closed, h.fakes.closed); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.audited, h.fakes.audited); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInvite_NotAdminOrNotPrivate_IsRefused(t *testing.T) {
	file := supervisor.File{SHA256: strings.Repeat("ab", 32), Size: 3, Name: "invite-bob.png", MediaType: "image/png"}
	made := access.Invitation{Code: "ABC234", ValidFor: 24 * time.Hour}
	linked := made
	linked.Link, linked.Files, linked.Added, linked.Enrols = "https://t.me/mews_bot?start=ABC234", []supervisor.File{file}, true, true
	for name, c := range map[string]struct {
		role    supervisor.Role
		chat    string
		ask     string
		made    access.Invitation
		want    string
		invited []string
	}{
		"with a link": {supervisor.RoleAdmin, "1", "/invite bob", linked, "`bob` is now a user, with a folder of their own. " +
			"Give this only to `bob`. The first person who uses it, within 24 hours, " +
			"speaks as `bob` from then on.\n\n" +
			"https://t.me/mews_bot?start=ABC234\n\nThey open that link, or write to me: `/start ABC234`\n\n" +
			"Then they get a second factor, and need it to write here.\n\nI delete this message in an hour.", []string{"bob"}},
		"without one": {supervisor.RoleAdmin, "1", "/invite bob", made,
			"Give this only to `bob`. The first person who uses it, " +
				"within 24 hours, speaks as `bob` from then on.\n\nThe new person opens the bot and sends it: `/start ABC234`\n\n" +
				"I delete this message in an hour.", []string{"bob"}},
		"in a group": {supervisor.RoleAdmin, "-1", "/invite bob", made,
			"Everybody here would read the code. Write /invite in our private chat.", nil},
		"no name": {supervisor.RoleAdmin, "1", "/invite", made,
			"Write a name: “/invite anna” makes a code for anna. If there is no anna yet, I add anna as a new person.",
			nil},
		"of a wrong name": {supervisor.RoleAdmin, "1", "/invite ../x", made, "Nobody can have that name.", nil},
		"by a user":       {supervisor.RoleUser, "1", "/invite bob", made, "Only an admin may use /invite.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t)
			h.moveTo(c.chat)
			h.setRole(c.role)
			h.fakes.made = c.made
			h.live()
			got := h.answerOf(h.keep(c.ask))
			if diff := cmp.Diff(c.want, got.Text); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.invited, h.fakes.invited); diff != "" {
				t.Error(diff)
			}
			if c.invited == nil {
				return
			}
			if got.DeleteAfter != time.Hour || !slices.Equal(got.Files, c.made.Files) {
				t.Errorf("given was %+v", got)
			}
			if diff := cmp.Diff([]string{"bob invite.made by ann, for 24h0m0s"}, h.fakes.audited); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Mews asks an admin to confirm an invitation, and the question may be open for an hour. If the
// admin loses the role meanwhile, nobody is invited.
func TestInvite_LostAdminRole_InvitesNobody(t *testing.T) {
	h := newRig(t)
	h.moveTo("1")
	staff := people{"ann": {Name: "ann", Role: supervisor.RoleAdmin}}
	h.options.People = staff
	h.fakes.whileAsked = func() { staff["ann"] = supervisor.User{Name: "ann", Role: supervisor.RoleUser} }
	h.live()
	if got := h.ask("/invite bob"); got != "Only an admin may use /invite." || len(h.fakes.asked) != 1 {
		t.Errorf("told was %q, asked %d times", got, len(h.fakes.asked))
	}
	if len(h.fakes.invited) != 0 || len(h.fakes.audited) != 0 {
		t.Errorf("invited were %q, audited %q", h.fakes.invited, h.fakes.audited)
	}
}

// An invite for an admin says in the question and in the answer what the code gives.
func TestInvite_ForAdmin_ExplainsAdminRights(t *testing.T) {
	h := newRig(t)
	h.moveTo("1")
	h.options.People = people{"ann": {Name: "ann", Role: supervisor.RoleAdmin}}
	h.fakes.made = access.Invitation{Code: "ABC234", ValidFor: 24 * time.Hour, Admin: true}
	h.live()
	const want = " `ann` is an admin, so this person can then manage Mews."
	if got := h.ask("/invite ann"); !strings.Contains(got, want) {
		t.Errorf("told was %q", got)
	}
	if len(h.fakes.asked) != 1 || !strings.HasSuffix(h.fakes.asked[0].Text, want) {
		t.Errorf("asked was %+v", h.fakes.asked)
	}
}

// The text depends on the channel, because Mews can't delete a message in a terminal. It also
// depends on whether there is a bot, because without a bot nobody can use a code.
func TestInvite_Text_DependsOnChannel(t *testing.T) {
	h := newRig(t)
	h.setRole(supervisor.RoleAdmin)
	h.fakes.made = access.Invitation{Code: "ABC234", ValidFor: 24 * time.Hour, NoBotText: "There is no bot. Make one."}
	h.live()
	got := h.answerOf(h.keep("/invite bob"))
	if want := "speaks as `bob` from then on.\n\nThere is no bot. Make one. Then they write to the bot: `/start ABC234`"; !strings.HasSuffix(got.Text, want) {
		t.Errorf("told was %q", got.Text)
	}
	if got.Conversation.Channel != supervisor.ChannelTerminal || got.DeleteAfter != time.Hour {
		t.Errorf("given was %+v", got)
	}
}

func TestAllow_NotAdminOrNotGroup_IsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		role  supervisor.Role
		chat  string
		ask   string
		stays bool
		want  string
		done  []string
	}{
		"allowed":           {supervisor.RoleAdmin, "-1", "/allow", false, "I now answer the people I know in this group.", []string{"allowed -1"}},
		"disallowed":        {supervisor.RoleAdmin, "-1", "/disallow", false, "I no longer answer in this group.", []string{"disallowed -1"}},
		"by configuration":  {supervisor.RoleAdmin, "-1", "/disallow", true, "The configuration allows this group", []string{"disallowed -1"}},
		"in a private chat": {supervisor.RoleAdmin, "1", "/allow", false, "/allow is for groups: add me to one", nil},
		"by a user":         {supervisor.RoleUser, "-1", "/allow", false, "Only an admin may use /", nil},
		"by nobody":         {"", "-1", "/disallow", false, "Only an admin may use /", nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t)
			h.moveTo(c.chat)
			h.setRole(c.role)
			h.fakes.stays = c.stays
			h.live()
			if got := h.ask(c.ask); !strings.HasPrefix(got, c.want) {
				t.Errorf("told was %q", got)
			}
			if diff := cmp.Diff(c.done, h.fakes.groups); diff != "" {
				t.Error(diff)
			}
			if audited := len(h.fakes.audited) == 1; audited != (c.done != nil && !c.stays) {
				t.Errorf("audited were %q", h.fakes.audited)
			}
		})
	}
}

// grant stores a permanent approval, as if ann had pressed a button.
func (h *rig) grant(subject, text string) {
	h.Helper()
	q := supervisor.Question{Conversation: h.home, Kind: supervisor.QuestionApproval, Tool: "send_file", Subject: strings.Repeat(subject, 64),
		Text: text, OpenFor: time.Hour}
	digest := strings.Repeat(subject+"f", 32)
	if _, _, err := h.db.Questions().Ask(h.Context(), q, digest, nil); err != nil {
		h.Fatal(err)
	}
	_, came, err := h.db.Questions().RecordPress(h.Context(), supervisor.QuestionPress{Digest: digest, User: "ann",
		Conversation: h.home.ID,
		Word:         string(supervisor.AnswerChoiceAlways)})
	if err != nil || came != supervisor.PressAccepted {
		h.Fatal(came, err)
	}
}

func TestGrants_ListedThenRevoked_AreGone(t *testing.T) {
	h := newRig(t)
	h.moveTo("1")
	h.options.People = people{"ann": {Name: "ann", Timezone: "UTC"}}
	h.live()
	h.grant("a", "Send `a.txt`\nto this chat?")
	h.grant("b", strings.Repeat("long ", 100))
	h.grant("c", "Send c?")
	day := time.Now().UTC().Format("2 January 2006")
	listing := func(lines ...string) string {
		return "You always allow these:\n\n" + strings.Join(lines, "\n") + "\n\n“/grants revoke NUMBER” revokes one. Then I ask you again."
	}
	a, b, c := "- number 1, since "+day+": Send `a.txt` to this chat?",
		"- number 2, since "+day+": "+strings.Repeat("long ", 40)+"…", "- number 3, since "+day+": Send c?"
	got := h.answerOf(h.keep("/grants"))
	if diff := cmp.Diff(listing(a, b, c), got.Text); diff != "" {
		t.Error(diff)
	}
	if want := [][]supervisor.Button{{{Text: "Revoke number 1", Press: "g:1"}}, {{Text: "Revoke number 2", Press: "g:2"}},
		{{Text: "Revoke number 3", Press: "g:3"}}}; !cmp.Equal(want, got.Buttons) {
		t.Errorf("buttons are %+v", got.Buttons)
	}
	for _, step := range []struct{ ask, want string }{
		{"/grants revoke 2", "I revoked number 2. From now on I ask you again."},
		{"/grants revoke #2", "There is no grant with the number 2 for ann."},
		{"/grants revoke all", "There is no grant with the number `all`."},
		{"/grants revoke", "There is no grant with the number (without a name)"},
		{"/grants 2", "I know /grants, and “/grants revoke NUMBER”, but not `2`."},
		{"/grants", listing(a, c)},
	} {
		if got := h.ask(step.ask); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: told was %q", step.ask, got)
		}
	}
	if got := h.pressAnswer("g:3"); got.Text != "I revoked number 3. From now on I ask you again." {
		t.Errorf("told was %q", got.Text)
	}
	if got := h.ask("/grants"); got != listing(a) {
		t.Errorf("left is %q", got)
	}
	h.moveTo("-1")
	if got := h.ask("/grants"); !strings.HasPrefix(got, "Your list of grants is private.") {
		t.Errorf("a group is told %q", got)
	}
}

// A command with a private answer is answered in the private chat, even if it was sent in a group.
func TestGroup_PersonalCommand_AnswersInPrivate(t *testing.T) {
	for ask, begin := range map[string]string{"/settings": "Your settings", "/usage": "Your use of models", "/activity": "Nothing was done", "/model": "`offline` answers you",
		"/settings model": "`offline` answers you"} {
		h := newRig(t)
		h.options.People = people{"ann": {Name: "ann", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "1"}}}
		h.moveTo("1")
		private := h.home
		h.moveTo("-1")
		h.live()
		h.commands.Accept(h.keep(ask))
		<-h.answered // waits for the private answer
		<-h.answered // waits until the command is done
		<-h.answered // waits for the text in the group
		if told := h.answers(h.home); !slices.Equal(told, []string{"I answered"}) {
			t.Errorf("%s: the group is told %q", ask, told)
		}
		h.home = private
		if told := h.outbox(); len(told) != 1 || !strings.HasPrefix(told[0].Text, begin) {
			t.Errorf("%s: ann is told %+v", ask, told)
		}
	}
}

func TestNewCommand_WithText_BeginsTurn(t *testing.T) {
	h := newRig(t)
	var begun []string
	h.options.Begin = func(_ context.Context, c supervisor.Conversation, _ int64, text string) error {
		begun = append(begun, c.User+": "+text)
		return nil
	}
	h.live()
	if got := h.ask("/new buy milk"); !strings.HasPrefix(got, "A new topic.") || !slices.Equal(begun, []string{"ann: buy milk"}) {
		t.Errorf("told was %q, begun %q", got, begun)
	}
}

func TestModels_ListsChatModelsOnly(t *testing.T) {
	h := newRig(t)
	h.options.Models = models{{Spec: "far/gpt-5"}, {Spec: "far/text-embedding-3-small"}, {Spec: "far/whisper-1"}, {Spec: "offline", Default: true}}
	h.live()
	if got := h.ask("/models"); !strings.Contains(got, "gpt-5") || strings.Contains(got, "embedding") || strings.Contains(got, "whisper") {
		t.Errorf("told was %q", got)
	}
}
