package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// row is a command of the core. Its functions also get the Commands.
type row struct {
	supervisor.SlashCommand
	group   feature.HelpGroup
	alias   string
	run     run
	mayAsk  bool
	prefix  string
	press   run // run for a press of the command's buttons; nil means the run of the command
	keeps   func(press string) bool
	private func(arguments string) bool
}

// run is a feature.Run that also gets the Commands.
type run func(context.Context, *Commands, feature.CommandRequest) (supervisor.Delivery, error)

// coreRows has all commands of the core.
var coreRows = slices.Concat(startRows, helpRows, newRows, stopRows, queueRows, followupRows, statusRows, modelRows,
	modelsRows, toolsRows, settingsRows, filesRows, activityRows, usageRows,
	grantsRows, lockRows, inviteRows, allowRows, doctorRows, resendRows)

// bind makes a feature.CommandFunc of a row's function.
func (c *Commands) bind(do run) feature.CommandFunc {
	if do == nil {
		return nil
	}
	return func(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) { return do(ctx, c, r) }
}

// core returns the core's commands.
func (c *Commands) core() (all []feature.Command) {
	for _, r := range coreRows {
		all = append(all, feature.Command{SlashCommand: r.SlashCommand, Group: r.group, Alias: r.alias,
			Run: c.bind(r.run), MayAsk: r.mayAsk,
			Prefix: r.prefix, Press: c.bind(r.press), Keeps: r.keeps, Private: r.private})
	}
	return all
}

// mergeCommands merges the core's commands and the features', by group. It refuses commands that
// could never run: a duplicate name, or a prefix that begins with another prefix.
func mergeCommands(core, features []feature.Command) ([]feature.Command, error) {
	taken, prefixes := map[string]bool{}, []string{questionPrefix}
	for _, r := range features {
		if r.EndsTurn || r.Locks != nil {
			return nil, fmt.Errorf("/%s: only a command of the core ends turns or locks", r.Name)
		}
	}
	table := slices.Concat(core, features)
	for i, r := range table {
		if r.Run == nil {
			return nil, fmt.Errorf("/%s: nothing runs it", r.Name)
		}
		if !slices.Contains(feature.HelpGroups(), r.Group) {
			return nil, fmt.Errorf("/%s: there is no group %q", r.Name, r.Group)
		}
		for _, name := range commandNames(r) {
			if taken[name] {
				return nil, fmt.Errorf("/%s: there are two commands of that name", name)
			}
			taken[name] = true
		}
		if r.Press == nil {
			table[i].Press = r.Run
		}
		if r.Prefix == "" {
			continue
		}
		for _, other := range prefixes {
			if strings.HasPrefix(r.Prefix, other) || strings.HasPrefix(other, r.Prefix) {
				return nil, fmt.Errorf("/%s: the presses of its buttons begin with %q, and others with %q", r.Name,
					r.Prefix, other)
			}
		}
		prefixes = append(prefixes, r.Prefix)
	}
	slices.SortStableFunc(table, func(a, b feature.Command) int {
		return slices.Index(feature.HelpGroups(), a.Group) - slices.Index(feature.HelpGroups(), b.Group)
	})
	return table, nil
}

// commandNames returns the names of a command, its main name first.
func commandNames(r feature.Command) []string {
	if r.Alias == "" {
		return []string{r.Name}
	}
	return []string{r.Name, r.Alias}
}

// helpText returns the help text of a command.
func helpText(r feature.Command) string {
	switch {
	case r.Alias != "":
		return r.Help + " (also /" + r.Alias + ")"
	case r.AdminsOnly:
		return r.Help + " (for admins)"
	}
	return r.Help
}

// find returns the command with a name.
func (c *Commands) find(name string) (_ feature.Command, known bool) {
	i := slices.IndexFunc(c.table, func(r feature.Command) bool { return slices.Contains(commandNames(r), name) })
	if i < 0 {
		return feature.Command{}, false
	}
	return c.table[i], true
}

// FindCommand returns the properties of a command; the zero value means an unknown command.
func (c *Commands) FindCommand(name string) supervisor.SlashCommand {
	r, _ := c.find(name)
	return r.SlashCommand
}

// TurnEndingCommandNames lists the names of commands that end the running turn.
func TurnEndingCommandNames() (all []string) {
	for _, r := range (&Commands{}).core() {
		if r.EndsTurn {
			all = append(all, commandNames(r)...)
		}
	}
	return all
}

// MenuEntry is a command in a channel's menu.
type MenuEntry struct {
	Name    string // name of the command, without the slash
	Summary string
}

// Menu lists the commands for a channel's menu; admin adds the commands for admins. It leaves out
// /start, because channels with a menu offer /start anyway.
func (c *Commands) Menu(admin bool) (menu []MenuEntry) {
	for _, r := range c.table {
		if r.Name != startName && c.isListed(r, admin) {
			menu = append(menu, MenuEntry{Name: r.Name, Summary: helpText(r)})
		}
	}
	return menu
}
