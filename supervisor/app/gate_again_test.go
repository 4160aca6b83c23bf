package app

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/sqlite"
)

// However many codes others try, whoever has a right one is let in, and nobody is blamed for what the others did.
func TestARightCodeWorksWhateverOthersTry(t *testing.T) {
	p := newPorch(t)
	start := p.invited()
	var crowd []supervisor.Incoming
	for id := range int64(20) {
		for n := range 6 {
			crowd = append(crowd, p.letter(9000+id, 9000+id, fmt.Sprintf(`,"text":"/start x%d"`, n)))
		}
	}
	p.take(1, crowd...)
	noted := len(p.audited)
	p.take(2, start(303))
	if want := []string{"alice@303: /start"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	if len(p.audited) != noted {
		t.Errorf("the one with the right code is audited: %q", p.audited[noted:])
	}
	if noted > 30+20 {
		t.Errorf("%d codes of the crowd are noted", noted)
	}
}

// Somebody who mistyped a code as often as is noted is let in by the right one.
func TestARightCodeWorksAfterManyWrongOnes(t *testing.T) {
	p := newPorch(t)
	start := p.invited()
	for range 12 {
		p.take(1, p.letter(303, 303, `,"text":"/start WRONG"`))
	}
	p.take(2, start(303))
	if want := []string{"alice@303: /start"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
}

// Nobody is let in by the invite of a person who is shut out, and is offered nothing.
func TestTheInviteOfSomebodySuspendedIsGoodForNothing(t *testing.T) {
	p := newPorch(t)
	p.pairing.seal, p.pairing.conversations, p.pairing.outbox = access.NewSeal([access.KeySize]byte{1}), p.db.Conversations(), p.db.Outbox()
	start := p.invited()
	must(t, p.db.Access().People.Suspend(t.Context(), "alice", true))
	p.take(1, start(303))
	bound, err := p.db.Access().Bindings.List(t.Context())
	if err != nil || len(bound) != 0 || len(p.texts()) != 0 {
		t.Errorf("bound are %v, %v; accepted %q", bound, err, p.texts())
	}
	if want := []string{"invite.refused: 303 had a code that is not good"}; !slices.Equal(p.audited, want) {
		t.Errorf("audited %q", p.audited)
	}

	// One who was let in before, with the right to make a second factor.
	must(t, p.db.Access().People.Suspend(t.Context(), "alice", false))
	code, digest := access.NewInvite()
	must(t, p.db.Access().Invites.Put(t.Context(), sqlite.Invite{Digest: digest, User: "alice", ExpiresAt: time.Now().Add(time.Hour), Enrol: true}))
	_, err = p.db.Access().Invites.Redeem(t.Context(), digest, supervisor.ChannelTelegram, "101", "alice")
	must(t, err)
	alice, _ := p.people.Find("alice")
	must(t, p.people.Set([]supervisor.User{alice}, access.Stored{Suspended: []string{"alice"}}))
	p.take(2, p.letter(101, 101, `,"text":"/start `+code.Reveal()+`"`))
	l := p.letter(101, 101, `,"text":"/start"`)
	must(t, p.pairing.resume(t.Context(), alice, &l))
	if answers := p.answers("alice", "101"); len(answers) != 0 {
		t.Errorf("offered was %q", answers)
	}
}

func TestASecondFactorIsOfferedAsWhatItIs(t *testing.T) {
	for codes, want := range map[supervisor.Codes]string{
		supervisor.CodesRequired: "Your chat is locked by a second factor.",
		supervisor.CodesOptional: "Your chat can be locked by a second factor. It is not locked yet: from the first code on",
		"":                       "Your chat can be locked by a second factor. It is not locked yet: from the first code on",
	} {
		if got := offered(codes); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q", codes, got)
		}
	}
}

// Who is disabled has no invite any more, also once they are enabled again.
func TestDisablingTakesInvitesBack(t *testing.T) {
	bothWays(t, func(c *counter) {
		c.does("user", "invite", "cleo")
		if out := c.does("user", "disable", "cleo"); !strings.Contains(out, "invites of theirs that nobody has used are good for nothing") {
			c.t.Errorf("said %q", out)
		}
		c.does("user", "enable", "cleo")
		if n := c.people()["cleo"].Invites; n != 0 {
			c.t.Errorf("%d invites are open", n)
		}
		if got := strings.Join(c.audited("invite.revoked"), ", "); got != "cleo invite.revoked" {
			c.t.Errorf("audited %q", got)
		}
	})
}

// A name that somebody had before is not given away with what is theirs.
func TestANameIsGivenAgainOnlyToWhoseItWas(t *testing.T) {
	bothWays(t, func(c *counter) {
		home := filepath.Join(c.dir, "state", "homes", "dan")
		lay := func() { must(c.t, os.WriteFile(filepath.Join(home, "diary.md"), []byte("private"), 0o600)) }
		c.does("user", "add", "dan")
		c.does("user", "remove", "dan")
		c.does("user", "add", "dan") // an empty folder is nothing of theirs
		lay()
		c.does("user", "remove", "dan")
		refusal := "this is still kept of them: the folder " + home + ". "
		c.refuses(refusal, "user", "add", "dan")
		c.refuses("`mews user delete dan` first", "user", "add", "dan")
		c.refuses("Nothing is kept of eve that could be given back", "user", "add", "eve", "--again")
		if _, there := c.people()["dan"]; there {
			c.t.Fatal("dan was added all the same")
		}
		out := c.does("user", "add", "dan", "--again")
		if text, err := os.ReadFile(filepath.Join(home, "diary.md")); string(text) != "private" || !strings.Contains(out, "is a user of Mews again") {
			c.t.Errorf("said %q; the diary is %q, %v", out, text, err)
		}
		c.refuses("There is a person called dan already", "user", "add", "dan", "--again")
		c.does("user", "remove", "dan")
		c.does("user", "delete", "dan", "--yes")
		if out := c.does("user", "add", "dan"); strings.Contains(out, "again (") {
			c.t.Errorf("said %q", out)
		}
		if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
			c.t.Errorf("their folder has %v, %v", entries, err)
		}
	})
}

