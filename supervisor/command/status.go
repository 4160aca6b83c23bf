package command

import (
	"context"

	"mews/supervisor"
)

func init() {
	register(row{SlashCommand: supervisor.SlashCommand{Name: "status", Help: "how Mews is doing: what runs for you, what waits, and what is left to spend"},
		place: 50, run: textAnswer(func(ctx context.Context, c *Commands, r Request) (string, error) {
			return c.o.Status(ctx, r.Conversation)
		})})
}
