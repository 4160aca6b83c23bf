package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
	"mews/supervisor/tools"
)

// Tools lists the tools of users.
type Tools interface {
	// List returns all tools of a user, sorted by name.
	List(ctx context.Context, user string) ([]protocol.Tool, error)
}

const (
	toolsPrefix = "o:"
	wordKeep    = "keep"
	wordClose   = "close"

	maxToolNames     = 20 // maximum number of listed tools of a family
	maxFamilyButtons = 8  // maximum number of families with buttons
)

var toolsRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "tools",
		Help: "the tools, and which are open here; /tools keep FAMILY keeps a family open, /tools close FAMILY closes it"},
		group: feature.HelpGroupAssistant, run: showTools, prefix: toolsPrefix, keeps: feature.AlwaysPrivateAnswer},
}

// showTools lists a user's tools. With an argument, it opens or closes a family of tools.
func showTools(ctx context.Context, c *Commands, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	all, err := c.o.Tools.List(ctx, r.Conversation.User)
	if err != nil {
		return d, fmt.Errorf("list the tools of %s: %w", r.Conversation.User, err)
	}
	open, err := c.o.OpenedTools.List(ctx, r.Conversation.ID)
	if err != nil || strings.TrimSpace(r.Arguments) == "" {
		return listTools(all, open), err
	}
	what, name, _ := strings.Cut(strings.ToLower(strings.TrimSpace(r.Arguments)), " ")
	families := tools.Families(all)
	i := slices.IndexFunc(families, func(f tools.Family) bool { return f.Name == strings.TrimSpace(name) })
	switch {
	case what != wordKeep && what != wordClose:
		return d, supervisor.Errorf(supervisor.CodeInvalid, textToolsUsage)
	case i < 0:
		return d, supervisor.Errorf(supervisor.CodeNotFound, textNoFamily, markdown.EscapeName(name))
	case what == wordKeep:
		d.Text, err = c.keepOpen(ctx, r, all, open, families[i])
	default:
		d.Text = fmt.Sprintf(textFamilyClosed, families[i].Name)
		err = c.o.OpenedTools.DeleteTools(ctx, r.Conversation.ID, tools.Names(families[i].Tools)...)
	}
	return d, err
}

// keepOpen keeps a family of tools open in a conversation, if all tools of the family fit into a
// request.
func (c *Commands) keepOpen(ctx context.Context, r feature.CommandRequest, all []protocol.Tool,
	open []supervisor.OpenedTool,
	f tools.Family) (string, error) {
	var kept []supervisor.OpenedTool
	for _, name := range tools.Names(f.Tools) {
		kept = append(kept, supervisor.OpenedTool{Name: name, Pinned: true})
	}
	if _, full := tools.AddOpenedTools(all, open, kept...); len(full) > 0 {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textToolsFull, f.Name, tools.MaxOfferedTools,
			tools.MaxOfferedBytes>>10)
	}
	return fmt.Sprintf(textFamilyKept, f.Name), c.o.OpenedTools.AddTools(ctx, r.Conversation, kept...)
}

// listTools lists tools as permanent, open or closed, with a button for each family.
func listTools(all []protocol.Tool, open []supervisor.OpenedTool) (d supervisor.Delivery) {
	of := func(t protocol.Tool) (o supervisor.OpenedTool, isOpen bool) {
		i := slices.IndexFunc(open, func(o supervisor.OpenedTool) bool { return o.Name == t.Name })
		if i < 0 {
			return o, false
		}
		return open[i], true
	}
	var always []protocol.Tool
	for _, t := range all {
		if t.Family == "" {
			always = append(always, t)
		}
	}
	here, closed := "", ""
	for _, f := range tools.Families(all) {
		var is, not []protocol.Tool
		kept := true
		for _, t := range f.Tools {
			o, isOpen := of(t)
			if kept = kept && o.Pinned; isOpen {
				is = append(is, t)
				continue
			}
			not = append(not, t)
		}
		here += familyLine(f.Name, is, map[bool]string{true: textToolsKept}[kept])
		closed += familyLine(f.Name, not, "")
		if len(d.Buttons) < maxFamilyButtons {
			what := map[bool]string{true: wordClose, false: wordKeep}[kept]
			d.Buttons = append(d.Buttons, []supervisor.Button{{Text: fmt.Sprintf(toolButtons[what], f.Name), Press: toolsPrefix + what + " " + f.Name}})
		}
	}
	d.Text = fmt.Sprintf(textTools, toolNames(always))
	if here != "" {
		d.Text += textToolsOpen + here
	}
	if closed != "" {
		d.Text += textToolsClosed + closed
	}
	return d
}

// familyLine describes the tools of one family; "" if the list is empty.
func familyLine(name string, list []protocol.Tool, more string) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf(textToolFamily, name, toolNames(list), more)
}

func toolNames(list []protocol.Tool) (names string) {
	for i, name := range tools.Names(list) {
		if i == maxToolNames {
			return names + fmt.Sprintf(textMoreTools, len(list)-i)
		}
		names += map[bool]string{true: ", "}[i > 0] + markdown.EscapeName(name)
	}
	return names
}
