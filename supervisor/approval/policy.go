// Package approval decides whether an effect may leave the walls: by the rules that were set for
// everybody, for a role and for a person, and where those say so by asking the person. What was
// allowed is exactly what was asked about: another file, another place or other arguments are
// another question.
package approval

import (
	"sync/atomic"

	"mews/supervisor"
)

// Rule is what is to be done about an effect.
type Rule string

const (
	RuleAllow Rule = "allow" // without a word
	// the person, each time, unless they allowed exactly this for always
	RuleAsk Rule = "ask"
	// the person, who shows with a fresh code that it is they, each time
	RuleStepUp Rule = "step_up"
	RuleDeny   Rule = "deny"
)

// The effects that there are rules for.
const (
	EffectSendFile = "send_file" // a file of the person's goes to a chat
	EffectSettings = "settings"  // what a person has set for themselves changes
	EffectInvite   = "invite"    // somebody is let in
)

// Rules are the rules of some effects.
type Rules map[string]Rule

// defaultRules is what holds where nothing was set. What stands neither here nor in a Table is
// denied.
var defaultRules = Rules{
	EffectSendFile: RuleAllow,
	EffectSettings: RuleAllow,
	EffectInvite:   RuleAllow,
}

// Effects are the core's effects that there are rules for, each with the rule that holds where
// nothing was set. Features add theirs (feature.Effect): a Table has a rule for each of those.
func Effects() map[string]string {
	all := map[string]string{}
	for effect, rule := range defaultRules {
		all[effect] = string(rule)
	}
	return all
}

// Table is all rules. The zero value has the usual ones: allow for every effect that there is.
type Table struct {
	All   Rules
	Roles map[supervisor.Role]Rules // stronger than All
	Users map[string]Rules          // by name, and stronger than Roles
}

// Rule is the rule of an effect for a user: their own, else that of their role, of all, or the
// usual one.
func (t Table) Rule(user supervisor.User, effect string) Rule {
	for _, rules := range []Rules{t.Users[user.Name], t.Roles[user.Role], t.All, defaultRules} {
		if rule, ok := rules[effect]; ok {
			return rule
		}
	}
	return RuleDeny
}

// Policy is a Table that can be replaced while it is in use. The zero value has the usual rules.
type Policy struct{ table atomic.Pointer[Table] }

// Set makes t the rules from now on. The caller does not change it any more.
func (p *Policy) Set(t Table) { p.table.Store(&t) }

// Rule is that of the Table.
func (p *Policy) Rule(user supervisor.User, effect string) Rule {
	if t := p.table.Load(); t != nil {
		return t.Rule(user, effect)
	}
	return Table{}.Rule(user, effect)
}
