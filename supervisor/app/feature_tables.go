package app

import (
	"context"

	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/github"
	"mews/supervisor/hostcall"
	"mews/supervisor/schedule"
	"mews/supervisor/webhook"
)

// describe has the features of no service: their names, and none of their functions may be called.
func describeFeatures() []feature.Feature {
	s := service{capabilities: capabilities{gitHub: new(github.GitHub), schedule: schedule.New(schedule.Options{})}}
	s.webhooks = new(webhook.Receiver)
	return s.newFeatures()
}

// openFeatures makes the features, and what workers may ask.
func (s *service) openFeatures(context.Context) (err error) {
	s.forgetter = s.newForgetter()
	s.routines = s.newRoutines()
	s.schedule = s.newSchedule()
	s.features = s.newFeatures()
	s.settings.Features = collect(s.features, func(f feature.Feature) []feature.Setting { return f.Settings })
	s.hostCalls = s.hostCallOptions()
	s.hostCalls.Table, err = hostcall.NewTable(collect(s.features,
		func(f feature.Feature) []feature.HostCall { return f.HostCalls })...)
	return err
}

// rows are those of one kind of all features.
func collect[T any](features []feature.Feature, of func(feature.Feature) []T) (all []T) {
	for _, f := range features {
		all = append(all, of(f)...)
	}
	return all
}

func commandRows(f feature.Feature) []feature.Command { return f.Commands }

// Effects are the effects that there are rules for, each with the rule that holds if none is set.
func Effects() map[string]string {
	all := approval.Effects()
	for _, e := range collect(describeFeatures(), func(f feature.Feature) []feature.Effect { return f.Effects }) {
		all[e.Name] = e.Rule
	}
	return all
}
