package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/problem"
)

// A disabled user's invite no longer works, even after the user is enabled again.
func TestUserDisable_RevokesInvites(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		c.mustRun("user", "invite", "cleo")
		if out := c.mustRun("user", "disable", "cleo"); !strings.Contains(out, "their unused invites are void") {
			c.t.Errorf("said %q", out)
		}
		c.mustRun("user", "enable", "cleo")
		if n := c.listUsers()["cleo"].Invites; n != 0 {
			c.t.Errorf("%d invites are open", n)
		}
		if got := strings.Join(c.auditedActions("invite.revoked"), ", "); got != "cleo invite.revoked" {
			c.t.Errorf("audited %q", got)
		}
	})
}

// If a former user has left data, their name is not given to somebody else.
func TestUserAdd_FormerName_OnlyForFormerOwner(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		home := filepath.Join(c.dir, "state", "homes", "dan")
		lay := func() { must(c.t, os.WriteFile(filepath.Join(home, "partLog.md"), []byte("private"), 0o600)) }
		c.mustRun("user", "add", "dan")
		c.mustRun("user", "remove", "dan")
		c.mustRun("user", "add", "dan") // dan's empty home does not count as data
		lay()
		c.mustRun("user", "remove", "dan")
		refusal := "this data of them is still stored: the folder " + home + ". "
		c.mustFail(refusal, "user", "add", "dan")
		c.mustFail("`mews user delete dan` first", "user", "add", "dan")
		c.mustFail("There is no stored data of eve to give back", "user", "add", "eve", "--again")
		if _, there := c.listUsers()["dan"]; there {
			c.t.Fatal("dan was added all the same")
		}
		out := c.mustRun("user", "add", "dan", "--again")
		if text, err := os.ReadFile(filepath.Join(home, "partLog.md")); string(text) != "private" || !strings.Contains(out, "is a user of Mews again") {
			c.t.Errorf("said %q; the partLog is %q, %v", out, text, err)
		}
		c.mustFail("There is a person called dan already", "user", "add", "dan", "--again")
		c.mustRun("user", "remove", "dan")
		c.mustRun("user", "delete", "dan", "--yes")
		if out := c.mustRun("user", "add", "dan"); strings.Contains(out, "again (") {
			c.t.Errorf("said %q", out)
		}
		if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
			c.t.Errorf("their folder has %v, %v", entries, err)
		}
	})
}

// A name is also reserved if the database has rows of its former user. /invite refuses a reserved
// name with the same words as the command line.
func TestInviteCommand_FormerName_IsRefused(t *testing.T) {
	s := newTwoPersonService(t)
	i := s.inviter()
	must(t, i.CheckName(t.Context(), "dan"))
	_, err := s.db.Conversations().FindOrCreate(t.Context(), "dan", supervisor.ChannelTelegram, "9", "")
	must(t, err)
	err = i.CheckName(t.Context(), "dan")
	words := problem.UserText(err)
	if supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden || !strings.Contains(words,
		"1 row in the database (conversation)") ||
		!strings.Contains(words, "`mews user add dan --again`") {
		t.Errorf("%v", err)
	}
	service := admin.New(s.adminOptions())
	_, err = service.AddPerson(t.Context(), admin.Caller{Admin: true}, admin.AddUserRequest{Name: "dan", Role: "user"})
	if problem.UserText(err) != words {
		t.Errorf("on the command line it is refused with %v", err)
	}
	_, err = service.AddPerson(t.Context(), admin.Caller{Admin: true}, admin.AddUserRequest{Name: "dan", Role: "user", Again: true})
	must(t, err)
	must(t, i.CheckName(t.Context(), "dan")) // the name dan is accepted, because dan is a user now
}

