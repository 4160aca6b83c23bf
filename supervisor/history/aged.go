package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/protocol/foreign"
	"mews/supervisor"
	"mews/supervisor/internal/quotes"
	"mews/supervisor/taint"
)

// HideForeignWords returns a message of an earlier day without its words of others. A line in their
// place names them, so that the model can read the message again. The user's own words stay.
func HideForeignWords(m supervisor.OldForeignMessage) protocol.Message {
	out := m.Message
	if out.Role == protocol.RoleTool {
		out.Parts = slices.Clone(out.Parts)
		for i, p := range out.Parts {
			if p.Result != nil && taint.IsForeignResult(*p.Result) {
				out.Parts[i].Result = &protocol.ToolResult{Call: p.Result.Call, Name: p.Result.Name,
					Failed: p.Result.Failed, World: p.Result.World, Text: agedLine(textAgedResult, m)}
			}
		}
		return out
	}
	out.Recap, out.Parts = "", nil
	for i, p := range m.Parts {
		if i != m.OwnPart && m.World {
			continue
		}
		if quotes.BeginsWithQuote(p.Text) {
			p.Text = quotes.RemoveQuotes(p.Text)
		}
		if p.Text != "" || p.Image != nil {
			out.Parts = append(out.Parts, p)
		}
	}
	line := agedLine(agedName(m), m)
	if len(out.Parts) > 0 {
		line = "\n" + line
	}
	out.Parts = append(out.Parts, protocol.ContentPart{Text: line})
	return out
}

// agedLine returns the line that replaces the words of others.
func agedLine(name string, m supervisor.OldForeignMessage) string {
	return fmt.Sprintf(textAged, name, amount.FormatBytes(m.Size), m.At.Format(dayAged), supervisor.ReadMessageToolName,
		m.ID)
}

// agedName describes the words of others in a user's message.
func agedName(m supervisor.OldForeignMessage) string {
	for _, named := range agedNames {
		if slices.ContainsFunc(m.Parts, func(p protocol.ContentPart) bool {
			return strings.HasPrefix(p.Text,
				named.begins)
		}) {
			return named.name
		}
	}
	switch {
	case m.HasImage():
		return textAgedPicture
	case m.Recap != "" && !m.World:
		return textAgedRecap
	}
	return textAgedWords
}

// DescribeForeignWords describes messages with words of others, for their user. most is the maximum
// number of described messages.
func DescribeForeignWords(list []supervisor.OldForeignMessage, most int, zone *time.Location) string {
	var names []string
	for _, m := range list[:min(len(list), most)] {
		names = append(names, fmt.Sprintf(textForeign, foreignName(m), m.At.In(zone).Format(timeForeign)))
	}
	if more := len(list) - len(names); more > 0 {
		names = append(names, fmt.Sprintf(textMoreForeign, more))
	}
	return strings.Join(names, "; ")
}

// foreignName describes the words of others in a message, with their author or file if known.
func foreignName(m supervisor.OldForeignMessage) string {
	for _, p := range m.Parts {
		if p.Result != nil {
			return fmt.Sprintf(textForeignResult, foreign.SanitizeName(p.Result.Name))
		}
		line, _, _ := strings.Cut(p.Text, "\n")
		if by, is := strings.CutPrefix(line, "[Forwarded from "); is {
			return fmt.Sprintf(textForeignForward, strings.TrimSuffix(by, "]"))
		}
		if path, is := strings.CutPrefix(line, "[File "); is {
			path, _, _ = strings.Cut(path, ": ")
			return fmt.Sprintf(textForeignFile, foreign.SanitizeName(path))
		}
	}
	return agedName(m)
}
