package offline

import (
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// values are the named groups of a matched pattern.
type values map[string]string

// rule is a request that a user can make. The answer is either a text, or a call of a tool and its
// result.
type rule struct {
	name     string
	example  string   // an example of the request for the help text; "" means none
	patterns []string // regular expressions for the whole message; FILE and SEP are replaced by patternMacros
	say      []string // the paragraphs of the answer, if the rule calls no tool

	clock   bool   // the answer is the time of the message
	timed   timing // how the message names a time; "" means not at all
	missing string // the answer if the tool is not offered

	tool      string
	arguments func(values) map[string]any
	action    string // the attempted action, with groups in braces: "read {path}"
	tell      func(v values, result string) string
	hint      string // advice after the text of a failure
}

// notesFile is the file with the user's notes.
const notesFile = "notes.md"

// FILE is a name in quotes, or a word with an extension or a slash. So no other word counts as a
// file. LIST is a list of the user, and TODOS the list of
// to-dos. SEP separates words from a text that is used verbatim.
var patternMacros = strings.NewReplacer(
	"FILE", `(?:(?:the |a |an |my )?(?:new )?(?:text )?file )?(?:called |named )?`+
		`(?P<path>"[^"\n]+"|“[^”\n]+”|[^\s":*]*[^\s":*.]\.[A-Za-z]\w{0,7}|[^\s":*]+/[^\s"*]*[^\s".:,;!?*])`,
	"LIST", `(?:the |my |our )(?P<list>(?:[\pL\d-]+ ){0,3})list`,
	"TODOS", `to[- ]?do(?:s| list)`,
	"SEP", `(?:[ \t]*:[ \t]*\n?|[ \t]*\n|[ \t]+)`,
)

// rules are tried in order. A program or text within a group is never treated as an order.
var rules = []rule{
	{name: "hello", say: []string{textHello}, patterns: []string{`(?:hi|hello|hey|good (?:morning|afternoon|evening))(?:,? (?:mews|there))?`}},
	{name: "help", patterns: []string{`/?help(?: me)?|\?+|commands|what (?:can|do) (?:you|i) (?:do|say|understand)|how does this work`}},
	{name: "identity", say: []string{textWhatIAm, textSayHelp, textConnect},
		patterns: []string{`(?:who|what) are you|are you (?:an? )?(?:real )?(?:ai|bot|human|person|model|machine)`}},
	{
		name: "run", example: "run: ls -la", tool: "run_command", arguments: argument("command", "text"), action: "run {text}", tell: tellOutput,
		patterns: []string{
			`(?:run|execute)(?: (?:this|the following|the|a))?(?: shell| bash)?(?: command| program)?\s*:\s*(?P<text>.+)`,
			`(?:run|execute)(?: the)?(?: shell| bash)?(?: command| program)? (?P<text>"[^"]+"|` + "`[^`]+`" + `)(?: for me)?`,
			`\$\s+(?P<text>.+)`,
		},
	},
	{
		name: "python", example: "run python: print(2 ** 64)", tool: "run_python", arguments: argument("code", "text"), action: "run {text}",
		tell:     tellOutput,
		patterns: []string{`(?:(?:run|execute)(?: (?:this|the following|some))? )?python(?: code| script| program)?\s*:\s*(?P<text>.+)`},
	},
	{
		name: "show notes", example: "show my notes", tool: "read_file", arguments: argument("path", ""), action: "read `" + notesFile + "`",
		tell: tellFile, hint: textNoNotes,
		patterns: []string{`(?:(?:show|read|list)(?: me)? )?(?:my|the) notes|notes`},
	},
	{
		name: "note", example: "take a note: the bins go out on Tuesday", tool: "append_file", action: "add that to your notes", tell: tellDone,
		arguments: func(v values) map[string]any {
			return map[string]any{"path": notesFile, "content": "- " + strings.ReplaceAll(v["text"], "\n", "\n  ") + "\n"}
		},
		patterns: []string{
			`(?:take|make|write|add|save) (?:a |another )?(?:quick )?note(?: that| saying| to| of)?SEP(?P<text>\S.*)`,
			`(?:quick )?note(?: to self)?\s*:\s*(?P<text>.+)`,
		},
	},
	{
		name: "remember", example: "remember that I take oolong without sugar", tool: "remember", arguments: argument("text", "text"),
		action: "remember that", tell: tellDone, patterns: []string{`remember(?: that\s+|\s*:\s*)(?P<text>\S.*[^?\s])`},
	},
	{
		name: "reminder", example: "remind me tomorrow at 9 to call Ann", timed: timedReminder, tool: toolSchedule,
		arguments: jobArguments,
		action:    "set that reminder", tell: tellJob, missing: textNoReminders,
		patterns: []string{`remind me(?P<text>\s.+)`, `set (?:me )?(?:a |an )?reminder(?: for)?(?P<text>\s.+)`,
			`set (?:me )?(?:a |an )?(?P<wake>alarm)(?: for)?(?P<text>\s.+)`, `(?P<wake>wake me)(?: up)?(?P<text>\s.+)`},
	},
	{
		name: "repeated task", example: "every day at 8 list my files", timed: timedTask, tool: toolSchedule,
		arguments: jobArguments,
		action:    "set that task", tell: tellJob, missing: textNoReminders,
		patterns: []string{`(?P<text>(?:every|each|daily|weekdays|weekly|monthly|on weekdays)\s.+)`,
			`(?P<text>.+\s(?:every|each|daily|on weekdays)\b.*)`},
	},
	{
		name: "show reminders", example: "show my reminders", tool: "list_tasks",
		arguments: func(values) map[string]any { return map[string]any{} },
		action:    "list your reminders", tell: tellJobs, missing: textNoReminders,
		patterns: []string{`(?:show|list)(?: me)?(?: all)?(?: of)?(?: my| the)? (?:reminders|tasks)|(?:my )?reminders`,
			`what reminders (?:do i have|are (?:there|set))`},
	},
	{name: "clock", clock: true, patterns: []string{
		`(?:what(?:'s|’s| is)|tell me)(?: the)? (?:time|date|time and date|date and time|day)(?: is it)?(?: now| ` +
			`today)?`,
		`(?:what|which) (?:time|day|date|weekday) is (?:it|today)(?: now| today)?`,
		`what(?:'s|’s| is) today(?:'s|’s)? date`, `time|date`,
	}},
	{name: "reminders", say: []string{textReminders}, patterns: []string{`(?:remind me|set (?:me )?(?:a |an )?(?:reminder|alarm)|wake me)\b.*`}},
	{name: "memory", say: []string{textMemory}, patterns: []string{`what do you (?:know|remember)(?: (?:about|of) me)?`}},
	{
		name: "recall", example: "what do you know about tea?", tool: "recall", arguments: argument("words", "text"), action: "look for that",
		tell: tellFound, patterns: []string{`what do you (?:know|remember) (?:about|of) (?P<text>[^\n]+?)\??`},
	},
	{
		name: "ask", example: "ask me which color: red, blue or green", tool: toolAsk, arguments: question, action: "ask you", tell: tellAnswer,
		patterns: []string{`ask me (?P<text>[^\s:][^:\n]*?)\s*:\s*(?P<options>[^\n]+)`, `ask me (?P<text>[^\s\n][^\n]*)`},
	},
	{
		name: "list", example: "list my files", tool: "list_files", arguments: func(values) map[string]any { return map[string]any{} },
		action: "list your folder", tell: tellFolder,
		patterns: []string{
			`(?:list|show)(?: me)?(?: all)?(?: of)?(?: my| the)? (?:files|folder)|ls`,
			`what(?:'s|’s| is) in (?:my|the|this) folder|what files (?:do i have|are (?:there|here))`,
		},
	},
	{
		name: "read", example: "read notes.md", tool: "read_file", arguments: argument("path", "path"), action: "read {path}", tell: tellFile,
		patterns: []string{`(?:read|show|open|view|display|print|cat)(?: me)?(?: the)? FILE`, `what(?:'s|’s| is) in FILE`},
	},
	{
		name: "create", example: "create list.txt with milk and bread", tool: "write_file", action: "create {path}", tell: tellDone,
		arguments: func(v values) map[string]any {
			return map[string]any{"path": v["path"], "content": v["text"] + "\n", "overwrite": false}
		},
		patterns: []string{
			`(?:create|make|write|new|save) FILE (?:with|containing|that (?:says|contains))(?: the (?:text|content|words?))?SEP(?P<text>\s*\S.*)`,
			`(?:create|make|write|new|save) FILE\s*:\s*(?P<text>.+)`,
			`(?:write|save) (?P<text>.+) (?:to|into|in|as) FILE`,
		},
	},
	{
		name: "add a to-do", example: "add call Ann to my to-do list", tool: "todo_add",
		arguments: argument("title", "text"), action: "add that to your to-do list", tell: tellDone,
		missing:  textNoTodos,
		patterns: []string{`(?:add|append|put|write) (?P<text>[^\n]+?) (?:to|on|onto|in) (?:the |my |our )TODOS`},
	},
	{
		name: "show to-dos", example: "show my to-dos", tool: "todo_list",
		arguments: func(values) map[string]any { return map[string]any{} },
		action:    "list your to-dos", tell: tellTodos, missing: textNoTodos,
		patterns: []string{`(?:show|list|read)(?: me)? (?:my |the |our )?TODOS`, `(?:my )?TODOS`,
			`what(?:'s|’s| is| are)(?: on)? my TODOS`},
	},
	{name: "tick a to-do", say: []string{textTickTodo}, patterns: []string{
		`(?:remove|delete|take|cross|strike|tick) [^\n]+? (?:from|off|off of|out of|on) (?:the |my |our )TODOS`}},
	{
		name: "add to a list", example: "add milk to my shopping list", tool: "append_file",
		action: "add that to {path}", tell: tellDone,
		arguments: func(v values) map[string]any {
			return map[string]any{"path": v["path"], "content": listLines(v["text"])}
		},
		patterns: []string{`(?:add|append|put|write) (?P<text>.+?) (?:to|on|onto|in) LIST`},
	},
	{
		name: "show a list", example: "show my shopping list", tool: "read_file", action: "read {path}",
		tell: tellFile, hint: textNoList,
		arguments: argument("path", "path"),
		patterns:  []string{`(?:(?:show|read)(?: me)? |what(?:'s|’s| is) (?:on|in) )LIST`},
	},
	{
		name: "take off a list", example: "take milk off my shopping list", tool: "edit_file",
		action: "take that off {path}", tell: tellDone,
		arguments: func(v values) map[string]any {
			return map[string]any{"path": v["path"], "old_text": listLines(v["text"]), "new_text": ""}
		},
		patterns: []string{`(?:remove|delete|take|cross|strike) (?P<text>.+?) (?:from|off|off of|out of) LIST`},
	},
	{
		name: "append", example: "add eggs to list.txt", tool: "append_file", action: "add that to {path}", tell: tellDone,
		arguments: func(v values) map[string]any {
			return map[string]any{"path": v["path"], "content": v["text"] + "\n"}
		},
		patterns: []string{
			`(?:add|append|put) (?:the (?:line|text|words?) )?(?P<text>.+) (?:to|at|in|into)(?: the end of)? FILE`,
			`(?:add|append) to(?: the end of)? FILE\s*:\s*(?P<text>.+)`,
		},
	},
	{
		name: "move", example: "rename list.txt to shopping.txt", tool: "move_file", action: "move {path} to {to}", tell: tellDone,
		arguments: func(v values) map[string]any {
			to := v["to"]
			if strings.HasSuffix(to, "/") {
				to += path.Base(v["path"])
			}
			return map[string]any{"from": v["path"], "to": to}
		},
		patterns: []string{`(?:move|rename) FILE (?:to|as) (?P<to>"[^"\n]+"|[^\s"]*[^\s".,;:!?])`},
	},
	{
		name: "delete", example: "delete old.txt", tool: "delete_file", arguments: argument("path", "path"), action: "delete {path}",
		tell: tellDone, patterns: []string{`(?:delete|remove|erase|trash) FILE`},
	},
}

// betweenOptions matches the text between the options of a question.
var betweenOptions = regexp.MustCompile(`\s*,\s*(?:or\s+)?|\s+or\s+`)

// question returns the arguments of a question to the user. Without options, the user answers in
// free text.
func question(v values) map[string]any {
	first, size := utf8.DecodeRuneInString(v["text"])
	text := string(unicode.ToUpper(first)) + strings.TrimRight(v["text"][size:], "?") + "?"
	if options := betweenOptions.Split(strings.TrimSpace(v["options"]), -1); len(options) > 1 {
		return map[string]any{"kind": "choice", "question": text, "options": options}
	}
	return map[string]any{"kind": "text", "question": text}
}

// argument returns the arguments of a call with a single argument. If value is "", the argument is
// the file with notes.
func argument(name, value string) func(values) map[string]any {
	return func(v values) map[string]any {
		if value == "" {
			return map[string]any{name: notesFile}
		}
		return map[string]any{name: v[value]}
	}
}

// actionText returns the attempted action as part of a sentence.
func (r *rule) actionText(v values) string {
	action := r.action
	for name, value := range v {
		action = strings.ReplaceAll(action, "{"+name+"}", code(value))
	}
	return action
}
