package app

import (
	"context"

	"mews/supervisor/approval"
	"mews/supervisor/calendar"
	"mews/supervisor/feature"
	"mews/supervisor/github"
	"mews/supervisor/hostcall"
	"mews/supervisor/schedule"
	"mews/supervisor/services"
	"mews/supervisor/webhook"
)

// describeFeatures returns features that belong to no service. Use only their names and tables; do
// not call their functions.
func describeFeatures() []feature.Feature {
	s := service{capabilities: capabilities{gitHub: new(github.GitHub), schedule: schedule.New(schedule.Options{})}}
	s.webhooks = new(webhook.Receiver)
	s.services = services.New(services.Options{})
	s.calendar = calendar.New(calendar.Options{})
	return s.newFeatures()
}

// openFeatures makes the features, and the table of workers' host calls.
func (s *service) openFeatures(context.Context) (err error) {
	s.forgetter = s.newForgetter()
	s.calendar = s.newCalendar()
	s.reminders = s.newReminders()
	s.routines = s.newRoutines()
	s.schedule = s.newSchedule()
	s.features = s.newFeatures()
	s.settings.Features = collect(s.features, func(f feature.Feature) []feature.Setting { return f.Settings })
	s.hostCalls = s.hostCallOptions()
	s.hostCalls.Table, err = hostcall.NewCallTable(collect(s.features,
		func(f feature.Feature) []feature.HostCall { return f.HostCalls })...)
	return err
}

// collect returns the rows of one kind from all features.
func collect[T any](features []feature.Feature, of func(feature.Feature) []T) (all []T) {
	for _, f := range features {
		all = append(all, of(f)...)
	}
	return all
}

// commandRows returns the commands of a feature.
func commandRows(f feature.Feature) []feature.Command { return f.Commands }

// DefaultEffectRules returns the default rule of each effect that can have a rule.
func DefaultEffectRules() map[string]string {
	all := approval.CoreEffects()
	for _, e := range collect(describeFeatures(), func(f feature.Feature) []feature.Effect { return f.Effects }) {
		all[e.Name] = e.Rule
	}
	return all
}

// TaintedEffectRules returns the default rules of effects in a tainted turn.
func TaintedEffectRules() map[string]string {
	all := approval.CoreTaintedEffects()
	for _, e := range collect(describeFeatures(), func(f feature.Feature) []feature.Effect { return f.Effects }) {
		if e.Tainted != "" {
			all[e.Name] = e.Tainted
		}
	}
	return all
}
