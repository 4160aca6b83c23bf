package install

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"mews/config"
	"mews/supervisor/app"
)

// LayoutOfConfig returns the layout of the instance that has a configuration file.
func LayoutOfConfig(file string) (Layout, error) {
	instance := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "mews")
	layout, err := NewLayout(strings.TrimPrefix(instance, "-"))
	if err == nil && file != layout.Config() {
		err = fmt.Errorf(textOtherLayout, file, layout.Config())
	}
	return layout, err
}

// AddPerson makes an account and a home for a person, and starts the service again. It can be run again after it was killed.
func (in *Installer) AddPerson(ctx context.Context, p Person) error {
	if !in.found {
		return fmt.Errorf(textNotInstalled, in.layout.recordFile())
	}
	p.Account = accountNew
	a := &in.record.Answers
	if i := slices.IndexFunc(a.People, func(q Person) bool { return q.Name == p.Name }); i < 0 {
		a.People = append(a.People, p)
	} else if a.People[i] != p {
		return fmt.Errorf(textTwice, p.Name)
	}
	in.answered = true
	own, found, err := in.machine.account(in.layout.accountOf(p))
	if err == nil && !found {
		own = account{}
	}
	if err = errors.Join(err, in.Check()); err != nil {
		return err
	}
	if _, err := in.policyWith(p, own); err != nil {
		return err
	}
	steps := slices.Concat([]step{in.recordStep()}, in.accountSteps(), in.fileSteps(), in.homeSteps())
	if err := in.apply(ctx, steps); err != nil {
		return err
	}
	if err := in.addToEdited(p); err != nil {
		return err
	}
	in.record.Restart = true
	return in.apply(ctx, []step{in.serviceStep()})
}

// addToEdited adds a person to a policy and a configuration that were edited, and so were not
// written again.
func (in *Installer) addToEdited(p Person) error {
	name := in.layout.accountOf(p)
	own, _, err := in.machine.account(name)
	if err != nil {
		return err
	}
	policy, err := in.policyWith(p, own)
	if err == nil && policy != "" {
		err = in.machine.write(in.layout.policy(), []byte(policy), 0o644, 0)
	}
	if err != nil {
		return err
	}
	text, err := in.machine.read(in.layout.Config())
	if err != nil {
		return err
	}
	added, err := addUser(string(text), p.Name, in.layout.userText(p, in.record.Answers.Timezone))
	if err != nil || added == string(text) {
		return err
	}
	if err := checkText(in, added); err != nil {
		return err
	}
	gid, _, _, err := in.machine.group(in.layout.account())
	if err != nil {
		return err
	}
	return in.machine.write(in.layout.Config(), []byte(added), 0o640, gid)
}

// policyWith returns an edited policy with a person, whose account may be made later; "" if it needs
// no change. A policy with a range of accounts takes no single persons.
func (in *Installer) policyWith(p Person, own account) (string, error) {
	text, err := in.machine.read(in.layout.policy())
	if err != nil || text == nil || in.record.isOurs(in.layout.policy(), text) {
		return "", err
	}
	if !policySingle.Match(text) {
		from, to := uint32(firstPersonUID), uint32(lastPersonUID)
		if found := policyRange.FindSubmatch(text); found != nil {
			a, err1 := strconv.ParseUint(string(found[1]), 10, 32)
			b, err2 := strconv.ParseUint(string(found[2]), 10, 32)
			if err := errors.Join(err1, err2); err != nil {
				return "", err
			}
			from, to = uint32(a), uint32(b)
		}
		least, most := min(own.uid, own.gid), max(own.uid, own.gid)
		if own == (account{}) {
			least, most = firstPersonUID, lastPersonUID
		}
		if least < from || most > to {
			return "", fmt.Errorf(textPolicyRange, in.layout.policy(), from, to, p.Name)
		}
		return "", nil
	}
	line := fmt.Sprintf("person %d:%d\n", own.uid, own.gid)
	if own == (account{}) || strings.Contains("\n"+string(text), "\n"+line) {
		return "", nil
	}
	return strings.TrimRight(string(text), "\n") + "\n# " + p.Name + "\n" + line, nil
}

// Lines of a policy about accounts.
var (
	policySingle = regexp.MustCompile(`(?m)^\s*(uids\s+none|person\s)`)
	policyRange  = regexp.MustCompile(`(?m)^\s*uids\s+(\d+)-(\d+)`)
)

// addUser puts a user behind the last one of a configuration, unless the user is there already.
func addUser(text, name, user string) (string, error) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) == 0 {
		return "", errors.Join(err, fmt.Errorf(textAddByHand, user))
	}
	top := document.Content[0]
	for i := 0; i+1 < len(top.Content); i += 2 {
		users := top.Content[i+1]
		if top.Content[i].Value != "users" {
			continue
		}
		var there []struct{ Name string }
		if err := users.Decode(&there); err != nil || users.Style&yaml.FlowStyle != 0 || len(users.Content) == 0 {
			return "", errors.Join(err, fmt.Errorf(textAddByHand, user))
		}
		if slices.ContainsFunc(there, func(u struct{ Name string }) bool { return u.Name == name }) {
			return text, nil
		}
		lines := strings.SplitAfter(text, "\n")
		at := lastLine(users)
		if !strings.HasSuffix(lines[at-1], "\n") {
			lines[at-1] += "\n"
		}
		indent := strings.Repeat(" ", max(0, users.Column-1))
		user = indent + strings.ReplaceAll(strings.TrimPrefix(user, "  "), "\n  ", "\n"+indent)
		return strings.Join(lines[:at], "") + user + strings.Join(lines[at:], ""), nil
	}
	return "", fmt.Errorf(textAddByHand, user)
}

// lastLine returns the number of the last line of a node.
func lastLine(n *yaml.Node) int {
	last := n.Line + strings.Count(strings.TrimRight(n.Value, "\n"), "\n")
	for _, child := range n.Content {
		last = max(last, lastLine(child))
	}
	return last
}

// checkText checks a text of the configuration before it is written.
func checkText(in *Installer, text string) error {
	env, err := config.ReadMachineEnv(app.DefaultEffectRules(), app.TaintedEffectRules())
	if err != nil {
		return err
	}
	env.Client = true // the secrets are not what changes
	read := env.ReadFile
	env.ReadFile = func(file string) ([]byte, error) {
		if file == in.layout.Config() {
			return []byte(text), nil
		}
		return read(in.machine.path(path.Clean(file)))
	}
	_, err = config.Load(in.layout.Config(), env)
	return err
}
