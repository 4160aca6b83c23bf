package command

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/slash"
)

var followupRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: slash.Followup, Open: true,
		Help: "send a message that waits until everything else is answered: /followup TEXT"},
		group: feature.GroupChat, run: textAnswer(followup)},
}

// followup says what the command does: with words, or with files, it is no command and does not
// come here.
func followup(context.Context, *Commands, feature.Request) (string, error) { return textFollowup, nil }
