package command

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
)

var helpRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "help", Help: "this list", Open: true}, place: 20,
		run: textAnswer(help)},
}

func help(_ context.Context, c *Commands, r feature.Request) (string, error) {
	var b strings.Builder
	b.WriteString(textHelp)
	for _, row := range c.table {
		if c.checkAdmin(row.SlashCommand, r.Conversation.User) != nil {
			continue
		}
		fmt.Fprintf(&b, "/%s - %s\n", row.Name, summary(row))
	}
	b.WriteString(textHelpEnd)
	return b.String(), nil
}
