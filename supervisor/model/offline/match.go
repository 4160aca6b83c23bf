package offline

import (
	"regexp"
	"strings"
	"sync"
)

// compiled has each rule's compiled patterns, by the index of the rule. They are compiled at the
// first call.
var compiled = sync.OnceValue(func() [][]*regexp.Regexp {
	all := make([][]*regexp.Regexp, len(rules))
	for i, r := range rules {
		for _, p := range r.patterns {
			all[i] = append(all[i], regexp.MustCompile(`(?is)^(?:`+patternMacros.Replace(p)+`)$`))
		}
	}
	return all
})

// courtesy matches polite words at the beginning of an order. If its group matches, the message is
// a question: "can you ...?".
var courtesy = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:please[ ,]+|((?:can|could|would|will) you (?:please )?))`)
})

// trimPoliteEnd removes the punctuation and polite words at the end of a text.
func trimPoliteEnd(text, punctuation string) string {
	const please = " please"
	text = strings.TrimRight(text, punctuation)
	if at := len(text) - len(please); at > 0 && strings.EqualFold(text[at:], please) {
		text = strings.TrimRight(text[:at], " ,")
	}
	return text
}

// find returns the rule for a message, and the values of the rule's groups. A question counts as an
// order only if it is a request ("can you ...?"), or if the rule changes nothing.
func find(message string) (*rule, values) { return findRule(message, true) }

// findRule does the work of find, with or without the rules about times.
func findRule(message string, timed bool) (*rule, values) {
	text := strings.TrimSpace(message)
	if m := courtesy().FindStringSubmatch(text); m != nil {
		if text = text[len(m[0]):]; m[1] != "" {
			text = strings.TrimRight(text, " ?")
		}
	}
	readings := []string{text, trimPoliteEnd(text, " .!"), trimPoliteEnd(text, " .!?")}
	for i, r := range rules {
		harmless := r.tool == "" || r.tool == "list_files" || r.tool == "read_file" || r.tool == "recall" ||
			r.tool == "list_tasks" || r.tool == "todo_list"
		if !timed && r.timed != "" {
			continue
		}
		for j, reading := range readings {
			if j > 0 && reading == readings[j-1] || j == 2 && !harmless {
				continue
			}
			v, ok := match(i, reading)
			if ok && r.timed != "" {
				v, ok = splitTime(r.timed, v)
			}
			if ok {
				return &rules[i], v
			}
		}
	}
	return nil, nil
}

// placeholderWords do not count as a text to write: "save this as a.txt".
var placeholderWords = map[string]bool{"this": true, "that": true, "it": true, "something": true,
	"a line": true, "please": true}

func match(i int, text string) (values, bool) {
	for j, p := range compiled()[i] {
		pattern := rules[i].patterns[j]
		if strings.HasSuffix(pattern, "FILE") && !endsInFile(text) || strings.HasSuffix(pattern, "LIST") &&
			!endsInList(text) {
			continue
		}
		m := p.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		v := values{}
		for group, name := range p.SubexpNames() {
			if name != "" {
				v[name] = plain(m[group])
			}
		}
		if list, named := v["list"]; named {
			v["path"] = listFile(list)
		}
		return v, !placeholderWords[strings.ToLower(v["text"])]
	}
	return nil, false
}

// endsInFile reports whether a text may end with a file's name, which is FILE in patterns. It is
// fast, because a pattern takes milliseconds for a long message.
func endsInFile(text string) bool {
	return strings.ContainsAny(text[strings.LastIndexAny(text, " \n")+1:], "./\"”")
}

// quotes are pairs of quotation marks.
var quotes = [][2]string{{"\"", "\""}, {"“", "”"}, {"`", "`"}}

// plain removes a code fence or quotation marks around a whole text.
func plain(raw string) string {
	text := strings.TrimRight(raw, " \t\r\n")
	trimmed := strings.TrimSpace(text)
	if inner, ok := strings.CutSuffix(trimmed, "```"); ok && strings.HasPrefix(inner, "```") {
		if _, body, ok := strings.Cut(inner, "\n"); ok {
			return strings.TrimRight(body, "\n")
		}
	}
	for _, q := range quotes {
		inner, opens := strings.CutPrefix(trimmed, q[0])
		inner, closes := strings.CutSuffix(inner, q[1])
		if opens && closes && inner != "" && !strings.Contains(inner, q[0]) {
			return inner
		}
	}
	return text
}
