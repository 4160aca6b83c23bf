package offline

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// slots holds what a phrase's slots took, by name. A slot that took nothing is not in it.
type slots map[string]string

// number is the value of a slot of kind n; 0 where there is none.
func (s slots) number(name string) int {
	n, err := strconv.Atoi(s[name])
	if err != nil {
		return 0
	}
	return n
}

// kind is what a slot takes.
type kind struct {
	lengths  lengths                 // of what it may take from the beginning of a text
	valid    func(raw string) bool   // whether that will do
	tidy     func(raw string) string // its value
	verbatim bool                    // takes all that follows as it is, courtesies and all
}

// How many words of a message a slot may take.
const (
	oneWord   = 1
	nameWords = 6
	manyWords = 40
)

// kinds are the kinds of slots by name.
var kinds = sync.OnceValue(func() map[string]kind {
	text := kind{lengths: texts, valid: anything, tidy: plain, verbatim: true}
	number := kind{lengths: words(oneWord), valid: isNumber, tidy: unquote}
	path := kind{lengths: words(nameWords), valid: isName, tidy: unquote}
	saying := func(list string) kind {
		return kind{lengths: words(nameWords), valid: oneOf(list), tidy: unquote}
	}
	return map[string]kind{
		"path":      path,
		"to":        path,
		"named":     {lengths: words(nameWords), valid: isNamed, tidy: unquote}, // what is a file's name beyond doubt
		"paths":     {lengths: words(manyWords), valid: areNamed, tidy: strings.TrimSpace},
		"folder":    {lengths: words(oneWord), valid: isFolder, tidy: unquote},
		"vague":     {lengths: words(nameWords), valid: isVague, tidy: unquote}, // words that may be part of a name
		"pattern":   {lengths: words(oneWord), valid: isPattern, tidy: glob},
		"glob":      {lengths: words(oneWord), valid: isGlob, tidy: strings.TrimSpace},
		"content":   text,
		"old":       text,
		"new":       text,
		"statement": {lengths: texts, valid: isStatement, tidy: plain, verbatim: true},
		"remark":    {lengths: texts, valid: isRemark, tidy: plain, verbatim: true},
		"query":     {lengths: words(manyWords), valid: anything, tidy: unquote},
		"quote":     {lengths: words(0), valid: isQuoted, tidy: unquote},
		"n":         number,
		"m":         number,
		"start":     number,
		"span":      {lengths: words(3), valid: isSpan, tidy: strings.TrimSpace},
		"first":     saying("first_line|first_lines|first_part|top_line|top_lines|beginning|start|top|head"),
		"last":      saying("last_line|last_lines|last_part|final_line|final_lines|bottom_lines|end|bottom|tail"),
		"unit":      saying("line|lines|word|words|character|characters|chars|letters|bytes"),
		"zone":      {lengths: words(nameWords), valid: anything, tidy: unquote},
		"all":       saying("all|every|each|all_of_the|every_occurrence_of|all_occurrences_of"),
		"deep":      {lengths: words(nameWords), valid: isDeep, tidy: strings.TrimSpace},
		"rest":      {lengths: theRest, valid: anything, tidy: strings.TrimSpace},
	}
})

func anything(string) bool { return true }

// pronouns stand for the file that was last spoken of.
var pronouns = []string{"it", "that", "this", "them"}

func isPronoun(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	if len(words) > 1 {
		last := words[len(words)-1]
		return slices.Contains([]string{"that", "this", "the"}, words[0]) &&
			slices.Contains([]string{"file", "one", "note", "document"}, last) && len(words) <= 3 &&
			(len(words) == 2 && words[0] != "the" || slices.Contains([]string{"same", "last", "new"}, words[1]))
	}
	return len(words) == 1 && slices.Contains(pronouns, words[0])
}

// generic are words that a person may say in place of a file's name and that name none.
var generic = strings.Fields("a an the my file files document documents folder folders directory something anything " +
	"everything all one some things stuff item items me us here there")

func isGeneric(name string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(name)) {
		if !slices.Contains(generic, w) {
			return false
		}
	}
	return true
}

// joining are words that do not stand inside a file's name unless it is quoted.
var joining = strings.Fields("and or to with in from into onto as then about of for that which containing saying at on " +
	"is")

