package app

import (
	"context"
	"fmt"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/approval"
	"mews/supervisor/control"
	"mews/supervisor/feature"
	"mews/supervisor/hostcall"
)

// describe has the features of no service: their names, and none of their functions may be called.
func describe() []feature.Feature { return (&service{}).newFeatures() }

// openFeatures makes the features, and what workers may ask.
func (s *service) openFeatures(context.Context) (err error) {
	s.forgetter = s.newForgetter()
	s.features = s.newFeatures()
	s.settings.Features = rows(s.features, func(f feature.Feature) []feature.Setting { return f.Settings })
	s.hostCalls = s.hostCallOptions()
	s.hostCalls.Table, err = hostcall.NewTable(rows(s.features,
		func(f feature.Feature) []feature.HostCall { return f.HostCalls })...)
	return err
}

// rows are those of one kind of all features.
func rows[T any](features []feature.Feature, of func(feature.Feature) []T) (all []T) {
	for _, f := range features {
		all = append(all, of(f)...)
	}
	return all
}

func commandRows(f feature.Feature) []feature.Command { return f.Commands }

// Effects are the effects that there are rules for, each with the rule that holds if none is set.
func Effects() map[string]string {
	all := approval.Effects()
	for _, e := range rows(describe(), func(f feature.Feature) []feature.Effect { return f.Effects }) {
		all[e.Name] = e.Rule
	}
	return all
}

// callMethods are the calls of features as the control socket answers them.
func callMethods(features []feature.Feature, people *access.People,
	audit func(user, action, detail string)) map[string]control.Method {
	all := map[string]control.Method{}
	for _, call := range rows(features, func(f feature.Feature) []feature.Call { return f.Calls }) {
		all[call.Name] = func(ctx context.Context, uid uint32, req *protocol.Request) (any, error) {
			by := caller(people, uid, audit)
			if call.AdminsOnly && !by.Admin {
				return nil, supervisor.Errorf(supervisor.CodeForbidden, textAdminsOnly)
			}
			return call.Answer(ctx, by, req)
		}
	}
	return all
}

// caller is a process of that user id as features see it.
func caller(people *access.People, uid uint32, audit func(user, action, detail string)) feature.Caller {
	return feature.Caller{UID: uid, Admin: people.Admin(uid),
		Whose: func(name, action string) (supervisor.User, error) {
			user, err := people.Speaker(uid, name)
			if err != nil {
				return user, err
			}
			if own, err := people.Speaker(uid, ""); action != "" && (err != nil || own.Name != user.Name) {
				audit(user.Name, action, fmt.Sprintf("by uid %d", uid))
			}
			return user, nil
		}}
}
