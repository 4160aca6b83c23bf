package offline

import (
	"fmt"
	"path"
	"strings"

	"mews/protocol"
)

const (
	asText = "with|containing|saying|that_says|which_says|that_contains|which_contains|that_reads|and_write|and_put|" +
		"and_add [in_it] [the|this|following|these] [following] [content|contents|text|words|word|line|lines]"
	atEnd = "at_the_end_of|to_the_end_of|at_the_bottom_of|to_the_bottom_of|to|into|in|onto|on"
)

// changes is the family of what alters files.
func changes() []*intent {
	return []*intent{
		{
			name: "overwrite", example: "overwrite list.txt with eggs", destroys: true,
			phrases: say(overwritePhrases),
			needs:   fileAndText("overwrite", "What should {path} say instead?"),
			do:      overwrite,
		},
		{
			name:    "empty file",
			phrases: say(emptyFilePhrases),
			needs:   []need{{slot: "path", ask: "Which file should I create?"}},
			do:      func(r *run, s slots) { create(r, s["path"], "") },
		},
		{name: "write", example: "create list.txt with milk and bread", phrases: say(writePhrases), needs: []need{
			{slot: "path", ask: "What should the file be called?"},
			{slot: "content", kind: "content", ask: "What should I write into {path}?"},
		}, do: func(r *run, s slots) { create(r, s["path"], endLine(s["content"])) }},
		{name: "append", example: "add eggs to list.txt", phrases: say(appendPhrases), needs: []need{
			{slot: "path", ask: "Which file should I add that to?"},
			{slot: "content", kind: "content", ask: "What should I add to {path}?"},
		}, do: func(r *run, s slots) { appendLine(r, "add to "+code(s["path"]), s["path"], s["content"]) }},
		{
			name: "move", example: "rename list.txt to shopping.txt", destroys: true,
			phrases: say(movePhrases),
			needs: []need{
				{slot: "path", ask: "Which file should I move or rename?"},
				{slot: "to", ask: "What should {path} be called then, or where should it go?", or: []string{"folder"}},
			}, do: move},
		{
			name: "remove text", example: "remove milk from list.txt", destroys: true,
			phrases: say(removeTextPhrases),
			needs:   []need{{slot: "path", ask: "From which file?"}},
			do:      replace,
		},
		{
			name: "replace", example: "replace milk with oat milk in list.txt", destroys: true,
			phrases: say(replacePhrases),
			needs: []need{
				{slot: "path", ask: "In which file?"},
				{slot: "old", kind: "content", ask: "Which text in {path} should I replace?"},
				{slot: "new", kind: "content", ask: "What should I put in its place?"},
			}, do: replace},
		{name: "delete several", destroys: true, phrases: say(deleteSeveralPhrases), do: removeSeveral},
		{
			name: "delete", example: "delete old.txt", destroys: true,
			phrases: say(deletePhrases),
			needs:   []need{{slot: "path", ask: "Which file should I delete?"}},
			do:      func(r *run, s slots) { remove(r, s["path"]) },
		},
	}
}

// fileAndText needs a file to verb, and the text for it.
func fileAndText(verb, question string) []need {
	return []need{
		{slot: "path", ask: "Which file should I " + verb + "?"},
		{slot: "content", kind: "content", ask: question},
	}
}

// endLine is text as the end of a file: with a line break after it, unless there is nothing.
func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// create writes a file that is not there yet.
func create(r *run, file, content string) {
	result, ok := r.call("write_file", args{"path": file, "content": content, "overwrite": false})
	switch {
	case !ok:
	case interrupted(result):
		look(r, "write "+code(file), file, result)
	case result.Failed:
		r.say("%s", failure("create "+code(file), result))
		r.end("If it is there already and should be replaced, say `overwrite %s with ...`.", file)
	default:
		r.say("%s", done(result.Text, code(file)+" is written"))
	}
}

func overwrite(r *run, s slots) {
	file := s["path"]
	change(r, "overwrite "+code(file), "write_file", file,
		args{"path": file, "content": endLine(s["content"]), "overwrite": true})
}

// appendLine adds text to a file as lines of its own; action is what is done, as in "add that to your notes".
func appendLine(r *run, action, file, text string) {
	change(r, action, "append_file", file, args{"path": file, "content": endLine(text)})
}

// replace edits a file. It is left to the tool to say when the text is not there, or there more than once.
func replace(r *run, s slots) {
	file := s["path"]
	a := args{"path": file, "old_text": s["old"], "new_text": s["new"]}
	if s["all"] != "" {
		a["all"] = true
	}
	change(r, fmt.Sprintf("replace %s in %s", code(s["old"]), code(file)), "edit_file", file, a)
}

// change uses a tool that alters a file, and tells what came of it. When that is not known it looks.
func change(r *run, action, tool, file string, a args) {
	result, ok := r.call(tool, a)
	switch {
	case !ok:
	case interrupted(result):
		look(r, action, file, result)
	case result.Failed:
		r.end("%s", failure(action, result))
	default:
		r.say("%s", done(result.Text, action))
	}
}

// look shows a file when it is not known what became of its change. It does not repeat the change: twice may be wrong.
func look(r *run, action, file string, unknown protocol.ToolResult) {
	result, ok := r.call("read_file", args{"path": file})
	if !ok && r.pending != nil {
		return
	}
	r.ended = true
	r.say("%s", failure(action, unknown))
	switch {
	case !ok:
	case result.Failed:
		r.say("%s", failure("read "+code(file)+" to see", result))
	default:
		r.say("This is how %s is now:\n%s", code(file), fence(result.Text))
	}
}

// move renames a file, or puts it into a folder under its old name.
func move(r *run, s slots) {
	from, to := s["path"], s["to"]
	if folder := s["folder"]; folder != "" {
		to = strings.TrimSuffix(folder, "/") + "/"
	}
	if strings.HasSuffix(to, "/") {
		to += path.Base(from)
	}
	action := "move " + code(from) + " to " + code(to)
	text, ok := r.result(action, "move_file", args{"from": from, "to": to})
	if ok {
		r.say("%s", done(text, action))
	}
}

func remove(r *run, file string) {
	if text, ok := r.result("delete "+code(file), "delete_file", args{"path": file}); ok {
		r.say("%s", done(text, code(file)+" is deleted"))
	}
}

// maxRemoved is how many files one message may delete.
const maxRemoved = 4

func removeSeveral(r *run, s slots) {
	files := split(s["paths"])
	if len(files) > maxRemoved {
		r.end("I delete at most %d files at a time, and these are %d. Nothing is deleted.", maxRemoved, len(files))
		return
	}
	for _, file := range files {
		remove(r, file)
	}
}
