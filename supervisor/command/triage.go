package command

import (
	"context"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// Triages have issues on GitHub sorted.
type Triages interface {
	// Ask has an issue be triaged, by its address, and says what happens then. The same wish again,
	// by its time, changes nothing.
	Ask(ctx context.Context, by supervisor.User, address string, at time.Time) (string, error)
}

var triageRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "triage", Help: "have an issue on GitHub sorted: /triage URL"},
		place: 96,
		run: textAnswer(func(ctx context.Context, c *Commands, r feature.Request) (string, error) {
			by, _ := c.o.People.Find(r.Conversation.User)
			return c.o.Triages.Ask(ctx, by, strings.TrimSpace(r.Arguments), r.At)
		})},
}
