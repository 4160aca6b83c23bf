package app

import (
	"context"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/admin"
	"mews/supervisor/api"
	"mews/supervisor/command"
	"mews/supervisor/problem"
	"mews/supervisor/schedule"
	"mews/supervisor/sqlite"
	"mews/supervisor/users"
)

func TestInviteCommand_LetsUserIn(t *testing.T) {
	s := newTwoPersonService(t)
	bot := ""
	i := s.inviter()
	i.Bot = func() string { return bot }
	made, err := i.Invite(t.Context(), "cleo")
	must(t, err)
	if cleo, known := s.people.Find("cleo"); !known || cleo.Role != supervisor.RoleUser || !made.Added {
		t.Errorf("made was %+v of %+v", made, cleo)
	}
	if _, err := os.Stat(filepath.Join(s.config.State, "homes", "cleo")); err != nil {
		t.Error(err)
	}
	if made.Link != "" || len(made.Files) != 0 || made.Enrols || made.ValidFor != 24*time.Hour {
		t.Errorf("made was %+v", made)
	}
	used, err := s.db.UserAccessStores().Invites.Redeem(t.Context(), access.DigestInviteCode(made.Code),
		supervisor.ChannelTelegram, "77", "")
	must(t, err)
	if used.User != "cleo" || used.Enrol || time.Until(used.ExpiresAt).Round(time.Hour) != 24*time.Hour {
		t.Errorf("used was %+v", used)
	}
	must(t, s.configuration.Refresh(t.Context()))
	if who, known := s.people.FindByAccount(supervisor.ChannelTelegram, "77"); !known || who.Name != "cleo" {
		t.Errorf("77 is %+v", who)
	}

	bot = "@mews_bot"
	made, err = i.Invite(t.Context(), "ann") // ann must have a second factor, so the invite also enrols one
	must(t, err)
	if made.Added || !made.Enrols || made.Link != "https://t.me/mews_bot?start="+made.Code || len(made.Files) != 1 {
		t.Fatalf("made was %+v", made)
	}
	file := made.Files[0]
	picture, bytes, err := s.spool.OpenBlob(file.SHA256)
	must(t, err)
	defer picture.Close()
	if _, err := png.Decode(picture); err != nil || bytes != file.Size || file.Name != "invite-ann.png" {
		t.Errorf("the picture is %+v, %v", file, err)
	}
}

func TestInviter_BadOrSuspendedName_IsRefused(t *testing.T) {
	s := newTwoPersonService(t)
	must(t, s.db.UserAccessStores().People.Suspend(t.Context(), "ben", true))
	must(t, s.configuration.Refresh(t.Context()))
	i := s.inviter()
	for name, want := range map[string]string{
		"ann": "", "cleo": "", "ben": "ben is suspended, and an invite would not change that.", "../x": `Nobody can be invited as "../x"`,
		"": `Nobody can be invited as ""`, "Cleo": `Nobody can be invited as "Cleo"`,
	} {
		if err := i.CheckName(t.Context(), name); (err == nil) != (want == "") || want != "" &&
			!strings.HasPrefix(problem.UserText(err), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestGroup_AllowThenDisallow_StopsAnswers(t *testing.T) {
	s := newTwoPersonService(t)
	g := users.Groups{Loader: s.configuration.Loader}
	c := supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTelegram, Chat: "-7"}
	must(t, g.Allow(t.Context(), c))
	if !s.people.IsGroupAllowed(c.Channel, c.Chat) {
		t.Error("it is not allowed")
	}
	if stays, err := g.Disallow(t.Context(), c); stays || err != nil || s.people.IsGroupAllowed(c.Channel, c.Chat) {
		t.Errorf("it stays: %v, %v", stays, err)
	}
	c.Chat = "-5" // id of a group that the configuration allows
	if stays, err := g.Disallow(t.Context(), c); !stays || err != nil {
		t.Errorf("it stays: %v, %v", stays, err)
	}
}

// unlock gives ann a second factor, and opens her gate in a chat.
func unlock(t *testing.T, s *service, c supervisor.Conversation) {
	t.Helper()
	must(t, s.db.UserAccessStores().Factors.Put(t.Context(), "ann", []byte("sealed"), nil))
	right := func(f supervisor.SecondFactor, _ time.Time) (supervisor.SecondFactor, supervisor.LoginCodeResult) {
		f.Confirmed = true
		return f, supervisor.LoginCodeResult{Right: true, Action: "login", Text: "Unlocked."}
	}
	_, err := s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "test",
		Items: []supervisor.BatchItem{{
			Inbound:  supervisor.Inbound{Conversation: c, Source: "test", Key: "code", Kind: supervisor.KindLoginCode},
			Decision: supervisor.GateDecision{CheckCode: right},
		}}})
	must(t, err)
}

