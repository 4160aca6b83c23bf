package approval

import (
	"fmt"
	"slices"
	"strings"

	"mews/supervisor/taint"
)

// maxDescribed is the most origins that a question names.
const maxDescribed = 4

const textMoreOrigins = "and %d more"

// plainOrigins and namedOrigins are the descriptions of origins, for the user.
var plainOrigins = map[string]string{
	taint.OriginForward: "a forwarded message", taint.OriginQuote: "a quoted message",
	taint.OriginJob: "a message of your tasks", taint.OriginMessage: "a message with words of others",
	taint.OriginRecap: "messages from your other chats", taint.OriginReceivedFiles: "files that you received",
}

var namedOrigins = []struct{ begins, text string }{
	{taint.PrefixFile, "the file %s"}, {taint.PrefixForward, "a forward from %s"}, {taint.PrefixTool, "a result of %s"},
	{taint.PrefixWeb, "the web page of %s"}, {taint.PrefixService, "the service %s"},
	{taint.PrefixCalendar, "the calendar %s"},
}

// DescribeOrigins describes origins in plain words, for the user. An unknown origin is shown as it
// is.
func DescribeOrigins(origins []string) string {
	var words []string
	for _, origin := range origins {
		words = append(words, describeOrigin(origin))
	}
	slices.Sort(words)
	words = slices.Compact(words)
	if more := len(words) - maxDescribed; more > 0 {
		words = append(words[:maxDescribed], fmt.Sprintf(textMoreOrigins, more))
	}
	return strings.Join(words, "; ")
}

func describeOrigin(origin string) string {
	if text, known := plainOrigins[origin]; known {
		return text
	}
	for _, n := range namedOrigins {
		if source, is := strings.CutPrefix(origin, n.begins); is {
			return fmt.Sprintf(n.text, quoteName(source))
		}
	}
	return quoteName(origin)
}

// maxNameRunes is the most characters of a source that a question shows.
const maxNameRunes = 80

// quoteName returns a name as Markdown code, so that it contains no markup.
func quoteName(name string) string {
	name = strings.ReplaceAll(name, "`", "'")
	if runes := []rune(name); len(runes) > maxNameRunes {
		name = string(runes[:maxNameRunes-1]) + "…"
	}
	return "`" + name + "`"
}
