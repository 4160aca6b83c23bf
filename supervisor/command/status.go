package command

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/feature"
)

var statusRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "status", Help: "how Mews is doing: what runs for you, what waits, " +
		"and what is left to spend"},
		group: feature.HelpGroupAssistant,
		run: textAnswer(func(ctx context.Context, c *Commands, r feature.CommandRequest) (string, error) {
			return c.o.Status(ctx, r.Conversation)
		})},
}
