package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const looking = "find|locate|look_for|search_for|search|where_is|where's|where_are|where_did_i_put"

// finds is the family of finding files by their names and by what is in them.
func finds() []*intent {
	named := []need{{
		slot: "vague", kind: "vague", ask: "What is the file called, or a part of its name?", or: []string{"pattern"},
	}}
	return []*intent{
		{name: "find named", needs: named, phrases: say(findNamedPhrases), do: find},
		{
			name: "search", example: "search for milk in notes.md",
			phrases: say(searchPhrases),
			needs:   []need{{slot: "query", kind: "query", ask: "What should I search for?"}},
			do:      search,
		},
		{name: "find", example: "find shopping", phrases: say(findPhrases), needs: named, do: find},
	}
}

// find looks for files by a part of their names.
func find(r *run, s slots) {
	pattern, sought := s["pattern"], s["pattern"]
	if pattern == "" {
		pattern, sought = nameGlob(s["vague"]), s["vague"]
	}
	text, ok := r.result("look for "+code(sought), "list_files", args{"pattern": pattern, "recursive": true})
	if !ok {
		return
	}
	if noneFound(text) || strings.TrimSpace(text) == "" {
		r.say("I found nothing with a name like %s.", code(sought))
		return
	}
	r.say("These have a name like %s:\n%s", code(sought), fence(text))
}

// noneFound says whether a result is a sentence that there is nothing.
func noneFound(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	first, _, _ := strings.Cut(text, " ")
	empty := strings.HasSuffix(text, " is empty.") && !strings.Contains(text, "\n")
	return empty || slices.Contains([]string{"no", "nothing", "none"}, first)
}

// nameGlob is the pattern of names that have these words in them, in this order; a whole name stands for itself.
func nameGlob(words string) string {
	if strings.ContainsAny(words, "*?[{") || hasEnding(words) {
		return words
	}
	pattern := "*"
	for i, w := range strings.Fields(words) {
		first, n := utf8.DecodeRuneInString(w)
		lower, upper := string(unicode.ToLower(first))+w[n:], string(unicode.ToUpper(first))+w[n:]
		if lower != upper && i < maxVague {
			w = "{" + lower + "," + upper + "}"
		}
		pattern += w + "*"
	}
	return pattern
}

// search looks for words in files.
func search(r *run, s slots) {
	a := args{"query": s["query"]}
	where := "your files"
	for _, name := range []string{"path", "folder"} {
		if v := s[name]; v != "" && !isGeneric(v) {
			a["path"] = v
			where = code(v)
		}
	}
	text, ok := r.result("search "+where+" for "+code(s["query"]), "search_files", a)
	switch {
	case !ok:
	case strings.TrimSpace(text) == "" || noneFound(text):
		r.say("I found %s nowhere in %s.", code(s["query"]), where)
	default:
		r.say("This is where I found %s in %s:\n%s", code(s["query"]), where, fence(text))
	}
}

var foundLine = lazy(`(?m)^(.+?):\d+:`)

// found lists the files that a search found something in, each once.
func found(text string) []string {
	var names []string
	for _, m := range foundLine().FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}
