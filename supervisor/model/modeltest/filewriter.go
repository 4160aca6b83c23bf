package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// FileWriterScript follows the user's message, one command a line and one call a step:
//
//	append LINE to FILE   append_file; if its outcome is unknown, read_file comes before a retry
//	write TEXT to FILE    write_file
//	read FILE             read_file
//	view FILE             view_image; the answer lists the pictures that it sees
//	blind                 a request with pictures is refused
//	steps N               N different calls of list_files
//	ask KIND TEXT | OPTION | ...
//	                      ask_user; "..." as an option allows free text. The answer has it
//	tool NAME {...}       a call of any tool; the answer has the result
//	obey FILE             read_file, and then the commands in the file
//	say TEXT              only text
//	hang                  no answer comes
//	fail                  the server has an internal error
//
// Then it answers "done: MESSAGE", or "failed: RESULT" with the first result that is an error. It
// keeps no state: it reads from the transcript which calls it has made. So a turn may continue
// after any process has died.
func FileWriterScript(r Request) Answer {
	p := &fileRun{done: r.AnsweredCalls(), seen: r.NewestPictures(), pictured: r.pictured()}
	for line := range strings.Lines(r.NewestUserMessage()) {
		if p.run(strings.TrimSpace(line)); p.next != nil {
			return *p.next
		}
	}
	if p.failed != "" {
		return Answer{Text: "failed: " + p.failed}
	}
	text := "done: " + r.NewestUserMessage()
	if p.told != "" {
		text = "told:" + p.told
	}
	for _, picture := range p.seen {
		text += "\nseen: " + picture.String()
	}
	return Answer{Text: text}
}

// fileRun runs the commands from the start for each request. A call that was already made returns
// its result. The first new call is the answer.
type fileRun struct {
	done   []AnsweredCall
	at     int
	next   *Answer
	failed string
	told   string // the text of the answer, with a line for each report

	seen     []Picture // pictures in this turn's messages and results
	pictured bool      // the request has a picture
}

// fileCommands has a function for each verb. It gets the rest of the command's line.
var fileCommands = map[string]func(p *fileRun, rest string){
	"append": (*fileRun).append,
	"write":  (*fileRun).write,
	"read":   func(p *fileRun, rest string) { p.check("read_file", args{"path": rest}) },
	"view":   (*fileRun).view,
	"blind":  (*fileRun).blind,
	"steps":  (*fileRun).steps,
	"ask":    (*fileRun).ask,
	"tool":   (*fileRun).tool,
	"say":    func(*fileRun, string) {},
	"hang":   func(p *fileRun, _ string) { p.next = &Answer{Hang: true} },
	"fail": func(p *fileRun, _ string) {
		p.next = &Answer{Status: http.StatusInternalServerError, Error: "the script wants it so"}
	},
}

type args map[string]any

func (p *fileRun) run(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	if verb == "obey" { // not in the table, because the table would then refer to itself
		p.obey(rest)
	}
	if run, known := fileCommands[verb]; known {
		run(p, rest)
	}
}

// call returns the result of a call. If the call is new, it becomes the answer, and call returns
// false.
func (p *fileRun) call(name string, a args) (string, bool) {
	if p.next != nil {
		return "", false
	}
	if p.at < len(p.done) {
		p.at++
		return p.done[p.at-1].Result, true
	}
	data, err := json.Marshal(a)
	if err != nil {
		panic(err) // strings, numbers and booleans can always be encoded
	}
	p.next = &Answer{Calls: []Call{{ID: fmt.Sprintf("call_%d", p.at+1), Name: name, Args: string(data)}}}
	return "", false
}

// check makes a call and remembers a failure.
func (p *fileRun) check(name string, a args) bool {
	result, made := p.call(name, a)
	p.note(result)
	return made
}

// note remembers the first failure.
func (p *fileRun) note(result string) {
	if why, failed := strings.CutPrefix(result, "error: "); failed && p.failed == "" {
		p.failed = why
	}
}

func (p *fileRun) write(rest string) {
	if text, file, ok := cutLast(rest, " to "); ok {
		p.check("write_file", args{"path": file, "content": text + "\n", "overwrite": true})
	}
}

func (p *fileRun) append(rest string) {
	text, file, ok := cutLast(rest, " to ")
	if !ok {
		return
	}
	for {
		result, made := p.call("append_file", args{"path": file, "content": text + "\n"})
		if !made {
			return
		}
		if !isUnknownOutcome(result) {
			p.note(result)
			return
		}
		content, made := p.call("read_file", args{"path": file})
		if !made || hasLine(content, text) {
			return
		}
	}
}

// hasLine reports whether a line of content ends with text. read_file may put numbers before the
// lines.
func hasLine(content, text string) bool {
	for line := range strings.Lines(content) {
		if strings.HasSuffix(strings.TrimRight(line, "\r\n"), text) {
			return true
		}
	}
	return false
}

// isUnknownOutcome reports whether a result says that the call was interrupted.
func isUnknownOutcome(result string) bool {
	return strings.HasPrefix(result, "error: ") && strings.Contains(result, "interrupted") &&
		strings.Contains(result, "unknown")
}

// view calls view_image. It fails if the result says that the model can't see the picture.
func (p *fileRun) view(file string) {
	result, _ := p.call("view_image", args{"path": file})
	p.note(result)
	if _, line, unseen := strings.Cut(result, "["); unseen && p.failed == "" {
		p.failed = "[" + line
	}
}

func (p *fileRun) blind(string) {
	if p.pictured && p.next == nil {
		p.next = &Answer{Fail: &Failure{Class: FailurePicturesUnsupported}}
	}
}

func (p *fileRun) steps(rest string) {
	n, err := strconv.Atoi(rest)
	if err != nil {
		return
	}
	for i := range n {
		if !p.check("list_files", args{"limit": i + 1}) {
			return
		}
	}
}

func (p *fileRun) ask(rest string) {
	kind, rest, _ := strings.Cut(rest, " ")
	texts := strings.Split(rest, " | ")
	a := args{"kind": kind, "question": texts[0]}
	if n := len(texts) - 1; n > 0 && texts[n] == "..." {
		a["other"], texts = true, texts[:n]
	}
	if len(texts) > 1 {
		a["options"] = texts[1:]
	}
	if result, made := p.call("ask_user", a); made {
		p.note(result)
		p.told += "\n" + result
	}
}

func (p *fileRun) tool(rest string) {
	name, arguments, _ := strings.Cut(rest, " ")
	a := args{}
	if json.Unmarshal([]byte(arguments), &a) != nil {
		return // the arguments are no JSON object, so there is no call
	}
	if result, made := p.call(name, a); made {
		p.note(result)
		p.told += "\n" + result
	}
}

func (p *fileRun) obey(rest string) {
	read, _ := p.call("read_file", args{"path": rest})
	for line := range strings.Lines(read) {
		if at := strings.Index(line, "tool "); at >= 0 {
			p.run(strings.TrimSpace(line[at:]))
		}
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}
