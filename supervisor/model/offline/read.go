package offline

import (
	"strings"
)

const reading = "read|show|open|view|display|print|cat|see|give|output|type|get|list|tell|i_want_to_see|" +
	"i'd_like_to_see|let_me_see"

// which is asked wherever a file is to be read and is not known.
const which = "Which file should I read?"

// aFile is a file's name with the words that people put around it.
const aFile = "[the|my|our|a|an] [new] [text|markdown] [file|document|note] [called|named] {path:named} [file]"

// reads is the family of what is in files.
func reads() []*intent {
	file := []need{{slot: "path", ask: which}}
	described := []need{{slot: "path", ask: which, or: []string{"query", "vague"}}}
	return []*intent{
		{name: "read several", phrases: say(readSeveralPhrases), do: readSeveral},
		{
			name: "read lines", example: "show lines 5 to 10 of notes.md",
			needs:   file,
			phrases: say(readLinesPhrases),
			do:      readLines,
		},
		{
			name: "read first", example: "show the first 5 lines of notes.md",
			needs:   file,
			phrases: say(readFirstPhrases),
			do:      readFirst,
		},
		{
			name: "read last", example: "show the last 5 lines of notes.md",
			needs:   file,
			phrases: say(readLastPhrases),
			do:      readLast,
		},
		{
			name: "count", example: "how many lines are in notes.md",
			needs:   file,
			phrases: say(countPhrases),
			do:      count,
		},
		{name: "size", example: "how big is notes.md", needs: file, phrases: say(sizePhrases), do: fileSize},
		{name: "read", example: "read notes.md", needs: described, phrases: say(readPhrases), do: read},
	}
}

// read shows a file: the one that is named, or the only one that the words fit.
func read(r *run, s slots) {
	file, ok := theFile(r, s)
	if !ok {
		return
	}
	if text, ok := r.result("read "+code(file), "read_file", args{"path": file}); ok {
		sayFile(r, file, text)
	}
}

func sayFile(r *run, file, text string) {
	if bare := strings.TrimSpace(text); bare == "" || bare == file+": empty" {
		r.say("%s is empty.", code(file))
		return
	}
	r.say("%s:\n%s", code(file), fence(text))
}

// theFile is the file to read. One that is only described is looked for first; where none or several fit, that is the
// answer, and ok is false.
func theFile(r *run, s slots) (file string, ok bool) {
	switch {
	case s["path"] != "":
		return s["path"], true
	case s["query"] != "":
		return theOne(r, "search_files", args{"query": s["query"]}, found, "with "+code(s["query"])+" in it")
	case s["vague"] != "":
		names := func(text string) []string {
			names, _ := listed(text)
			return names
		}
		return theOne(r, "list_files", args{"pattern": nameGlob(s["vague"]), "recursive": true}, names,
			"with a name like "+code(s["vague"]))
	}
	r.ask("path")
	return "", false
}

// theOne is the one file that a tool finds, as names reads its result.
func theOne(r *run, tool string, a args, names func(string) []string, which string) (file string, ok bool) {
	text, ok := r.result("look for a file "+which, tool, a)
	if !ok {
		return "", false
	}
	files := names(text)
	switch len(files) {
	case 0:
		r.end("I found no file %s.", which)
		return "", false
	case 1:
		return files[0], true
	}
	r.say("There are %d files %s:\n%s", len(files), which, fence(strings.Join(files, "\n")))
	r.ask("path")
	return "", false
}
