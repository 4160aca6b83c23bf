package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// row is a command of the core. Its functions have the Commands that run them.
type row struct {
	supervisor.SlashCommand
	group   feature.Group
	alias   string
	run     run
	mayAsk  bool
	prefix  string
	press   run // nil: what the command does
	keeps   func(press string) bool
	private func(arguments string) bool
}

// run is a feature.Run of some Commands.
type run func(context.Context, *Commands, feature.Request) (supervisor.Delivery, error)

// coreRows has the commands of the core.
var coreRows = slices.Concat(startRows, helpRows, newRows, stopRows, queueRows, followupRows, statusRows, modelRows,
	modelsRows, toolsRows, settingsRows, filesRows, activityRows, usageRows,
	grantsRows, lockRows, inviteRows, allowRows, resendRows)

// bind makes a row's function one that a table has.
func (c *Commands) bind(do run) feature.Run {
	if do == nil {
		return nil
	}
	return func(ctx context.Context, r feature.Request) (supervisor.Delivery, error) { return do(ctx, c, r) }
}

// core is the core's part of the table.
func (c *Commands) core() (all []feature.Command) {
	for _, r := range coreRows {
		all = append(all, feature.Command{SlashCommand: r.SlashCommand, Group: r.group, Alias: r.alias,
			Run: c.bind(r.run), MayAsk: r.mayAsk,
			Prefix: r.prefix, Press: c.bind(r.press), Keeps: r.keeps, Private: r.private})
	}
	return all
}

// sorted makes the table of the core's commands and the features', by group. It refuses what would
// never run: a second use of a name, or a prefix that begins like another.
func sorted(core, features []feature.Command) ([]feature.Command, error) {
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
		if !slices.Contains(feature.Groups(), r.Group) {
			return nil, fmt.Errorf("/%s: there is no group %q", r.Name, r.Group)
		}
		for _, name := range names(r) {
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
		return slices.Index(feature.Groups(), a.Group) - slices.Index(feature.Groups(), b.Group)
	})
	return table, nil
}

// names are a command's, of which the first is its own.
func names(r feature.Command) []string {
	if r.Alias == "" {
		return []string{r.Name}
	}
	return []string{r.Name, r.Alias}
}

// summary is what a command does, as people read it.
func summary(r feature.Command) string {
	switch {
	case r.Alias != "":
		return r.Help + " (also /" + r.Alias + ")"
	case r.AdminsOnly:
		return r.Help + " (for admins)"
	}
	return r.Help
}

// find is a command's row; known is false of a command that there is not.
func (c *Commands) find(name string) (_ feature.Command, known bool) {
	i := slices.IndexFunc(c.table, func(r feature.Command) bool { return slices.Contains(names(r), name) })
	if i < 0 {
		return feature.Command{}, false
	}
	return c.table[i], true
}

// Find is what is known of a command before it runs; the zero value of one that there is not.
func (c *Commands) Find(name string) supervisor.SlashCommand {
	r, _ := c.find(name)
	return r.SlashCommand
}

// EndingTurns are the names of the commands with EndsTurn.
func EndingTurns() (all []string) {
	for _, r := range (&Commands{}).core() {
		if r.EndsTurn {
			all = append(all, names(r)...)
		}
	}
	return all
}

// MenuEntry is a command as a channel's menu shows it.
type MenuEntry struct {
	Name    string // without the slash
	Summary string
}

// Menu lists the commands that /help lists, those for admins too or not, for a channel that shows
// them to choose from. /start is not in it: such a channel offers that by itself.
func (c *Commands) Menu(admin bool) (menu []MenuEntry) {
	for _, r := range c.table {
		if r.Name != startName && c.lists(r, admin) {
			menu = append(menu, MenuEntry{Name: r.Name, Summary: summary(r)})
		}
	}
	return menu
}
