package command

import (
	"context"
	"time"

	"mews/supervisor"
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

func init() {
	register(row{SlashCommand: supervisor.SlashCommand{Name: "remind", Help: "be reminded: /remind tomorrow at 9: call the plumber"}, place: 91,
		run: func(ctx context.Context, c *Commands, r Request) (supervisor.Delivery, error) {
			return c.o.Jobs.Remind(ctx, c.person(r), r.Conversation, r.Inbound, r.Arguments, r.At)
		},
		prefix: supervisor.JobPrefix, press: func(ctx context.Context, c *Commands, r Request) (supervisor.Delivery, error) {
			return c.o.Jobs.Press(ctx, c.person(r), r.Conversation, r.Inbound, r.Arguments, r.At)
		}})
	register(row{SlashCommand: supervisor.SlashCommand{Name: "jobs", Help: "what you have set, and when it comes"}, place: 92, alias: "tasks", private: always,
		run: func(ctx context.Context, c *Commands, r Request) (supervisor.Delivery, error) {
			return c.o.Jobs.List(ctx, r.Conversation.User)
		}})
	register(row{SlashCommand: supervisor.SlashCommand{Name: "canceljob", Help: "delete one of those, by its number: /canceljob 3"}, place: 93, private: always,
		run: textAnswer(func(ctx context.Context, c *Commands, r Request) (string, error) {
			return c.o.Jobs.Cancel(ctx, r.Conversation.User, r.Arguments)
		})})
}

// routines are the commands about what is built in, and off until it is turned on.
var routines = []struct {
	supervisor.SlashCommand
	routine string
	private func(arguments string) bool
}{
	{supervisor.SlashCommand{Name: "heartbeat", Help: "have me look into HEARTBEAT.md every half hour of the day, and do what is due: /heartbeat on or off"}, "heartbeat", nil},
	{supervisor.SlashCommand{Name: "digest", Help: "a morning summary: /digest 7:30, /digest off"}, "digest", always},
	{supervisor.SlashCommand{Name: "notifications", Help: "be told which files in your folder others have changed: /notifications on or off"}, "files", always},
}

func init() {
	for _, r := range routines {
		register(row{SlashCommand: r.SlashCommand, place: 94, private: r.private, run: func(ctx context.Context, c *Commands, q Request) (supervisor.Delivery, error) {
			return c.o.Jobs.Routine(ctx, c.person(q), q.Conversation, r.routine, q.Arguments, q.At)
		}})
	}
}

// person is who asks.
func (c *Commands) person(r Request) supervisor.User {
	user, _ := c.o.People.Find(r.Conversation.User)
	user.Name = r.Conversation.User
	return user
}
