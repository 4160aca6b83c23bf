package command

import (
	"context"

	"mews/supervisor"
)

func init() {
	register(row{SlashCommand: supervisor.SlashCommand{Name: "status", Help: "what runs, for whom, with which model and walls"},
		place: 50, run: textAnswer(func(ctx context.Context, c *Commands, r Request) (string, error) {
			return c.o.Status(ctx, r.Conversation)
		})})
}
