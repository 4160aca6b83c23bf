package command_test

import (
	"context"
	"time"

	"mews/supervisor"
)

// noReviews is a Mews that is nobody on GitHub.
type noReviews struct{}

func (noReviews) Ask(context.Context, supervisor.User, string, time.Time) (string, error) {
	return "", supervisor.Errorf(supervisor.CodeNotFound, "There is no such repository.")
}

func (noReviews) Press(context.Context, string, string) (string, error) {
	return "", supervisor.Errorf(supervisor.CodeNotFound, "That review is not there any more.")
}
