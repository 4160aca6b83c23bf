package schedule

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/feature"
)

func (s *Schedule) commands() []feature.Command {
	return []feature.Command{
		{
			SlashCommand: supervisor.SlashCommand{
				Name: "remind",
				Help: "be reminded: /remind tomorrow at 9: call the plumber",
			},
			Place: 91,
			Run: func(ctx context.Context, r feature.Request) (supervisor.Delivery, error) {
				return s.Remind(ctx, r.User, r.Conversation, r.Inbound, r.Arguments, r.At)
			},
			Prefix: supervisor.JobPrefix,
			Press: func(ctx context.Context, r feature.Request) (supervisor.Delivery, error) {
				return s.Press(ctx, r.User, r.Conversation, r.Inbound, r.Arguments, r.At)
			},
		},
		{
			SlashCommand: supervisor.SlashCommand{Name: "jobs", Help: "what you have set, and when it comes"},
			Place:        92,
			Alias:        "tasks",
			Private:      feature.Always,
			Run: func(ctx context.Context, r feature.Request) (supervisor.Delivery, error) {
				return s.List(ctx, r.Conversation.User)
			},
		},
		{
			SlashCommand: supervisor.SlashCommand{
				Name: "canceljob",
				Help: "delete one of those, by its number: /canceljob 3",
			},
			Place:   93,
			Private: feature.Always,
			Run: feature.Text(func(ctx context.Context, r feature.Request) (string, error) {
				return s.Cancel(ctx, r.Conversation.User, r.Arguments)
			}),
		},
	}
}
