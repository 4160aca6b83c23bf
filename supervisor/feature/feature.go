package feature

import "context"

// Feature is what one capability adds to the service. An empty list adds nothing of its kind.
type Feature struct {
	Name      string // its folder's
	Commands  []Command
	HostCalls []HostCall
	Effects   []Effect
	Settings  []Setting
	Calls     []Call
	Parts     []Part
}

// Effect is something that leaves the sandbox, or changes what is kept, by a person's rules.
type Effect struct {
	Name string // as the configuration's approvals have it
	Rule string // allow, ask, step_up or deny: what holds if no rule is set
}

// Part is something that runs for as long as the service does. Parts of features start after the
// sessions and before the commands, in the order of the features, and stop in the reverse order.
type Part struct {
	Name string
	Run  func(context.Context) error // returns when its context has ended
}
