package command_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/approval"
	"mews/supervisor/command"
	"mews/supervisor/question"
)

// fakeService stands in for all other parts of the service. Its zero value allows every effect.
type fakeService struct {
	mu        sync.Mutex
	audited   []string
	asked     []approval.Request
	approvals chan error // results of requests for approval; a nil channel allows each effect at once

	whileAsked func() // called while the user is being asked

	pressed []string
	foreign bool // each press belongs to a question of another user

	guarded bool
	closed  []string

	invited []string
	made    access.Invitation

	groups []string
	stays  bool

	settings map[string]string // values of settings, by name
}

func (d *fakeService) audit(user, action, detail string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.audited = append(d.audited, user+" "+action+" "+detail)
}

func (d *fakeService) Allow(ctx context.Context, r approval.Request) error {
	d.mu.Lock()
	d.asked = append(d.asked, r)
	d.mu.Unlock()
	if d.whileAsked != nil {
		d.whileAsked()
	}
	if d.approvals == nil {
		return nil
	}
	select {
	case err := <-d.approvals:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// RecordPress implements Questions.
func (d *fakeService) RecordPress(_ context.Context, user string, conversation int64,
	press string) (question.PressOutcome, error) {
	d.mu.Lock()
	d.pressed = append(d.pressed, fmt.Sprint(user, " in ", conversation, ": ", press))
	d.mu.Unlock()
	if d.foreign {
		return question.PressOutcome{}, &supervisor.Error{Code: supervisor.CodeForbidden, Message: "This is not yours."}
	}
	if d.approvals != nil {
		d.approvals <- nil
	}
	return question.PressOutcome{Text: "Allowed once.", Closed: true}, nil
}

func (d *fakeService) HasFactor(context.Context, string) (bool, error) { return d.guarded, nil }

func (d *fakeService) CloseGate(_ context.Context, c supervisor.Conversation) error {
	d.closed = append(d.closed, fmt.Sprintf("%s in %s %q", c.User, c.Channel, c.Chat))
	return nil
}

func (d *fakeService) CloseUserGates(_ context.Context, user string) (int64, error) {
	d.closed = append(d.closed, user+" everywhere")
	return 3, nil
}

// CheckSettingValue implements Settings.
func (d *fakeService) CheckSettingValue(_ context.Context, _, name, value string) (string, error) {
	if value == "bad" {
		return "", &supervisor.Error{Code: supervisor.CodeInvalid, Message: "No " + name + " is " + value + "."}
	}
	return strings.ToLower(value), nil
}

func (d *fakeService) PutSetting(_ context.Context, _, name, kept string) error {
	if d.settings == nil {
		d.settings = map[string]string{}
	}
	d.settings[name] = kept
	if kept == "" {
		delete(d.settings, name)
	}
	return nil
}

func (d *fakeService) ListSettings(context.Context, string) ([]command.Setting, error) {
	list := []command.Setting{
		{Name: "model", Value: "`offline`", Origin: command.SettingFromConfig, Example: "offline"},
		{Name: "thinking", Value: "off", Origin: command.SettingFromConfig},
		{Name: "budget day", Value: "$2.00", Origin: command.SettingFromConfig, Example: "1.50", Private: true,
			Note: "It counts at once."},
		{Name: "stream", Value: "on", Origin: command.SettingFromDefault, Example: "off", Presses: []string{"on",
			"off"}},
	}
	for i, s := range list {
		if own, ok := d.settings[s.Name]; ok {
			list[i].Value, list[i].Origin = own, command.SettingFromUser
		}
	}
	return list, nil
}

// invites implements Invites on fakeService.
type invites struct{ *fakeService }

func (i invites) CheckName(_ context.Context, name string) error {
	if name == "../x" {
		return &supervisor.Error{Code: supervisor.CodeInvalid, Message: "Nobody can have that name."}
	}
	return nil
}

func (i invites) Invite(_ context.Context, name string) (access.Invitation, error) {
	i.invited = append(i.invited, name)
	return i.made, nil
}

// groups implements Groups on fakeService.
type groups struct{ *fakeService }

func (g groups) Allow(_ context.Context, c supervisor.Conversation) error {
	g.fakeService.groups = append(g.fakeService.groups, "allowed "+c.Chat)
	return nil
}

func (g groups) Disallow(_ context.Context, c supervisor.Conversation) (bool, error) {
	g.fakeService.groups = append(g.fakeService.groups, "disallowed "+c.Chat)
	return g.stays, nil
}

// setRole gives ann a role.
func (h *rig) setRole(role supervisor.Role) {
	h.options.People = people{"ann": {Name: "ann", Role: role}}
}

// moveTo moves ann to a chat on Telegram.
func (h *rig) moveTo(chat string) {
	h.Helper()
	c, err := h.db.Conversations().FindOrCreate(h.Context(), "ann", supervisor.ChannelTelegram, chat, "")
	if err != nil {
		h.Fatal(err)
	}
	h.home = c
}

// press stores the press of a button below message 7, and returns the inbound.
func (h *rig) press(press string) supervisor.Inbound {
	h.Helper()
	h.keys++
	in, _, err := h.db.Inbox().StoreInbound(h.Context(), supervisor.Inbound{Conversation: h.home, Source: "test",
		Key:     fmt.Sprint("key-", h.keys),
		Message: "7", Kind: supervisor.KindPress, Text: press})
	if err != nil {
		h.Fatal(err)
	}
	return in
}

// pressAnswer presses a button and returns the answer.
func (h *rig) pressAnswer(press string) supervisor.Delivery {
	h.Helper()
	return h.answerOf(h.press(press))
}

func (h *rig) answerOf(in supervisor.Inbound) supervisor.Delivery {
	h.Helper()
	h.commands.Accept(in)
	<-h.answered
	for _, d := range h.outbox() {
		if d.Inbound == in.ID {
			return d
		}
	}
	h.Fatalf("%q has no answer", in.Text)
	return supervisor.Delivery{}
}

// cleanings lists the messages whose buttons will be removed.
func (h *rig) cleanings() (messages []string) {
	h.Helper()
	list, err := h.db.MessageCleanups().ListDue(h.Context(), h.home.Channel, time.Now().Add(time.Hour), 100)
	if err != nil {
		h.Fatal(err)
	}
	for _, k := range list {
		messages = append(messages, string(k.Kind)+" "+k.Message)
	}
	return messages
}

func TestPress_AnsweredQuestion_LosesButtons(t *testing.T) {
	for name, c := range map[string]struct {
		press, chat string
		foreign     bool
		want        string
		cleaned     []string
	}{
		"question":           {press: "q:abc:once", chat: "1", want: "Allowed once.", cleaned: []string{"unbutton 7"}},
		"question in group":  {press: "q:abc:once", chat: "-1", want: "Allowed once.", cleaned: []string{"unbutton 7"}},
		"another's question": {press: "q:abc:once", chat: "-1", foreign: true, want: "This is not yours."},
		"model":              {press: "m:offline", chat: "1", want: "From your next message on `offline`", cleaned: []string{"unbutton 7"}},
		"model in group": {press: "m:offline", chat: "-1", want: "From your next message on `offline`",
			cleaned: []string{"unbutton 7"}},
		"missing model":          {press: "m:far/gone", chat: "1", want: "There is no model"},
		"setting":                {press: "s:stream off", chat: "1", want: "From now on stream is off, set by you."},
		"missing grant":          {press: "g:9", chat: "1", want: "There is no grant with the number 9"},
		"unknown press":          {press: "zz", chat: "1", want: "This button does nothing any more.", cleaned: []string{"unbutton 7"}},
		"slash command as press": {press: "/stop", chat: "1", want: "This button does nothing any more.", cleaned: []string{"unbutton 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newRig(t)
			h.moveTo(c.chat)
			h.fakes.foreign = c.foreign
			h.live()
			if got := h.pressAnswer(c.press); !strings.HasPrefix(got.Text, c.want) || got.Kind != supervisor.DeliveryCommand {
				t.Errorf("told was %q", got.Text)
			}
			if diff := cmp.Diff(c.cleaned, h.cleanings()); diff != "" {
				t.Errorf("cleaned: (-want +got)\n%s", diff)
			}
		})
	}
}

func TestPress_OvertakesWaitingCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		h.setRole(supervisor.RoleAdmin)
		h.fakes.approvals = make(chan error, 1)
		h.live()
		h.commands.Accept(h.keep("/invite bob"))
		synctest.Wait()
		if len(h.fakes.asked) != 1 || len(h.outbox()) != 0 {
			t.Fatalf("asked were %+v, told %+v", h.fakes.asked, h.outbox())
		}
		h.commands.Accept(h.keep("/status"))
		synctest.Wait()
		if got := h.answers(h.home); len(got) != 0 {
			t.Errorf("in the first moment answered were %q", got)
		}
		time.Sleep(3 * time.Second) // longer than askGrace: the user is being asked
		synctest.Wait()
		if diff := cmp.Diff([]string{"all is"}, h.answers(h.home)); diff != "" {
			t.Errorf("while the person is asked: %s", diff)
		}
		time.Sleep(30 * time.Minute)
		h.commands.Accept(h.press("q:abc:once"))
		synctest.Wait()
		if got := h.answers(h.home); len(got) != 3 {
			t.Errorf("answered were %q", got)
		}
		if diff := cmp.Diff([]string{"bob"}, h.fakes.invited); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCommand_EffectDenied_ChangesNothing(t *testing.T) {
	h := newRig(t)
	h.setRole(supervisor.RoleAdmin)
	h.fakes.approvals = make(chan error, 10)
	h.live()
	for ask, want := range map[string]approval.Request{
		"/invite bob":          {Effect: approval.EffectInvite, Arguments: []string{"bob"}},
		"/settings stream OFF": {Effect: approval.EffectChangeSetting, Arguments: []string{"stream", "off"}},
		"/model offline":       {Effect: approval.EffectChangeSetting, Arguments: []string{"model", "offline"}},
		"/model default":       {Effect: approval.EffectChangeSetting, Arguments: []string{"model", ""}},
	} {
		h.fakes.asked = nil
		h.fakes.approvals <- &supervisor.Error{Code: supervisor.CodeForbidden, Message: "The rules do not let you."}
		if got := h.ask(ask); got != "The rules do not let you." {
			t.Errorf("%s: told was %q", ask, got)
		}
		want.User, want.Conversation = "ann", h.home
		if len(h.fakes.asked) != 1 || h.fakes.asked[0].Text == "" {
			t.Fatalf("%s: asked were %+v", ask, h.fakes.asked)
		}
		// the question has the inbound's id, so that it is found after a crash
		want.Text, want.Inbound = h.fakes.asked[0].Text, int64(h.keys)
		if diff := cmp.Diff(want, h.fakes.asked[0]); diff != "" {
			t.Errorf("%s: %s", ask, diff)
		}
	}
	if len(h.fakes.invited)+len(h.fakes.settings)+len(h.fakes.audited) != 0 {
		t.Errorf("done were %+v", h.fakes)
	}
}

func TestCrash_WaitingPress_IsAnsweredOnce(t *testing.T) {
	h := newRig(t)
	h.press("q:abc:once")
	end := h.live()
	<-h.answered
	end()
	h.live()
	if got := h.outbox(); len(got) != 1 || len(h.fakes.pressed) != 1 {
		t.Errorf("told were %+v", got)
	}
}

func TestPress_RunningCommand_IsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRig(t)
		over := h.blockStatus()
		h.live()
		h.commands.Accept(h.keep("/status"))
		h.commands.Accept(h.keep("/help"))
		h.commands.Accept(h.press("q:abc:once"))
		synctest.Wait()
		if diff := cmp.Diff([]string{"Allowed once."}, h.answers(h.home)); diff != "" {
			t.Errorf("while a command runs: %s", diff)
		}
		time.Sleep(30 * time.Second) // the running command asks no question, so the next command still waits
		synctest.Wait()
		if got := h.answers(h.home); len(got) != 1 {
			t.Errorf("while a command runs answered were %q", got)
		}
		close(over)
		synctest.Wait()
		if diff := cmp.Diff([]string{"Allowed once.", "all is", "Commands for"}, h.answers(h.home)); diff != "" {
			t.Error(diff)
		}
	})
}

// noUploads implements Uploads for users without files.
type noUploads struct{}

func (noUploads) List(context.Context, string, string, int) (r protocol.UploadsResult, err error) {
	return r, nil
}

func (noUploads) Send(context.Context, string, string) (f supervisor.File, err error) { return f, nil }

func (noUploads) Delete(context.Context, string, string) (string, error) { return "", nil }
