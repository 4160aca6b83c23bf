package calendar

import (
	"fmt"
	"slices"
	"strings"
)

// File is an iCalendar file. The zero File is empty.
type File struct {
	root  Component // has no begin and no end; its components are the calendars
	style style
}

// Component is a part of a file between BEGIN and END.
type Component struct {
	Name       string // name in capital letters, such as VEVENT
	begin, end string // raw lines; end is "" if the file ends before
	items      []item
}

// item is one content line of a component, or a component in it.
type item struct {
	raw   string // the line as it is in the file; "" means a component
	name  string // name in capital letters; "" means that the line is no content line
	child *Component
}

// maxDepth is the maximum depth of components. Deeper ones are kept as lines.
const maxDepth = 6

// Parse reads a file. Every text is a file: lines that are no iCalendar are kept too.
func Parse(text string) (*File, error) {
	if len(text) > MaxFileBytes {
		return nil, fmt.Errorf("the calendar has over %d MiB", MaxFileBytes>>20)
	}
	f := &File{style: styleOf(text)}
	open := []*Component{&f.root}
	for raw, rest := "", text; rest != ""; {
		raw, rest = nextLine(rest)
		c, name := open[len(open)-1], nameOf(raw)
		switch {
		case name == "BEGIN" && len(open) <= maxDepth:
			child := &Component{Name: componentName(raw), begin: raw}
			c.items = append(c.items, item{child: child})
			open = append(open, child)
		case name == "END" && endsOpen(open, componentName(raw)):
			// components that are still open within the ended one lack their own END
			for last := componentName(raw); open[len(open)-1].Name != last; {
				open = open[:len(open)-1]
			}
			open[len(open)-1].end = raw
			open = open[:len(open)-1]
		default:
			if c.items == nil {
				c.items = make([]item, 0, 12)
			}
			c.items = append(c.items, item{raw: raw, name: name})
		}
	}
	return f, nil
}

// componentName returns the name in a line BEGIN or END.
func componentName(raw string) string {
	_, name, _ := strings.Cut(unfold(raw), ":")
	return capitals(strings.TrimSpace(name))
}

// endsOpen reports whether a component of this name is open.
func endsOpen(open []*Component, name string) bool {
	return slices.ContainsFunc(open[1:], func(c *Component) bool { return c.Name == name })
}

// String returns the text of the file.
func (f *File) String() string {
	var b strings.Builder
	f.root.write(&b)
	return b.String()
}

func (c *Component) write(b *strings.Builder) {
	b.WriteString(c.begin)
	for _, i := range c.items {
		if i.child != nil {
			i.child.write(b)
			continue
		}
		b.WriteString(i.raw)
	}
	b.WriteString(c.end)
}

// Text returns the lines of the component.
func (c *Component) Text() string {
	var b strings.Builder
	c.write(&b)
	return b.String()
}

// components returns the components with a name that are directly in c.
func (c *Component) components(name string) (list []*Component) {
	for _, i := range c.items {
		if i.child != nil && i.child.Name == name {
			list = append(list, i.child)
		}
	}
	return list
}

// in returns the components with a name in the calendars of the file.
func (f *File) in(name string) (list []*Component) {
	for _, c := range f.root.components("VCALENDAR") {
		list = append(list, c.components(name)...)
	}
	return list
}

// line returns the first content line with a name, unfolded; "" means none.
func (c *Component) line(name string) string {
	for _, i := range c.items {
		if i.name == name {
			return unfold(i.raw)
		}
	}
	return ""
}

// remove removes a component from wherever it is below c. It reports whether it was there.
func (c *Component) remove(gone *Component) bool {
	for i, it := range c.items {
		if it.child == nil {
			continue
		}
		if it.child == gone {
			c.items = slices.Delete(c.items, i, i+1)
			return true
		}
		if it.child.remove(gone) {
			return true
		}
	}
	return false
}

// set replaces the first line with a name by a new line, and removes other lines with that name.
// An empty line removes them all. A new name is put before the first component in c.
func (c *Component) set(s style, name, line string) {
	done := line == ""
	kept := c.items[:0]
	for _, i := range c.items {
		switch {
		case i.name != name:
			kept = append(kept, i)
		case !done:
			if done = true; unfold(i.raw) != line {
				i.raw = s.fold(line)
			}
			kept = append(kept, i)
		}
	}
	if c.items = kept; !done {
		c.add(s, line)
	}
}

// add adds a line after the other lines, and before the components in c.
func (c *Component) add(s style, line string) {
	at := slices.IndexFunc(c.items, func(i item) bool { return i.child != nil })
	if at < 0 {
		at = len(c.items)
		if at > 0 {
			c.items[at-1].raw = withNewline(c.items[at-1].raw, s)
		}
	}
	raw := s.fold(line)
	c.items = slices.Insert(c.items, at, item{raw: raw, name: nameOf(raw)})
}

// withNewline completes the last line of a file that ends without a line ending.
func withNewline(raw string, s style) string {
	if raw == "" || strings.HasSuffix(raw, "\n") {
		return raw
	}
	return raw + s.newline
}
