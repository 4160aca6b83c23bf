package command_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"go.uber.org/goleak"

	"mews/supervisor"
	"mews/supervisor/command"
	"mews/supervisor/feature"
	"mews/supervisor/problem"
	"mews/supervisor/slash"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sessions runs at most one turn. The turn ends when the test closes turnEnd.
type sessions struct {
	mu         sync.Mutex
	turnEnd    chan struct{}        // closed by the test to end the turn; nil if no turn runs
	stopResult sqlite.PrecedingText // result of StopTurn
	lastStop   int64                // id of the command that last stopped a turn
	stoppedNow []int64              // conversations whose turns were stopped without a stored command
}

func (s *sessions) StopTurn(ctx context.Context, _ supervisor.Conversation, command int64) (sqlite.PrecedingText,
	error) {
	s.mu.Lock()
	s.lastStop = command
	over, ahead := s.turnEnd, s.stopResult
	s.mu.Unlock()
	if over == nil {
		return sqlite.PrecedingText{}, nil
	}
	select {
	case <-over:
		return ahead, nil
	case <-ctx.Done():
		return sqlite.PrecedingText{}, context.Cause(ctx)
	}
}

func (s *sessions) StopTurnWithoutStoring(conversation int64) bool {
	s.stoppedNow = append(s.stoppedNow, conversation)
	return s.turnEnd != nil
}

// rig has Commands on a real database, with fakes for everything else.
type rig struct {
	*testing.T
	db         *sqlite.DB
	sessions   *sessions
	fakes      *fakeService
	options    command.Options
	commands   *command.Commands
	begunTexts []string // texts of the turns that commands began
	answered   chan int64
	home       supervisor.Conversation
	keys       int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	h := &rig{T: t, db: sqlitetest.Open(t), sessions: &sessions{stopResult: sqlite.PrecedingText{Inbound: 1, Why: "stopped"}}, answered: make(chan int64, 100)}
	h.fakes = &fakeService{}
	h.options = command.Options{
		Questions: h.fakes, Cleanings: h.db.MessageCleanups(), Approver: h.fakes, Locks: h.fakes,
		Invites: invites{h.fakes},
		Groups:  groups{h.fakes}, Grants: h.db.Grants(), Settings: h.fakes, Uploads: noUploads{},
		OfferZone: noOffer, Tools: fixedTools{}, OpenedTools: h.db.OpenedTools(),
		Audit: h.fakes.audit,
		Store: h.db.Inbox(), Outbox: fixedOutcomeOutbox{h.db.Outbox(), supervisor.OutcomeSent},
		Sessions: h.sessions, Topics: h.db.Transcript(),
		Resender: fakeResender{},
		Status:   func(context.Context, supervisor.Conversation) (string, error) { return "all is well", nil },
		Doctor:   func(context.Context) (string, error) { return `[]`, nil },
		Welcome:  func(_ context.Context, c supervisor.Conversation) string { return "Welcome, " + c.User + "." },
		Begin: func(_ context.Context, _ supervisor.Conversation, _ int64, text string) error {
			h.begunTexts = append(h.begunTexts, text)
			return nil
		},
		AnswerAgain: func(_ context.Context, press, edited int64) (bool, error) { return edited == 7, nil },
		RetryTurn: func(_ context.Context, _ supervisor.Conversation, turn int64) (bool, error) {
			return turn == 7, nil
		},
		Queued: func(conversation int64) { h.answered <- conversation },
		Queue:  h.db.Inbox(), Now: time.Now,
		Models: models{{Spec: "offline", Default: true}}, Choices: modelChoices{}, People: people{},
		Effects: h.db.Effects(), Usages: &usages{}, Budgets: budgets{}, Pictures: &pictures{},
		Log: hclog.NewNullLogger(),
	}
	c, err := h.db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTerminal, "", "")
	if err != nil {
		t.Fatal(err)
	}
	h.home = c
	return h
}

// newCommands makes Commands from the options.
func (h *rig) newCommands() *command.Commands {
	h.Helper()
	commands, err := command.New(h.options)
	if err != nil {
		h.Fatal(err)
	}
	return commands
}

