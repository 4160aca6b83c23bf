package command

import (
	"context"

	"mews/supervisor"
)

const startName = "start"

func init() {
	register(row{SlashCommand: supervisor.SlashCommand{Name: startName, Help: "what Mews is, and how to begin", Open: true},
		place: 10, run: textAnswer(start)})
}

func start(_ context.Context, c *Commands, r Request) (string, error) {
	return textStart + c.o.Welcome(r.Conversation) + textStartEnd, nil
}
