package offline

import "strings"

// Where quick notes and to-dos are kept: files of the person's own, in Markdown.
const (
	notesFile = "notes.md"
	todosFile = "todos.md"
)

const todoList = "todo|todos|to-do|to-dos|to_do|to_dos|task|tasks|shopping_to-do"

// notes is the family of quick notes.
func notes() []*intent {
	return []*intent{
		{
			name: "show notes", example: "show my notes",
			file:    notesFile,
			phrases: say(showNotesPhrases),
			do: func(r *run, _ slots) {
				showOwn(r, "your notes", notesFile, "There may be none yet; `take a note: ...` makes the first.")
			}},
		{
			name: "note", example: "take a note: the bins go out on Tuesday",
			file:    notesFile,
			phrases: say(notePhrases),
			needs:   []need{{slot: "content", kind: "content", ask: "What should the note say?"}},
			do: func(r *run, s slots) {
				appendLine(r, "add that to your notes", notesFile, "- "+item(s["content"]))
			}},
	}
}

// todos is the family of the to-do list.
func todos() []*intent {
	return []*intent{
		{
			name: "show to-dos", example: "show my to-do list",
			file:    todosFile,
			phrases: say(showTodosPhrases),
			do: func(r *run, _ slots) {
				showOwn(r, "your to-do list", todosFile, "It may be empty yet; `todo: ...` makes the first item.")
			}},
		{
			name: "to-do", example: "todo: buy milk",
			file:    todosFile,
			phrases: say(todoPhrases),
			needs:   []need{{slot: "content", kind: "content", ask: "What should I put on your to-do list?"}},
			do: func(r *run, s slots) {
				appendLine(r, "add that to your to-do list", todosFile, "- [ ] "+item(s["content"]))
			}},
		{
			name: "done", example: "mark buy milk as done",
			file:    todosFile,
			phrases: say(donePhrases),
			needs:   []need{{slot: "content", kind: "query", ask: "Which to-do is done?"}},
			do:      tick,
		},
	}
}

// item is text as one item of a Markdown list: its further lines belong to it.
func item(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// showOwn shows a file that this model keeps; hint is for when it cannot be read.
func showOwn(r *run, what, file, hint string) {
	text, ok := r.result("read "+code(file), "read_file", args{"path": file})
	switch {
	case ok && strings.TrimSpace(text) == "":
		r.say("%s is empty.", code(file))
	case ok:
		r.say("This is %s (%s):\n%s", what, code(file), fence(text))
	case r.pending == nil:
		r.say("%s", hint)
	}
}

// tick marks a to-do as done.
func tick(r *run, s slots) {
	open, closed := "- [ ] "+s["content"], "- [x] "+s["content"]
	text, ok := r.result("mark "+code(s["content"])+" as done in "+code(todosFile), "edit_file",
		args{"path": todosFile, "old_text": open, "new_text": closed})
	switch {
	case ok:
		r.say("%s", done(text, code(s["content"])+" is marked as done"))
	case r.pending == nil:
		r.say("The words must be those on the list; `show my to-do list` shows them.")
	}
}
