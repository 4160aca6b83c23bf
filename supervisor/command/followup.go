package command

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/slash"
)

var followupRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: slash.FollowupCommand, OpenWhileLocked: true,
		Help: "send a message that waits until everything else is answered: /followup TEXT"},
		group: feature.HelpGroupChat, run: textAnswer(followup)},
}

// followup explains how to use /followup. With words or files after it, /followup is handled as a
// message and never reaches this function.
func followup(context.Context, *Commands, feature.CommandRequest) (string, error) {
	return textFollowup, nil
}
