package schedule

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/feature"
)

const commandRemind = "remind"

func (ch *ChatCommands) commands() []feature.Command {
	return []feature.Command{
		{
			SlashCommand: supervisor.SlashCommand{
				Name: commandRemind,
				Help: "set a reminder: /remind tomorrow at 9: call the plumber",
			},
			Group: feature.HelpGroupEveryday,
			Run: func(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
				return ch.AddReminder(ctx, r.User, r.Conversation, r.Inbound, r.Arguments, r.At)
			},
			Prefix: supervisor.JobPressPrefix,
			Keeps:  keepsButtons,
			Press: func(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
				return ch.HandlePress(ctx, r.User, r.Conversation, r.Inbound, r.Arguments, r.At)
			},
		},
		{
			SlashCommand: supervisor.SlashCommand{Name: "jobs",
				Help: "your reminders, tasks and checks, and when they come"},
			Group:   feature.HelpGroupEveryday,
			Alias:   "tasks",
			Private: feature.AlwaysPrivateAnswer,
			Run: func(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
				return ch.ListJobs(ctx, r.Conversation.User)
			},
		},
		{
			SlashCommand: supervisor.SlashCommand{
				Name: "canceljob",
				Help: "delete a reminder, task or check by its number: /canceljob 3",
			},
			Group:   feature.HelpGroupReminders,
			Private: feature.AlwaysPrivateAnswer,
			Run: feature.TextCommand(func(ctx context.Context, r feature.CommandRequest) (string, error) {
				return ch.CancelJob(ctx, r.Conversation.User, r.Arguments)
			}),
		},
	}
}
