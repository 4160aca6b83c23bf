package command

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/feature"
)

const startName = "start"

var startRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: startName, Help: "what Mews is, and how to begin",
		OpenWhileLocked: true},
		group: feature.HelpGroupChat, run: textAnswer(start)},
}

func start(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
	return c.o.Welcome(ctx, r.Conversation) + textStartEnd, nil
}
