package command

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/slash"
)

var followupRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: slash.Followup, OpenWhileLocked: true,
		Help: "send a message that waits until everything else is answered: /followup TEXT"},
		group: feature.GroupChat, run: textAnswer(followup)},
}

// followup explains /followup. With words or files, /followup is a message and does not come here.
func followup(context.Context, *Commands, feature.CommandRequest) (string, error) {
	return textFollowup, nil
}