// live runs the Commands until the test ends, or calls the returned function.
func (h *rig) live() (end func()) {
	h.commands = h.newCommands()
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func(c *command.Commands) { ran <- c.Run(ctx) }(h.commands)
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil {
			h.Error(err)
		}
	})
	h.Cleanup(end)
	return end
}

func (h *rig) keep(text string) supervisor.Inbound {
	h.Helper()
	h.keys++
	return h.keepAs(fmt.Sprint("key-", h.keys), text)
}

func (h *rig) keepAs(key, text string) supervisor.Inbound {
	h.Helper()
	name, _ := slash.Parse(text)
	in, _, err := h.db.Inbox().StoreInbound(h.Context(), supervisor.Inbound{Conversation: h.home, Source: "test",
		Key:  key,
		Kind: supervisor.KindCommand, Command: name, Text: text})
	if err != nil {
		h.Fatal(err)
	}
	return in
}

// ask runs a command and returns its answer.
func (h *rig) ask(text string) string {
	h.Helper()
	in := h.keep(text)
	h.commands.Accept(in)
	for {
		<-h.answered // the answer may come after a message in another chat
		for _, d := range h.outbox() {
			if d.Inbound == in.ID {
				return d.Text
			}
		}
	}
}

func (h *rig) outbox() []supervisor.Delivery {
	h.Helper()
	list, err := h.db.Outbox().List(h.Context(), h.home.ID, 0, 100)
	if err != nil {
		h.Fatal(err)
	}
	return list
}

func TestCommands_Each_GivesAnAnswer(t *testing.T) {
	h := newRig(t)
	h.live()
	for _, c := range []struct{ text, want string }{
		{"/start", "Welcome, ann."},
		{"/start", "/help"},
		{"/help", "/new - "},
		{"/help assistant", "/status - "},
		{"/new", "A new topic."},
		{"/stop", "Nothing is running here."},
		{"/reminders", "There is no /reminders. Did you mean /jobs?"},
		{"/status", "all is well"},
		{"/STATUS", "all is well"},
		{"/Status@mews_bot please", "all is well"},
		{"/status\tplease", "all is well"},
		{"/status\nplease", "all is well"},
		{"/model", "`offline` answers you, as configured."},
		{"/models", "- `offline` (in use, the default)"},
		{"/usage", "Your use of models this month: nothing."},
		{"/settings", "- stream: on, the default"},
		{"/grants", "You have not allowed anything permanently."},
		{"/lock", "you have no second factor."},
		{"/invite", "Only an admin may use /invite."},
		{"/allow", "Only an admin may use /"},
		{"/disallow", "Only an admin may use /"},
		{"/resend", "There is nothing to send again"},
		{"/dance", "There is no command /dance. /help"},
		{"/stpo", "There is no /stpo. Did you mean /stop?"},
		{"/Hlep", "There is no /hlep. Did you mean /help?"},
		{"/claer", "There is no /claer. Did you mean /clear?"},
		{"/invit", "There is no command /invit. /help"}, // /invite is only for admins, so it is not suggested
		{"/clear", "A new topic."},
		{"/stats", "Your use of models"},
	} {
		if got := h.ask(c.text); !strings.Contains(got, c.want) {
			t.Errorf("%q is answered with %q, which lacks %q", c.text, got, c.want)
		}
	}
	for _, d := range h.outbox() {
		if d.Kind != supervisor.DeliveryCommand {
			t.Errorf("%q came as %s", d.Text, d.Kind)
		}
	}
}

func TestHelp_Overview_ListsEveryCommand(t *testing.T) {
	h := newRig(t)
	h.setRole(supervisor.RoleAdmin)
	h.live()
	listed := 0
	text := h.ask("/help")
	for _, group := range feature.HelpGroups()[1:] {
		// the commands of features are missing here, so some groups are empty
		text += h.ask("/help "+string(group)) + "\n"
	}
	for line := range strings.Lines(text) {
		name, _, ok := strings.Cut(line, " - ")
		if !ok || !strings.HasPrefix(name, "/") {
			continue
		}
		listed++
		if got := h.ask(name); strings.Contains(got, "There is no command") {
			t.Errorf("%s is listed and answers %q", name, got)
		}
	}
	if listed < 15 {
		t.Errorf("%d commands are listed", listed)
	}
}

