package command_test

import (
	"context"
	"time"

	"mews/supervisor"
)

// noJobs has none and sets none.
type noJobs struct{}

func (noJobs) Remind(context.Context, supervisor.User, supervisor.Conversation, int64, string, time.Time) (supervisor.Delivery, error) {
	return supervisor.Delivery{Text: "no reminders here"}, nil
}

func (noJobs) Routine(context.Context, supervisor.User, supervisor.Conversation, string, string, time.Time) (supervisor.Delivery, error) {
	return supervisor.Delivery{Text: "It is off."}, nil
}

func (noJobs) OfferZone(context.Context, supervisor.User) (d supervisor.Delivery, err error) {
	return d, nil
}

func (noJobs) List(context.Context, string) (supervisor.Delivery, error) {
	return supervisor.Delivery{Text: "no reminders here"}, nil
}

func (noJobs) Cancel(context.Context, string, string) (string, error) {
	return "no reminders here", nil
}

func (noJobs) Press(context.Context, supervisor.User, supervisor.Conversation, int64, string, time.Time) (supervisor.Delivery, error) {
	return "no reminders here", nil
}
