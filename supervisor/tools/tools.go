// Package tools decides which tools a model is offered: the fixed ones, and the open tools of
// families. It does no I/O. It limits the size of a worker's tool descriptions again, because the
// worker may be hostile.
package tools

import (
	"cmp"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// Limits of the tools that are offered at once, and of the tools that one search opens.
const (
	MaxOfferedTools = 40
	MaxOfferedBytes = 24 << 10
	MaxFoundTools   = protocol.MaxToolsPerFindCall
	MaxFoundBytes   = 8 << 10
)

// DefinitionSize returns the number of bytes of a tool's definition.
func DefinitionSize(t protocol.Tool) int { return len(t.Name) + len(t.Description) + len(t.Schema) }

// list is a list of tools with a limited number and size.
type list struct {
	tools          []protocol.Tool
	bytes          int
	most, mostSize int
}

// add adds a tool to the list if it fits.
func (l *list) add(t protocol.Tool) (fits bool) {
	if len(l.tools) >= l.most || l.bytes+DefinitionSize(t) > l.mostSize {
		return false
	}
	l.tools, l.bytes = append(l.tools, t), l.bytes+DefinitionSize(t)
	return true
}

// FindByName finds a tool by its name.
func FindByName(all []protocol.Tool, name string) (t protocol.Tool, known bool) {
	i := slices.IndexFunc(all, func(t protocol.Tool) bool { return t.Name == name })
	if i < 0 {
		return t, false
	}
	return all[i], true
}

// ListOfferedTools returns the tools that a model is offered. It chooses from its user's sorted
// tools. First come the tools that are always offered. Then come the open tools, in the order of
// their opening, so that the prefix of requests stays the same.
func ListOfferedTools(all []protocol.Tool, open []supervisor.OpenedTool) []protocol.Tool {
	return offered(all, open).tools
}

func offered(all []protocol.Tool, open []supervisor.OpenedTool) list {
	l := list{most: MaxOfferedTools, mostSize: MaxOfferedBytes}
	for _, t := range all {
		if t.Family == "" {
			l.add(t)
		}
	}
	for _, o := range open {
		if t, known := FindByName(all, o.Name); known && t.Family != "" {
			l.add(t)
		}
	}
	return l
}

// AddOpenedTools returns the open tools after opening more tools, as far as there is room. full
// lists the tools without room. Tools that are always offered and unknown names are left out.
func AddOpenedTools(all []protocol.Tool, open []supervisor.OpenedTool,
	more ...supervisor.OpenedTool) (now []supervisor.OpenedTool, full []string) {
	l, now := offered(all, open), slices.Clone(open)
	for _, o := range more {
		t, known := FindByName(all, o.Name)
		switch {
		case !known || t.Family == "" || slices.ContainsFunc(now, func(other supervisor.OpenedTool) bool { return other.Name == o.Name }):
		case l.add(t):
			now = append(now, o)
		default:
			full = append(full, o.Name)
		}
	}
	return now, full
}

// ListToolsToClose returns the names of open tools to close, the least recently used first. It
// closes so many tools that the results of one search have room. Tools that the user keeps open are
// closed last. Missing tools are closed too, unless the user keeps them open.
func ListToolsToClose(all []protocol.Tool, open []supervisor.OpenedTool) (closed []string) {
	order := map[bool]int{true: 1}
	left := slices.SortedStableFunc(slices.Values(open), func(a, b supervisor.OpenedTool) int {
		return cmp.Or(order[a.Pinned]-order[b.Pinned], a.UsedAt.Compare(b.UsedAt))
	})
	left = slices.DeleteFunc(left, func(o supervisor.OpenedTool) bool {
		_, known := FindByName(all, o.Name)
		if known || o.Pinned {
			return false
		}
		closed = append(closed, o.Name)
		return true
	})
	for l := offered(all, left); len(left) > 0 && (len(l.tools) > MaxOfferedTools-MaxFoundTools ||
		l.bytes > MaxOfferedBytes-MaxFoundBytes); l = offered(all, left) {
		closed, left = append(closed, left[0].Name), left[1:]
	}
	return closed
}

// Family is a family of tools.
type Family struct {
	Name  string
	Tools []protocol.Tool
}

// Families returns the families of a list of tools, sorted by name. Tools that are always offered
// belong to no family.
func Families(all []protocol.Tool) (families []Family) {
	for _, t := range all {
		if t.Family == "" {
			continue
		}
		i, there := slices.BinarySearchFunc(families, t.Family, func(f Family, name string) int { return strings.Compare(f.Name, name) })
		if !there {
			families = slices.Insert(families, i, Family{Name: t.Family})
		}
		families[i].Tools = append(families[i].Tools, t)
	}
	return families
}

// Names returns the names of tools.
func Names(tools []protocol.Tool) (names []string) {
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}