func hasJoining(name string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(name)) {
		if slices.Contains(joining, w) {
			return true
		}
	}
	return false
}

// isQuoted says whether raw is one thing in quotes.
func isQuoted(raw string) bool {
	n := inQuotes(raw)
	return len(n) == 1 && n[0] == len(raw)
}

// isName says whether raw may be a file's name: quoted, one word, or several of which the last has an ending.
func isName(raw string) bool {
	if isQuoted(raw) || isPronoun(raw) {
		return true
	}
	if strings.ContainsAny(raw, "\"“”,;\n`") || strings.ContainsAny(raw[len(raw)-1:],
		".:?!'") || strings.ContainsAny(raw[:1], "'-") {
		return false
	}
	return !strings.ContainsAny(raw, " \t") || hasEnding(raw) && !hasJoining(raw) && !strings.Contains(raw, ":")
}

// isNamed tells a file's name from any other word: it is quoted, has an ending or a slash, or stands for one.
func isNamed(raw string) bool {
	return isName(raw) && (isQuoted(raw) || isPronoun(raw) || hasEnding(raw) || strings.Contains(raw, "/"))
}

// areNamed says whether raw is a list of files' names: "a.txt, b.txt and c.txt".
func areNamed(raw string) bool {
	names, between := 0, true
	for w := range strings.FieldsSeq(strings.ReplaceAll(raw, ",", " , ")) {
		if w == "," || strings.EqualFold(w, "and") {
			between = true
			continue
		}
		if !between || !hasEnding(w) || !isName(w) {
			return false
		}
		between = false
		names++
	}
	return names > 1 && !between
}

// hasEnding says whether a name ends as files' names do: .md, .txt, .7z; not "3.5" or "e.g.".
func hasEnding(name string) bool {
	ext := strings.TrimPrefix(path.Ext(name), ".")
	return ext != "" && len(ext) <= 8 && strings.ContainsAny(strings.ToLower(ext), "abcdefghijklmnopqrstuvwxyz")
}

func isFolder(raw string) bool { return isName(raw) && (isQuoted(raw) || !hasEnding(raw)) }

// maxVague is how many words may describe a file whose name is not given.
const maxVague = 4

var describing = strings.Fields("how why what who whose when where me us you your him her a an some near all any " +
	"every if better good best")

func isVague(raw string) bool {
	words := strings.Fields(strings.ToLower(raw))
	if isQuoted(raw) {
		return true
	}
	return len(words) > 0 && len(words) <= maxVague && !slices.Contains(describing, words[0]) && !hasJoining(raw) &&
		!strings.ContainsAny(raw, "?!\n")
}

// isStatement tells "remember that the code is 4711" from "remember that time in Paris?".
func isStatement(raw string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(raw)), " ")
	return !strings.HasSuffix(strings.TrimSpace(raw), "?") &&
		!slices.Contains([]string{"time", "day", "night", "when", "me", "how", "what"}, first)
}

// isRemark tells what a note is to say from what a file is to be called.
func isRemark(raw string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(raw)), " ")
	return first != "called" && first != "named"
}

// standIn says whether a content is only a word for one: "save this as a.txt".
func standIn(content string) bool {
	return slices.Contains([]string{"this", "that", "it", "something", "this text", "some text", "the following"},
		strings.ToLower(strings.TrimRight(content, " .:!")))
}

// quotes are the pairs that a person may put around a name or a text.
var quotes = [][2]string{{"\"", "\""}, {"“", "”"}, {"'", "'"}, {"‘", "’"}, {"`", "`"}}

// unquote takes white space and one pair of quotes off.
func unquote(raw string) string {
	raw = strings.TrimSpace(raw)
	for _, q := range quotes {
		inner, opens := strings.CutPrefix(raw, q[0])
		inner, closes := strings.CutSuffix(inner, q[1])
		if opens && closes && inner != "" {
			return inner
		}
	}
	return raw
}

