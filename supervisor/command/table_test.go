package command_test

import (
	"context"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/command"
	"mews/supervisor/feature"
)

func echo(_ context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	return supervisor.Delivery{Text: r.User.Name + ": " + r.Name + " " + r.Arguments}, nil
}

// commandNamed returns a feature's command with a name.
func commandNamed(name string) feature.Command {
	return feature.Command{SlashCommand: supervisor.SlashCommand{Name: name, Help: "say it again"},
		Group: feature.HelpGroupChat, Run: echo, Prefix: "zz:"}
}

func TestNew_CommandsThatCollide_AreRefused(t *testing.T) {
	for want, change := range map[string]func(*feature.Command){
		"":                           func(*feature.Command) {},
		"two commands of that name":  func(c *feature.Command) { c.Name = "stop" },
		"two commands of that name ": func(c *feature.Command) { c.Alias = "clear" },
		"begin with":                 func(c *feature.Command) { c.Prefix = "q:1" },
		"begin with ":                func(c *feature.Command) { c.Prefix = "s" },
		"no group":                   func(c *feature.Command) { c.Group = "" },
		"nothing runs it":            func(c *feature.Command) { c.Run = nil },
		"ends turns":                 func(c *feature.Command) { c.EndsTurn = true },
		"or locks":                   func(c *feature.Command) { c.Locks = map[string]supervisor.GateLock{} },
	} {
		c := commandNamed("echo")
		change(&c)
		_, err := command.New(command.Options{Features: []feature.Command{c}})
		want = strings.TrimSpace(want)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestFeature_CommandAndPress_AreAnswered(t *testing.T) {
	h := newRig(t)
	kept := commandNamed("echo")
	kept.Keeps = func(press string) bool { return press == "on" }
	h.options.Features = []feature.Command{kept}
	h.moveTo("1")
	h.live()
	if got := h.answerOf(h.keep("/echo Hello there")).Text; got != "ann: echo Hello there" {
		t.Errorf("got %q", got)
	}
	for cleaned, press := range []string{"on", "off"} { // only the press of "off" removes the buttons of its message
		if got := h.pressAnswer("zz:" + press).Text; got != "ann: echo "+press || len(h.cleanings()) != cleaned {
			t.Errorf("got %q, cleaned %v", got, h.cleanings())
		}
	}
}

func TestFeature_PrivateInGroup_AsksInPrivateChat(t *testing.T) {
	h := newRig(t)
	c := commandNamed("echo")
	c.Private = feature.AlwaysPrivateAnswer
	c.Run = func(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
		return supervisor.Delivery{Text: "done"}, r.Allow(ctx, "settings", "May I?", "x")
	}
	h.options.Features = []feature.Command{c}
	h.options.People = people{"ann": {Name: "ann",
		Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "42"}}}
	h.moveTo("-1")
	h.live()
	h.commands.Accept(h.keep("/echo"))
	<-h.answered // waits for the answer in the private chat
	<-h.answered
	if len(h.fakes.asked) != 1 || h.fakes.asked[0].Conversation.Chat != "42" {
		t.Errorf("asked was %+v", h.fakes.asked)
	}
}