// What the database has of a name counts as its folder does, and /invite refuses with the same words as the command line.
func TestAnInviteInTheChatGivesNobodyAnothersThings(t *testing.T) {
	s := newStudy(t)
	i := invites{s.configuration, s.spool, s.botName, time.Now}
	must(t, i.Check(t.Context(), "dan"))
	_, err := s.db.Conversations().Find(t.Context(), "dan", supervisor.ChannelTelegram, "9", "")
	must(t, err)
	err = i.Check(t.Context(), "dan")
	words := supervisor.ErrorMessage(err)
	if supervisor.ErrorCode(err) != supervisor.CodeForbidden || !strings.Contains(words, "1 row in the database (conversation)") ||
		!strings.Contains(words, "`mews user add dan --again`") {
		t.Errorf("%v", err)
	}
	desk := household{newOffice(s)}
	_, err = desk.addPerson(t.Context(), clerk{admin: true}, Newcomer{Name: "dan", Role: "user"})
	if supervisor.ErrorMessage(err) != words {
		t.Errorf("on the command line it is refused with %v", err)
	}
	_, err = desk.addPerson(t.Context(), clerk{admin: true}, Newcomer{Name: "dan", Role: "user", Again: true})
	must(t, err)
	must(t, i.Check(t.Context(), "dan")) // who is a user by now
}

// What `mews user delete` advises before it deletes is possible.
func TestWhoWasRemovedIsExported(t *testing.T) {
	bothWays(t, func(c *counter) {
		c.does("user", "add", "dan")
		c.does("user", "invite", "dan")
		must(c.t, os.WriteFile(filepath.Join(c.dir, "state", "homes", "dan", "diary.md"), []byte("private"), 0o600))
		c.does("user", "disable", "dan") // which stays in the database
		c.does("user", "remove", "dan")
		out, errs, code := c.types("", "user", "export", "dan")
		if code != 0 {
			c.t.Fatalf("exit %d, %s", code, errs)
		}
		got := unpack(c.t, strings.NewReader(out))
		if got["files/diary.md"] != "private" || !strings.Contains(got["transcript.jsonl"], `"table":"suspended"`) {
			c.t.Errorf("it has %v", got)
		}
		must(c.t, os.RemoveAll(filepath.Join(c.dir, "state", "homes", "dan")))
		out, errs, code = c.types("", "user", "export", "dan")
		if code != 0 {
			c.t.Fatalf("without a folder: exit %d, %s", code, errs)
		}
		if got := unpack(c.t, strings.NewReader(out)); len(got) != 3 || !strings.Contains(got["transcript.jsonl"], `"table":"suspended"`) {
			c.t.Errorf("without a folder it has %v", got)
		}
		c.refuses(`There is no user "nobody"`, "user", "export", "nobody", "--output", filepath.Join(c.dir, "nobody.tar.gz"))
	})
}

// Where there is no bot nobody is sent to one.
func TestWithoutTelegramNobodyIsSentToABot(t *testing.T) {
	bothWays(t, func(c *counter) {
		const none = "Telegram is not set up here"
		if out := c.does("user", "add", "dan"); !strings.Contains(out, none) {
			c.t.Errorf("user add said %q", out)
		}
		if out := c.does("user", "invite", "dan"); !strings.Contains(out, none) || !regexp.MustCompile(`/start [A-Z2-7]{26}\n`).MatchString(out) {
			c.t.Errorf("user invite said %q", out)
		}
	})
	s := newStudy(t)
	made, err := invites{s.configuration, s.spool, s.botName, time.Now}.Invite(t.Context(), "cleo")
	if err != nil || !strings.HasPrefix(made.Botless, "Telegram is not set up here") {
		t.Errorf("made was %+v, %v", made, err)
	}
	s.Config.Telegram.Token = config.NewSecret("42:x")
	if why := botless(s.Config); why != "" {
		t.Errorf("with a bot: %q", why)
	}
}