// /help of a plain user does not show commands for admins.
func TestHelp_PlainUser_HidesAdminCommands(t *testing.T) {
	h := newRig(t)
	h.setRole(supervisor.RoleUser)
	h.live()
	if got := h.ask("/help"); strings.Contains(got, "admin") || strings.Contains(got, "/invite") || !strings.Contains(got, "/stop") {
		t.Errorf("told was %q", got)
	}
	if all, own := newRig(t).newCommands().Menu(true), newRig(t).newCommands().Menu(false); len(own) >= len(all) ||
		slices.ContainsFunc(own, func(e command.MenuEntry) bool { return e.Name == "allow" }) {
		t.Errorf("the menu is %v, of admins %v", own, all)
	}
}

func TestStop_Answer_WaitsForEndOfTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		h.live()
		over := make(chan struct{})
		h.sessions.turnEnd = over
		in := h.keep("/stop")
		h.commands.Accept(in)
		synctest.Wait()
		if got := h.outbox(); len(got) != 0 {
			t.Errorf("the turn runs, and the person is told %q", got[0].Text)
		}
		close(over)
		<-h.answered
		if got := h.outbox()[0].Text; got != "Stopped." {
			t.Errorf("the person is told %q", got)
		}
		if h.sessions.lastStop != in.ID {
			t.Errorf("stopped was what command %d is about; the command is %d", h.sessions.lastStop, in.ID)
		}
	})
}

func TestStop_SlowTurn_AnswerSaysStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		h.live()
		h.sessions.turnEnd = make(chan struct{})
		// StopTurn waits a minute, by the clock of the synctest bubble
		if got := h.ask("/stop"); !strings.Contains(got, "am stopping") {
			t.Errorf("the person is told %q", got)
		}
	})
}

func TestStop_Answer_CountsWaitingMessages(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		ahead   sqlite.PrecedingText
		want    string
	}{
		"stop, empty queue": {"/stop", sqlite.PrecedingText{Inbound: 1, Why: "stopped"}, "Stopped."},
		"stop, one waiting": {"/stop", sqlite.PrecedingText{Inbound: 1, Why: "stopped", Waiting: 1},
			"Stopped. I now answer 1 message that waited."},
		"stop, two waiting": {"/stop", sqlite.PrecedingText{Inbound: 1, Why: "stopped", Waiting: 2},
			"Stopped. I now answer 2 messages that waited."},
		"stop, turn just ended": {"/stop", sqlite.PrecedingText{Inbound: 1, Why: "done"}, "The answer had just ended."},
		"stop without turn":     {"/stop", sqlite.PrecedingText{Waiting: 1}, "Nothing is running here."},
		"new topic, one waiting": {"/new", sqlite.PrecedingText{Inbound: 1, Why: "stopped", Waiting: 1},
			newTopic + " I stopped the running answer. I answer 1 waiting message in the new topic."},
		"new topic, two waiting": {"/new", sqlite.PrecedingText{Waiting: 2},
			newTopic + " I answer 2 waiting messages in the new topic."},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t)
			h.sessions.turnEnd, h.sessions.stopResult = make(chan struct{}), c.ahead
			close(h.sessions.turnEnd)
			h.live()
			if got := h.ask(c.command); got != c.want {
				t.Errorf("told was %q, want %q", got, c.want)
			}
		})
	}
}

const newTopic = "A new topic. I keep the earlier messages, but I no longer read them. Your files stay as they are."

func TestStop_FullDisk_StopsTurn(t *testing.T) {
	full := &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The disk is full."}
	for name, c := range map[string]struct {
		kind    supervisor.InboundKind
		text    string
		runs    bool
		stopped bool
		want    string
	}{
		"a stop":            {supervisor.KindCommand, "/Stop@mews_bot now", true, true, "I am stopping the running answer, although"},
		"stop without turn": {supervisor.KindCommand, "/stop", false, true, "The disk is full."},
		"another command":   {supervisor.KindCommand, "/new", true, false, "The disk is full."},
		"words":             {supervisor.KindText, "stop", true, false, "The disk is full."},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t)
			if c.runs {
				h.sessions.turnEnd = make(chan struct{})
			}
			name, _ := slash.Parse(c.text)
			err := h.newCommands().RunUnstoredCommand(supervisor.Inbound{Conversation: h.home, Kind: c.kind,
				Command: name,
				Text:    c.text}, full)
			got := problem.UserText(err)
			if !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, "The disk is full.") ||
				supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable {
				t.Errorf("told is %q, %s", got, supervisor.ErrorCodeOf(err))
			}
			if (len(h.sessions.stoppedNow) == 1) != c.stopped {
				t.Errorf("stopped were %v", h.sessions.stoppedNow)
			}
		})
	}
}

