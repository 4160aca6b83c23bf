package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Access is how people prove that it is they who speak, and how much they may send.
type Access struct {
	Session    time.Duration `yaml:"session"`     // a code opens a chat until nothing was said for so long,
	SessionMax time.Duration `yaml:"session_max"` // and for so long at most
	Rate       Inflow        `yaml:"rate"`
	KeyFile    string        `yaml:"key_file"` // as written; "": the service keeps a key of its own
	Key        Secret        // what KeyFile holds: 32 bytes. Empty without one. In no file.
}

// Inflow is how many messages are taken from one person.
type Inflow struct {
	Burst  int     `yaml:"burst"`  // at once
	Second float64 `yaml:"second"` // a second, from then on
}

// TOTP says whether a person has to prove with a code (TOTP) that it is they who speak.
type TOTP string

// The modes of a second factor.
const (
	TOTPRequired TOTP = "required" // always: who has not enrolled can't speak
	TOTPOptional TOTP = "optional" // once they have enrolled
	TOTPOff      TOTP = "off"      // never
)

var totps = []string{string(TOTPRequired), string(TOTPOptional), string(TOTPOff)}

// Budget is what may be spent on models.
type Budget struct {
	Month Dollars  `yaml:"month"` // by all together, from the first to the first
	Users Spending `yaml:"users"` // by a person who has nothing else; already copied into each User
}

// Spending is what a person may spend on models. 0 is no limit.
type Spending struct {
	Turn   Dollars `yaml:"turn"`   // in one turn
	Day    Dollars `yaml:"day"`    // from midnight to midnight where they live
	Month  Dollars `yaml:"month"`  // from the first to the first where they live
	Extend Dollars `yaml:"extend"` // by how much they may lengthen their day by themselves, when asked; 0: not at all
}

func (s Spending) or(general Spending) Spending {
	return Spending{Turn: s.Turn.or(general.Turn), Day: s.Day.or(general.Day), Month: s.Month.or(general.Month),
		Extend: s.Extend.or(general.Extend)}
}

// Approvals say whether people are asked before something leaves the walls.
type Approvals struct {
	All   Rules `yaml:"all"`
	Admin Rules `yaml:"admin"` // of admins, each in place of the one of All
	User  Rules `yaml:"user"`  // of everybody else, likewise
}

// Rules have a field for each effect that there are rules for; "" is as the more general ones have it.
type Rules struct {
	SendFile string `yaml:"send_file"` // a file of theirs goes to a chat
	Settings string `yaml:"settings"`  // what they have set for themselves changes
	Invite   string `yaml:"invite"`    // somebody is let in; of admins
}

var rules = []string{"allow", "ask", "step_up", "deny"}

// ByEffect are the rules that were set, by the names of the effects.
func (r Rules) ByEffect() map[string]string {
	set := map[string]string{}
	for _, e := range r.list() {
		if e.rule != "" {
			set[e.effect] = e.rule
		}
	}
	return set
}

type effectRule struct{ effect, rule string }

func (r Rules) list() []effectRule {
	return []effectRule{{"send_file", r.SendFile}, {"settings", r.Settings}, {"invite", r.Invite}}
}

// gateChecker looks at what is about who may speak, and what they may do.
type gateChecker struct{ *checker }

func (c gateChecker) checkGate() {
	a := c.cfg.Access
	within(c.checker, "access.session", a.Session, time.Minute, 7*24*time.Hour)
	within(c.checker, "access.session_max", a.SessionMax, time.Minute, 30*24*time.Hour)
	if a.SessionMax < a.Session {
		c.wrong("access.session_max", readable(a.SessionMax), "at least access.session, which is "+readable(a.Session))
	}
	within(c.checker, "access.rate.burst", a.Rate.Burst, 1, 1000)
	within(c.checker, "access.rate.second", a.Rate.Second, 0.01, 100)
	c.checkRules("approvals.all", c.cfg.Approvals.All)
	c.checkRules("approvals.admin", c.cfg.Approvals.Admin)
	c.checkRules("approvals.user", c.cfg.Approvals.User)
	c.checkGroups()
	for i, u := range c.cfg.Users {
		c.checkWord(userField(i)+".totp", string(u.TOTP), totps)
		c.checkRules(userField(i)+".approvals", u.Approvals)
	}
}

func (c gateChecker) checkRules(field string, r Rules) {
	for _, e := range r.list() {
		at := field + "." + e.effect
		if _, stands := c.places[at]; stands || e.rule != "" {
			c.checkWord(at, e.rule, rules)
		}
	}
}

const wantGroup = "a group's numeric id on Telegram, which is below 0, such as -1001234567890"

// checkGroups holds that groups are groups: a positive id is a person's. (Telegram promises at most 52 bits.)
func (c gateChecker) checkGroups() {
	taken := map[string]string{}
	for i, id := range c.cfg.Telegram.Groups {
		field := fmt.Sprintf("telegram.groups[%d]", i)
		if id >= 0 || id <= -(1<<52) {
			c.wrong(field, strconv.FormatInt(id, 10), wantGroup)
			continue
		}
		if other, ok := taken[strconv.FormatInt(id, 10)]; ok {
			c.wrong(field, strconv.FormatInt(id, 10), "another group: it is "+other+" already")
			continue
		}
		taken[strconv.FormatInt(id, 10)] = field
	}
}

const wantChoice = "a glob of PROVIDER/MODEL such as claude/* or */*haiku*, or " + Offline + ", or ** for all"

// checkChoices notes globs that no model could match.
func (c modelChecker) checkChoices(field string, globs []string) {
	if _, stands := c.places[field]; !stands {
		return // they are the general ones, and looked at there
	}
	for i, glob := range globs {
		provider, _, slashed := strings.Cut(glob, "/")
		_, known := c.cfg.Models.Providers[provider]
		known = known || c.unjudged() || strings.ContainsAny(provider, "*?[{")
		if glob == Offline || glob == "**" || slashed && known && validGlob(glob) {
			continue
		}
		c.wrong(fmt.Sprintf("%s[%d]", field, i), quote(glob), wantChoice)
	}
}
