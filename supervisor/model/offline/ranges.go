package offline

import (
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"mews/protocol/amount"
)

// readSeveral shows files that were named together.
func readSeveral(r *run, s slots) {
	files := split(s["paths"])
	names := strings.Join(files, ", ")
	if text, ok := r.result("read "+names, "read_files", args{"paths": files}); ok {
		sayFile(r, names, text)
	}
}

// split is the names in "a.txt, b.txt and c.txt".
func split(names string) []string {
	var files []string
	for name := range strings.FieldsSeq(strings.ReplaceAll(names, ",", " ")) {
		if !strings.EqualFold(name, "and") {
			files = append(files, name)
		}
	}
	return files
}

// readLines shows a range of lines: "5", "5-10", "5 to 10", or from one on.
func readLines(r *run, s slots) {
	switch numbers := strings.FieldsFunc(s["span"], notDigit); {
	case s["start"] != "":
		readRange(r, s["path"], s.number("start"), 0)
	case s["n"] != "":
		readRange(r, s["path"], s.number("n"), s.number("m"))
	case len(numbers) == 2:
		readRange(r, s["path"], atoi(numbers[0]), atoi(numbers[1]))
	case len(numbers) == 1:
		readRange(r, s["path"], atoi(numbers[0]), atoi(numbers[0]))
	}
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// atoi reads a number, with or without commas; what is none, or too large, counts as 0.
func atoi(s string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	if err != nil {
		return 0
	}
	return n
}

// readRange shows the lines from first to last, counted from 1; last 0 is the file's end.
func readRange(r *run, file string, first, last int) {
	first = max(first, 1)
	if last != 0 && last < first {
		first, last = last, first
	}
	a := args{"path": file, "start_line": first}
	if last != 0 {
		a["end_line"] = last
	}
	if text, ok := r.result("read lines of "+code(file), "read_file", a); ok {
		sayFile(r, file, text)
	}
}

func readFirst(r *run, s slots) {
	readRange(r, s["path"], 1, wanted(s, "first"))
}

// readLast reads the file for its length, and where that did not bring its end, the end.
func readLast(r *run, s slots) {
	file, n := s["path"], wanted(s, "last")
	result, ok := r.call("read_file", args{"path": file})
	if !ok {
		return
	}
	if result.Failed {
		r.end("%s", failure("read "+code(file), result))
		return
	}
	shown, total, body := lineRange(file, result.Text)
	if total > 0 && (shown < total || result.Rest != nil) {
		readRange(r, file, total-n+1, total)
		return
	}
	if shown > total || result.Rest != nil {
		r.end("%s is too long for me to find its end.", code(file))
		return
	}
	lines := strings.Split(strings.TrimRight(body, "\n"), "\n")
	sayFile(r, file, strings.Join(lines[max(0, len(lines)-n):], "\n"))
}

const someLines = 10 // of the beginning or the end of a file, where no number is given

// wanted is how many lines of the beginning or the end are asked for.
func wanted(s slots, slot string) int {
	if s["n"] != "" {
		return max(s.number("n"), 1)
	}
	if strings.HasSuffix(strings.ToLower(s[slot]), "line") {
		return 1
	}
	return someLines
}

// lineRange says which line of a file a result ends with, how many the file has, and what the lines are. A result of
// which the first line says nothing of that is the whole file; a total of 0 with lines is one that is not known.
func lineRange(file, text string) (last, total int, body string) {
	first, rest, _ := strings.Cut(text, "\n")
	_, note, is := strings.Cut(first, path.Base(file)+": ")
	if !is {
		return countLines(text), countLines(text), text
	}
	if note == "empty" {
		return 0, 0, ""
	}
	if m := partOf().FindStringSubmatch(note); m != nil {
		return max(atoi(m[1]), atoi(m[2])), atoi(m[3]), rest
	}
	if strings.HasPrefix(note, "read as ") {
		return countLines(rest), countLines(rest), rest
	}
	return countLines(text), countLines(text), text
}

// partOf matches what is said of a part of a file: "lines 1-200 of 1,812".
var partOf = lazy(`^lines? ([\d,]+)(?:-([\d,]+))? of ([\d,]+)?`)

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// count counts the lines of a file, and of one that it was shown whole its words and characters too.
func count(r *run, s slots) {
	file := s["path"]
	result, ok := r.call("read_file", args{"path": file})
	if !ok {
		return
	}
	if result.Failed {
		r.end("%s", failure("read "+code(file), result))
		return
	}
	last, total, body := lineRange(file, result.Text)
	switch {
	case last == total && result.Rest == nil:
		r.say("%s has %s, %s and %s.", code(file), amount.Of(total, "line", "lines"), amount.Of(len(strings.Fields(body)), "word", "words"),
			amount.Of(utf8.RuneCountInString(body), "character", "characters"))
	case last < total:
		r.say("%s has %s. It is too long for me to count its words.", code(file), amount.Of(total, "line", "lines"))
	default:
		r.say("%s is too long for me to count.", code(file))
	}
}

// fileSize shows the file's line in its folder's listing.
func fileSize(r *run, s slots) {
	file := s["path"]
	folder, name := path.Split(file)
	a := args{"pattern": name}
	if folder != "" {
		a["path"] = strings.TrimSuffix(folder, "/")
	}
	if text, ok := r.result("look at "+code(file), "list_files", a); ok {
		if strings.TrimSpace(text) == "" || noneFound(text) {
			r.say("I found no file %s.", code(file))
			return
		}
		r.say("%s", fence(text))
	}
}
