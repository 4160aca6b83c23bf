package command

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/slash"
)

var followupRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: slash.Followup, Open: true,
		Help: "have a message wait for the end of what runs: /followup TEXT"}, place: 46, run: textAnswer(followup)},
}

// followup says what the command does: with words, or with files, it is no command and does not
// come here.
func followup(context.Context, *Commands, feature.Request) (string, error) { return textFollowup, nil }