// `mews user delete` advises to export a user's data first, so exporting must work after the user
// was removed.
func TestExport_RemovedUser_Works(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		c.mustRun("user", "add", "dan")
		c.mustRun("user", "invite", "dan")
		must(c.t, os.WriteFile(filepath.Join(c.dir, "state", "homes", "dan", "partLog.md"), []byte("private"), 0o600))
		c.mustRun("user", "disable", "dan") // dan's row stays in the database
		c.mustRun("user", "remove", "dan")
		out, errs, code := c.run("", "user", "export", "dan")
		if code != 0 {
			c.t.Fatalf("exit %d, %s", code, errs)
		}
		got := archiveFiles(c.t, strings.NewReader(out))
		if got["files/partLog.md"] != "private" || !strings.Contains(got["transcript.jsonl"], `"table":"suspended"`) {
			c.t.Errorf("it has %v", got)
		}
		must(c.t, os.RemoveAll(filepath.Join(c.dir, "state", "homes", "dan")))
		out, errs, code = c.run("", "user", "export", "dan")
		if code != 0 {
			c.t.Fatalf("without a folder: exit %d, %s", code, errs)
		}
		if got := archiveFiles(c.t, strings.NewReader(out)); len(got) != 3 || !strings.Contains(got["transcript.jsonl"], `"table":"suspended"`) {
			c.t.Errorf("without a folder it has %v", got)
		}
		c.mustFail(`There is no user "nobody"`, "user", "export", "nobody", "--output", filepath.Join(c.dir, "nobody.tar.gz"))
	})
}

// Without a configured bot, an invite names no bot.
func TestInvite_NoTelegram_PrintsNoBotName(t *testing.T) {
	t.Parallel()
	withAndWithoutService(t, func(c *commandLine) {
		const none = "Telegram is not set up here"
		if out := c.mustRun("user", "add", "dan"); !strings.Contains(out, none) {
			c.t.Errorf("user add said %q", out)
		}
		if out := c.mustRun("user", "invite", "dan"); !strings.Contains(out, none) || !regexp.MustCompile(`/start [A-Z2-7]{26}\n`).MatchString(out) {
			c.t.Errorf("user invite said %q", out)
		}
	})
	s := newTwoPersonService(t)
	made, err := s.inviter().Invite(t.Context(), "cleo")
	if err != nil || !strings.HasPrefix(made.NoBotText, "Telegram is not set up here") {
		t.Errorf("made was %+v, %v", made, err)
	}
	s.config.Telegram.Token = config.NewSecret("42:x")
	if why := s.configuration.Summary().NoBotText(); why != "" {
		t.Errorf("with a bot: %q", why)
	}
}

// After a deletion was interrupted, nobody of that name can be added until it has ended.
func TestUserAdd_DuringDeletion_IsRefused(t *testing.T) {
	t.Parallel()
	c := newCommandLine(t, true)
	people := c.s.db.UserAccessStores().People
	c.mustRun("user", "add", "dan")
	if err := people.BeginDeletion(t.Context(), "dan", ""); supervisor.ErrorCodeOf(err) != supervisor.CodeInvalid {
		t.Errorf("the deletion of a present person began: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(c.dir, "state", "homes", "dan", "partLog.md"), nil, 0o600))
	c.mustRun("user", "remove", "dan")
	must(t, people.BeginDeletion(t.Context(), "dan", ""))
	const want = "Run `mews user delete dan` to end it"
	c.mustFail(want, "user", "add", "dan")
	c.mustFail(want, "user", "add", "dan", "--again")
	c.mustFail(want, "user", "invite", "dan")
	dan := supervisor.User{Name: "dan", Role: "user"}
	for _, err := range []error{c.s.inviter().CheckName(t.Context(), "dan"), people.Add(t.Context(), dan)} {
		if !strings.Contains(problem.UserText(err), want) {
			t.Errorf("refused with %v", err)
		}
	}
	if _, there := c.listUsers()["dan"]; there {
		t.Error("dan is a user")
	}
	c.mustRun("user", "delete", "dan", "--yes")
	c.mustRun("user", "add", "dan")
}
