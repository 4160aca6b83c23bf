package outbox

import (
	"fmt"
	"slices"
	"time"

	"mews/supervisor"
	"mews/supervisor/printable"
)

const (
	// toolLineDelay is how long a tool must run before the line about it appears.
	toolLineDelay = 3 * time.Second

	// maxToolText is the longest description of a tool's call, in UTF-16 code units.
	maxToolText = 60
)

// toolLineInterval returns the time between two changes of the line. In a group, each change takes
// one of the twenty messages a minute.
func toolLineInterval(group bool) time.Duration {
	if group {
		return 15 * time.Second
	}
	return 3 * time.Second
}

// runningTool is the call of a tool, and when the queue first saw it run.
type runningTool struct {
	supervisor.ToolRun
	since time.Time
}

// refreshLine updates the line about a reply's running tool, and returns when the next update is
// due.
func (q *chatQueue) refreshLine(g *growingReply) (due time.Time) {
	now := q.Now()
	interval := toolLineInterval(q.Name.IsGroup(q.chat))
	if g.tool.Call == "" {
		return never
	}
	if at := later(g.tool.since.Add(toolLineDelay), g.lineAt.Add(interval)); at.After(now) {
		return at
	}
	g.lineAt, g.line = now, g.tool.lineAfter(now.Sub(g.tool.since))
	return now.Add(interval)
}

// lineAfter returns the line about a tool that has run for d: "run_command pytest 0:42".
func (t runningTool) lineAfter(d time.Duration) string {
	name := printable.DropControls(t.Tool)
	if text := printable.DropControls(t.Text); text != "" {
		name += " " + clip(text, maxToolText)
	}
	return fmt.Sprintf("%s %d:%02d", name, int(d.Minutes()), int(d.Seconds())%60)
}

// withLine adds a line about a tool to the last part of a reply, if it fits there. The line is not
// Markdown.
func (o *Options) withLine(parts []supervisor.RichText, line string) []supervisor.RichText {
	if line == "" {
		return parts
	}
	italic := supervisor.RichTextEntity{Type: supervisor.EntityItalic, Length: supervisor.UTF16Length(line)}
	n := len(parts) - 1
	if n < 0 {
		return []supervisor.RichText{{Text: line, Entities: []supervisor.RichTextEntity{italic}}}
	}
	text := parts[n].Text + "\n\n"
	if supervisor.UTF16Length(text+line) > o.Limit-RepeatMarkLength {
		return parts
	}
	italic.Offset = supervisor.UTF16Length(text)
	parts[n].Text, parts[n].Entities = text+line, append(slices.Clip(parts[n].Entities), italic)
	return parts
}