// plain is a text as the person meant it to be written: without the code fence or the double quotes around the whole.
func plain(raw string) string {
	text := strings.TrimRight(raw, " \t\r\n")
	trimmed := strings.TrimSpace(text)
	if inner, ok := strings.CutSuffix(trimmed, "```"); ok && strings.HasPrefix(inner, "```") {
		if _, body, ok := strings.Cut(inner, "\n"); ok {
			return strings.TrimRight(body, "\n")
		}
	}
	for _, q := range quotes[:2] {
		if len(trimmed) >= len(q[0])+len(q[1]) && strings.HasPrefix(trimmed, q[0]) && strings.HasSuffix(trimmed, q[1]) {
			return trimmed[len(q[0]) : len(trimmed)-len(q[1])]
		}
	}
	return text
}

// fileTypes are the names of kinds of files, and the patterns that stand for them.
var fileTypes = map[string]string{
	"markdown": "*.md", "text": "*.txt", "python": "*.py", "javascript": "*.js", "image": "*.{png,jpg,jpeg,gif,webp}",
	"picture": "*.{png,jpg,jpeg,gif,webp}", "photo": "*.{jpg,jpeg,heic,png}", "word": "*.docx", "calendar": "*.ics",
}

// endings are the endings that may be said without a dot: "list my pdf files".
const endings = "md|txt|csv|tsv|json|yaml|yml|toml|xml|html|css|pdf|png|jpg|jpeg|gif|svg|go|py|js|ts|c|h|sh|log|ics|docx|" +
	"xlsx|odt"

// isPattern says whether raw names a kind of files: *.md, .md, md, markdown, images.
func isPattern(raw string) bool {
	name := strings.ToLower(raw)
	one := strings.TrimSuffix(name, "s")
	_, known := fileTypes[one]
	dotted := strings.HasPrefix(name, ".") && strings.Count(name, ".") == 1 && hasEnding(name)
	return isGlob(raw) || known || isEnding(one) || isEnding(name) || dotted
}

func isGlob(raw string) bool { return strings.Contains(raw, "*") && !strings.ContainsAny(raw, "\"'?") }

func isEnding(name string) bool { return slices.Contains(strings.Split(endings, "|"), name) }

// maxDigits is how long a number of lines may be.
const maxDigits = 6

func isNumber(raw string) bool {
	return len(raw) <= maxDigits && strings.Trim(raw, "0123456789") == ""
}

// isSpan says whether raw is a line or a range of lines: "5", "5-10", "5 to 10".
func isSpan(raw string) bool {
	raw = strings.NewReplacer("–", "-", "to", "-", "through", "-", "until", "-", "and",
		"-").Replace(strings.ToLower(raw))
	first, last, is := strings.Cut(raw, "-")
	return isNumber(strings.TrimSpace(first)) && first != "" && (!is || isNumber(strings.TrimSpace(last)) && last != "")
}

// oneOf is whether raw is one of the words, which are written as in phrases.
func oneOf(list string) func(raw string) bool {
	alternatives := strings.Split(list, "|")
	return func(raw string) bool {
		return slices.ContainsFunc(alternatives, func(w string) bool { return wordLength(raw, w) == len(raw) })
	}
}

// isDeep says whether raw asks for what is in the folders within a folder too.
func isDeep(raw string) bool {
	words := strings.Fields(strings.ToLower(raw))
	last := strings.TrimPrefix(strings.TrimPrefix(words[len(words)-1], "sub"), "-")
	if len(words) == 1 {
		return words[0] == "recursively"
	}
	return slices.Contains([]string{"in", "with", "including", "and"}, words[0]) &&
		!slices.ContainsFunc(words[1:len(words)-1], func(w string) bool {
			return !slices.Contains([]string{"all",
				"every", "its", "the", "my"}, w)
		}) &&
		slices.Contains([]string{"folder", "folders", "directory", "directories"}, last) &&
		(last != words[len(words)-1] || slices.Contains([]string{"all", "every"}, words[1]))
}

// glob is the pattern that a person's word for a kind of files stands for.
func glob(raw string) string {
	name := strings.ToLower(strings.TrimSpace(raw))
	one := strings.TrimSuffix(name, "s")
	switch known, ok := fileTypes[one]; {
	case ok:
		return known
	case strings.Contains(name, "*"):
		return strings.TrimSpace(raw)
	case isEnding(one):
		return "*." + one
	default:
		return "*." + strings.TrimPrefix(name, ".")
	}
}
