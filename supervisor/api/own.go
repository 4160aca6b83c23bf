package api

import (
	"time"

	"mews/supervisor/feature"
	"mews/supervisor/model"
	"mews/supervisor/sqlite"
	"mews/supervisor/usage"
	"mews/supervisor/users"
)

// CallDependencies has the dependencies of this package's own calls.
type CallDependencies struct {
	Status    StatusReporter
	Usage     usage.Calculator
	Catalogue *model.Catalogue
	Choices   users.ModelChoice
	Effects   sqlite.Effects
}

// ControlCalls returns the calls about status, usage, models and activity.
func (o CallDependencies) ControlCalls() []feature.ControlCall {
	return []feature.ControlCall{
		withoutParameters(MethodStatus, o.Status.answer),
		withoutParameters(MethodModels, modelCalls{o.Catalogue, o.Choices}.answer),
		feature.NewControlCall(MethodUsage, usageCalls{o.Usage, time.Now}.answer),
		feature.NewControlCall(MethodActivity, activityCalls{o.Effects}.answer),
	}
}
