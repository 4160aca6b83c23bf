package command

import (
	"context"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// Reviews have pull requests on GitHub reviewed.
type Reviews interface {
	// Ask has a pull request be reviewed, by its address, behind which may stand what its person
	// wants to know. It says what happens then. The same wish again, by its time, changes nothing.
	Ask(ctx context.Context, by supervisor.User, arguments string, at time.Time) (string, error)
	// Press does what a button below a review's card does. press is what stands behind
	// supervisor.ReviewPrefix.
	Press(ctx context.Context, user, press string) (string, error)
}

var reviewRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "review", Help: "have a pull request on GitHub reviewed: /review " +
		"URL, and what you want to know"}, place: 95,
		run: textAnswer(func(ctx context.Context, c *Commands, r feature.Request) (string, error) {
			by, _ := c.o.People.Find(r.Conversation.User)
			return c.o.Reviews.Ask(ctx, by, r.Arguments, r.At)
		}),
		prefix: supervisor.ReviewPrefix, keeps: feature.Always,
		press: textAnswer(func(ctx context.Context, c *Commands, r feature.Request) (string, error) {
			return c.o.Reviews.Press(ctx, r.Conversation.User, r.Arguments)
		})},
}
