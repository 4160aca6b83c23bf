package command

import (
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
)

func init() {
	register(row{SlashCommand: supervisor.SlashCommand{Name: "help", Help: "this list", Open: true}, place: 20, run: textAnswer(help)})
}

func help(_ context.Context, c *Commands, r Request) (string, error) {
	var b strings.Builder
	b.WriteString(textHelp)
	for _, row := range table {
		if c.checkAdmin(row.SlashCommand, r.Conversation.User) != nil {
			continue
		}
		fmt.Fprintf(&b, "/%s - %s\n", row.Name, row.help())
	}
	b.WriteString(textHelpEnd)
	return b.String(), nil
}