func TestNewCommand_HidesEarlierMessages(t *testing.T) {
	h := newRig(t)
	over := make(chan struct{})
	close(over)
	h.sessions.turnEnd = over
	h.live()
	text, _, err := h.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: h.home, Source: "test",
		Key:  "text",
		Kind: supervisor.KindText, Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	turn, _, err := h.db.Turns().Start(t.Context(), text.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	end := sqlite.TurnEnding{Turn: turn.ID, Why: "done", State: supervisor.InboundAnswered, Text: "hi"}
	if _, err := h.db.Turns().Finish(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	if got := h.ask("/new"); !strings.HasPrefix(got, "A new topic.") || !strings.HasSuffix(got, " I stopped the running answer.") {
		t.Errorf("/new answers %q", got)
	}
	if left, err := h.db.Transcript().ListMessages(t.Context(), h.home.ID); err != nil || len(left) != 0 {
		t.Errorf("the model still sees %v, %v", left, err)
	}
}

func TestCrash_WaitingCommand_IsAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		end := h.live()
		synctest.Wait()                          // waits until Run has read the unanswered commands
		h.sessions.turnEnd = make(chan struct{}) // the turn does not end by itself
		h.commands.Accept(h.keep("/stop"))
		h.keep("/status") // the process stores the command, and dies before it accepts the command
		synctest.Wait()
		end()
		if got := h.outbox(); len(got) != 0 {
			t.Fatalf("the first life answered %+v", got)
		}
		h.sessions.turnEnd = nil
		end = h.live()
		<-h.answered
		<-h.answered
		end()
		h.live()
		synctest.Wait()
		if got := h.outbox(); len(got) != 2 {
			t.Errorf("told were %+v", got)
		}
	})
}

func TestAccept_RepeatedCommand_IsAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		h.live()
		over := make(chan struct{})
		h.sessions.turnEnd = over
		in := h.keepAs("key", "/stop")
		h.commands.Accept(in)
		h.commands.Accept(h.keepAs("key", "/stop")) // the same command comes a second time, while it runs
		synctest.Wait()
		close(over)
		<-h.answered
		h.commands.Accept(in) // Run may have read the command from the store shortly before the command was answered
		h.commands.Accept(h.keepAs("key", "/stop"))
		synctest.Wait()
		if got := h.outbox(); len(got) != 1 {
			t.Errorf("told were %+v", got)
		}
		if len(h.answered) != 0 {
			t.Error("a second answer was announced")
		}
	})
}

// outbox is an outbox whose first calls to AnswerCommand fail.
type outbox struct {
	sqlite.Outbox
	fails int
}

func (o *outbox) AnswerCommand(ctx context.Context, inbound int64, d supervisor.Delivery) (supervisor.Delivery, error) {
	if o.fails--; o.fails >= 0 {
		return supervisor.Delivery{}, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The disk is full."}
	}
	return o.Outbox.AnswerCommand(ctx, inbound, d)
}

func TestAnswer_FailingStore_IsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		h.options.Outbox = &outbox{Outbox: h.db.Outbox(), fails: 30}
		h.live()
		if got := h.ask("/status"); got != "all is well" {
			t.Errorf("told was %q", got)
		}
	})
}

func TestCommand_Failure_IsExplained(t *testing.T) {
	h := newRig(t)
	var failure error
	h.options.Status = func(context.Context, supervisor.Conversation) (string, error) { return "", failure }
	h.live()
	failure = &supervisor.Error{Code: supervisor.CodeUnavailable, Message: "The disk is full.", Err: errors.New("errno 28")}
	if got := h.ask("/status"); got != "The disk is full." {
		t.Errorf("told was %q", got)
	}
	failure = errors.New("nil pointer at 0xdead")
	if got := h.ask("/status"); strings.Contains(got, "0xdead") || !strings.Contains(got, "in the log") {
		t.Errorf("told was %q", got)
	}
}
