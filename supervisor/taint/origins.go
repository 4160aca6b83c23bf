package taint

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/protocol/foreign"
	"mews/supervisor"
)

// Origins that name no source.
const (
	OriginForward       = "forward"  // a forwarded message
	OriginQuote         = "quote"    // a message of somebody else that the user replied to
	OriginJob           = "job"      // a message of the user's jobs, or what came with it
	OriginMessage       = "message"  // another message with words of others
	OriginRecap         = "recap"    // messages from the user's other chats
	OriginReceivedFiles = "received" // files in a folder of received files
)

// Beginnings of origins that name their source.
const (
	PrefixFile     = "file:"
	PrefixForward  = "forward:"
	PrefixTool     = "tool:"
	PrefixWeb      = "web:"
	PrefixService  = "service:"
	PrefixCalendar = "calendar:"
)

// OriginOfFile and OriginOfTool return the origins of words in a file and in a result.
func OriginOfFile(path string) string { return PrefixFile + path }
func OriginOfTool(name string) string { return PrefixTool + name }

// trusted begins the origins of words that an admin trusts. Such words are those of others, but they
// do not taint.
const trusted = "trusted-"

// Tainting returns the origins that taint: those of words that no admin trusts.
func Tainting(origins []string) []string {
	return slices.DeleteFunc(slices.Clone(origins), func(o string) bool { return strings.HasPrefix(o, trusted) })
}

// Union returns the different printable origins of a list, in order. If there are more than
// protocol.MaxOrigins, it leaves out the last ones.
func Union(origins []string) (all []string) {
	for _, origin := range origins {
		origin = clip(foreign.SanitizeName(origin))
		if origin != "" && !slices.Contains(all, origin) && len(all) < protocol.MaxOrigins {
			all = append(all, origin)
		}
	}
	return all
}

// clip cuts an origin to protocol.MaxOriginBytes.
func clip(origin string) string {
	if len(origin) <= protocol.MaxOriginBytes {
		return origin
	}
	return foreign.SanitizeName(strings.ToValidUTF8(origin[:protocol.MaxOriginBytes], ""))
}

// CheckOrigins returns an error for origins that no honest worker sends.
func CheckOrigins(origins []string) error {
	if len(origins) > protocol.MaxOrigins {
		return fmt.Errorf("%d origins, at most %d", len(origins), protocol.MaxOrigins)
	}
	for _, origin := range origins {
		if len(origin) > protocol.MaxOriginBytes {
			return fmt.Errorf("an origin of %d bytes, at most %d", len(origin), protocol.MaxOriginBytes)
		}
		if origin == "" || foreign.SanitizeName(origin) != origin {
			return errors.New("an origin that is empty or not printable")
		}
	}
	return nil
}

// OriginsOfMessage returns the origins of the words of others in a message. The message must have
// such words.
func OriginsOfMessage(m protocol.Message) (origins []string) {
	for _, p := range m.Parts {
		if p.Result != nil {
			origins = append(origins, originsOfResult(*p.Result)...)
			continue
		}
		line, _, _ := strings.Cut(p.Text, "\n")
		if path, is := strings.CutPrefix(line, "[File "); is {
			path, _, _ = strings.Cut(path, ": ")
			origins = append(origins, OriginOfFile(path))
			continue
		}
		for _, known := range beginnings {
			if strings.HasPrefix(line, known.begins) {
				origins = append(origins, known.origin(line))
				break
			}
		}
	}
	if m.Recap != "" {
		origins = append(origins, OriginRecap)
	}
	if len(origins) == 0 {
		origins = []string{OriginMessage}
	}
	return origins
}

// originsOfResult returns the origins of a result with words of others.
func originsOfResult(r protocol.ToolResult) []string {
	switch {
	case len(r.Origins) > 0:
		return r.Origins
	case r.World:
		return []string{OriginOfTool(r.Name)}
	}
	return nil
}

// beginnings are the first lines of parts with words of others, as the inbox writes them.
var beginnings = []struct {
	begins string
	origin func(line string) string
}{
	{"[Forwarded from ", func(line string) string {
		return PrefixForward + strings.TrimSuffix(strings.TrimPrefix(line, "[Forwarded from "), "]")
	}},
	{"[Forwarded", func(string) string { return OriginForward }},
	{"[Made by the bot", func(string) string { return OriginForward }},
	{supervisor.JobQuotePrefix, func(string) string { return OriginJob }},
	{">", func(string) string { return OriginQuote }},
}