func TestStatusCommand_ShowsGateAndBudget(t *testing.T) {
	s := newTwoPersonService(t)
	c, err := s.db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTelegram, "42", "")
	must(t, err)
	told := func(want string) {
		t.Helper()
		if got, err := s.ownStatus(s.statusReporter()).GateAndBudgetLines(t.Context(), c); err != nil || got != want {
			t.Errorf("told was %q, %v; want %q", got, err, want)
		}
	}
	told("gate    open; no second factor\nbudget  $2.50 of $2.50 is left today")
	unlock(t, s, c)
	told("gate    open for another 30m0s; /lock locks it\nbudget  $2.50 of $2.50 is left today")
	l := sqlite.Gates{UserAccessStores: s.db.UserAccessStores()}
	if guarded, err := l.HasFactor(t.Context(), "ann"); !guarded || err != nil {
		t.Errorf("ann has no second factor: %v", err)
	}
	if guarded, err := l.HasFactor(t.Context(), "ben"); guarded || err != nil {
		t.Errorf("ben has a second factor: %v", err)
	}
	must(t, l.CloseGate(t.Context(), c))
	_, err = s.db.Inbox().StoreBatch(t.Context(), supervisor.InboundBatch{Source: "test",
		Items: []supervisor.BatchItem{{
			Inbound:  supervisor.Inbound{Conversation: c, Source: "test", Key: "text", Kind: supervisor.KindText, Text: "hello"},
			Decision: supervisor.GateDecision{Check: &supervisor.GateCheck{IdleTimeout: time.Hour, Lifetime: time.Hour, Challenge: "Locked."}},
		}}})
	must(t, err)
	told("gate    locked\nheld    1 message until you send a code\nbudget  $2.50 of $2.50 is left today")
	if n, err := l.CloseUserGates(t.Context(), "ann"); n != 0 || err != nil {
		t.Errorf("%d chats were open, %v", n, err)
	}
}

// The parts are those of a real service. Only the sessions are missing, because they run turns.
func TestCommandOptions_AllFields_AreSet(t *testing.T) {
	s := newTwoPersonService(t)
	s.audit, s.schedule = admin.NewAuditWriter(s.db.Audit(), s.log), schedule.New(schedule.Options{})
	o := chatCommands{s}.commandOptions(nil, api.StatusReporter{})
	for name, part := range map[string]any{"questions": o.Questions, "cleanings": o.Cleanings, "approver": o.Approver, "locks": o.Locks,
		"invites": o.Invites, "groups": o.Groups, "grants": o.Grants, "settings": o.Settings, "usages": o.Usages, "budgets": o.Budgets,
		"pictures": o.Pictures} {
		if part == nil {
			t.Errorf("there are no %s", name)
		}
	}
	answered := make(chan int64, 1)
	o.Queued = func(c int64) { answered <- c }
	commands, err := command.New(o)
	must(t, err)
	c, err := s.db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTelegram, "42", "")
	must(t, err)
	in, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: c, Source: "test", Key: "1",
		Message: "9",
		Kind:    supervisor.KindPress, Text: "s:stream off"})
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- commands.Run(ctx) }()
	accept(nil, commands, nil, func() {})(in)
	<-answered
	stop()
	must(t, <-ended)
	if s.settings.StreamsReplies(c.User) {
		t.Error("what was pressed was not set")
	}
	list, err := s.db.Outbox().ListPending(t.Context(), c.ID, 0, 10)
	if err != nil || len(list) != 1 || list[0].Text != "From now on stream is off, set by you." {
		t.Errorf("told was %+v, %v", list, err)
	}
	if due, err := s.db.MessageCleanups().ListDue(t.Context(), c.Channel, time.Now(), 10); err != nil || len(due) != 0 {
		t.Errorf("of the buttons of /settings, which stay, to be cleaned is %+v, %v", due, err)
	}
}
