// Package approval decides whether an effect may happen, by rules for all users, for a role, and
// for one user. If a rule says so, it asks the user first. An answer allows exactly the effect of
// its question: another file, chat or argument needs another question.
package approval

import (
	"sync/atomic"

	"mews/supervisor"
)

// Rule says how an effect is decided.
type Rule string

const (
	RuleAllow Rule = "allow" // allows the effect without a question
	// RuleAsk allows an effect if the user says yes each time, or has allowed exactly this effect
	// for always.
	RuleAsk Rule = "ask"
	// RuleStepUp allows an effect if the user sends a new code of their second factor each time.
	RuleStepUp Rule = "step_up"
	RuleDeny   Rule = "deny"
)

// Effects of the core that have rules.
const (
	EffectSendFile = "send_file" // sending a file of the user to a chat
	// EffectSendFileInGroup and EffectSendFile both have rules for a file that goes to a group.
	EffectSendFileInGroup = "send_file_in_group"
	// EffectAnswerInGroup is saying something in a group, in a turn that has read the user's files,
	// memory or services.
	EffectAnswerInGroup = "answer_in_group"
	EffectChangeSetting = "settings" // changing a setting of the user
	EffectInvite        = "invite"   // inviting a new user
	EffectDisallowGroup = "disallow" // ending all answers in a group
)

// Rules maps effects to their rules.
type Rules map[string]Rule

// defaultRules apply if no other rule is set. An effect is denied if it is in neither defaultRules
// nor a RuleTable.
var defaultRules = Rules{
	EffectSendFile:        RuleAllow,
	EffectSendFileInGroup: RuleAllow,
	EffectAnswerInGroup:   RuleAllow,
	EffectChangeSetting:   RuleAllow,
	EffectInvite:          RuleAllow,
	EffectDisallowGroup:   RuleAsk,
}

// taintedRules are the rules of tainted turns that apply if no other rule is set. The stricter of
// the usual rule and this one holds.
var taintedRules = Rules{
	EffectSendFileInGroup: RuleAsk,
	EffectAnswerInGroup:   RuleAsk,
	EffectChangeSetting:   RuleAsk,
}

// CoreEffects returns the core's effects and their default rules. Features add their own effects
// (feature.Effect); a RuleTable has a rule for each of them.
func CoreEffects() map[string]string { return ruleNames(defaultRules) }

// CoreTaintedEffects returns the default rules of the core's effects in a tainted turn.
func CoreTaintedEffects() map[string]string { return ruleNames(taintedRules) }

func ruleNames(rules Rules) map[string]string {
	all := map[string]string{}
	for effect, rule := range rules {
		all[effect] = string(rule)
	}
	return all
}

// RuleTable has the rules of all effects. The zero value allows every effect of the core.
type RuleTable struct {
	All   Rules
	Roles map[supervisor.Role]Rules // rules by role; they take precedence over All
	Users map[string]Rules          // rules by the user's name; they take precedence over Roles
	// Tainted has the rules of tainted turns, for all users. The stricter of such a rule and the
	// usual rule holds.
	Tainted Rules
}

// Rule returns the rule of an effect for a user. The user's own rule comes first, then the rule of
// the role, the rule for all users, and the default.
func (t RuleTable) Rule(user supervisor.User, effect string) Rule {
	for _, rules := range []Rules{t.Users[user.Name], t.Roles[user.Role], t.All, defaultRules} {
		if rule, ok := rules[effect]; ok {
			return rule
		}
	}
	return RuleDeny
}

// TaintedRule returns the rule of an effect for a user in a tainted turn.
func (t RuleTable) TaintedRule(user supervisor.User, effect string) Rule {
	usual := t.Rule(user, effect)
	for _, rules := range []Rules{t.Tainted, taintedRules} {
		if rule, ok := rules[effect]; ok {
			return stricter(usual, rule)
		}
	}
	return usual
}

// strictness orders the rules from mild to strict. A missing rule counts as RuleDeny.
var strictness = map[Rule]int{RuleAllow: 1, RuleAsk: 2, RuleStepUp: 3}

// stricter returns the stricter of two rules.
func stricter(a, b Rule) Rule {
	if strictness[b] == 0 || strictness[a] != 0 && strictness[b] > strictness[a] {
		return b
	}
	return a
}

// Policy is a RuleTable that can be replaced while it is in use. The zero value has the default
// rules.
type Policy struct{ table atomic.Pointer[RuleTable] }

// SetTable replaces the rules. The caller must not change t afterwards.
func (p *Policy) SetTable(t RuleTable) { p.table.Store(&t) }

// Rule returns the rule of an effect for a user, from the current RuleTable.
func (p *Policy) Rule(user supervisor.User, effect string) Rule {
	return p.current().Rule(user, effect)
}

func (p *Policy) current() RuleTable {
	if t := p.table.Load(); t != nil {
		return *t
	}
	return RuleTable{}
}

// RuleOf returns the rule of a request: the strictest rule of its effects.
func (p *Policy) RuleOf(user supervisor.User, r Request, tainted bool) Rule {
	t, rule := p.current(), RuleAllow
	for _, effect := range r.effects() {
		one := t.Rule(user, effect)
		if byTaint := t.TaintedRule(user, effect); tainted && (byTaint != RuleAsk || !r.OwnWords) {
			one = byTaint
		}
		rule = stricter(rule, one)
	}
	return rule
}
