package command

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// Jobs are what people have set to come by itself.
type Jobs interface {
	// Remind sets a reminder. The same inbound again changes nothing.
	Remind(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64, words string, at time.Time) (supervisor.Delivery, error)
	List(ctx context.Context, user string) (supervisor.Delivery, error)
	Cancel(ctx context.Context, user, number string) (string, error)
	// Routine turns a routine on or off, or says whether it is on.
	Routine(ctx context.Context, user supervisor.User, c supervisor.Conversation, name, words string, at time.Time) (supervisor.Delivery, error)
	// OfferZone offers to have jobs that keep another time zone keep that of the person; without a
	// text there are none.
	OfferZone(ctx context.Context, user supervisor.User) (supervisor.Delivery, error)
	// Press does what a button does. press is what stands behind supervisor.JobPrefix.
	Press(ctx context.Context, user supervisor.User, c supervisor.Conversation, inbound int64, press string, at time.Time) (supervisor.Delivery, error)
}

var remindRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "remind", Help: "be reminded: /remind tomorrow at 9: call the " +
		"plumber"}, place: 91,
		run: func(ctx context.Context, c *Commands, r feature.Request) (supervisor.Delivery, error) {
			return c.o.Jobs.Remind(ctx, r.User, r.Conversation, r.Inbound, r.Arguments, r.At)
		},
		prefix: supervisor.JobPrefix, press: func(ctx context.Context, c *Commands,
			r feature.Request) (supervisor.Delivery, error) {
			return c.o.Jobs.Press(ctx, r.User, r.Conversation, r.Inbound, r.Arguments, r.At)
		}},
	{SlashCommand: supervisor.SlashCommand{Name: "jobs", Help: "what you have set, and when it comes"}, place: 92,
		alias: "tasks", private: feature.Always,
		run: func(ctx context.Context, c *Commands, r feature.Request) (supervisor.Delivery, error) {
			return c.o.Jobs.List(ctx, r.Conversation.User)
		}},
	{SlashCommand: supervisor.SlashCommand{Name: "canceljob", Help: "delete one of those, by its number: /canceljob 3"},
		place: 93, private: feature.Always,
		run: textAnswer(func(ctx context.Context, c *Commands, r feature.Request) (string, error) {
			return c.o.Jobs.Cancel(ctx, r.Conversation.User, r.Arguments)
		})},
	routine("heartbeat", "have me look into HEARTBEAT.md every half hour of the day, and do what is due: /heartbeat "+
		"on or off", "heartbeat", nil),
	routine("digest", "a morning summary: /digest 7:30, /digest off", "digest", feature.Always),
	routine("notifications", "be told which files in your folder others have changed: /notifications on or off",
		"files", feature.Always),
}

// routine is the command of what is built in, and off until it is turned on.
func routine(name, help, routine string, private func(arguments string) bool) row {
	return row{SlashCommand: supervisor.SlashCommand{Name: name, Help: help}, place: 94, private: private,
		run: func(ctx context.Context, c *Commands, r feature.Request) (supervisor.Delivery, error) {
			return c.o.Jobs.Routine(ctx, r.User, r.Conversation, routine, r.Arguments, r.At)
		}}
}
