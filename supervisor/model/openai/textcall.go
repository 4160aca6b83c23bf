package openai

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// Models of a server without the right parser write their calls as text, in the format of their
// training. Such a text is a call only if it is the whole answer, names offered tools with fitting
// arguments, and occurs nowhere in the model's input. Fenced text is never a call.

// textCallOpeners are the beginnings of calls written as text, without white space. Qwen and Hermes
// write <tool_call>, Mistral [TOOL_CALLS], and Llama the others. pythonOpener is one more of
// Llama's.
var textCallOpeners = []string{"<tool_call>", "[TOOL_CALLS]", "<|python_tag|>", "<function=", `{"name":`, `[{"name":`,
	`{"type":"function"`, `[{"type":"function"`}

// textCallFilter holds back an answer that may be a call. It passes all other text to emit.
type textCallFilter struct {
	emit   func(string)
	held   strings.Builder
	passed bool
}

func (f *textCallFilter) write(text string) {
	if !f.passed {
		f.held.WriteString(text)
		if mayBeTextCall(f.held.String()) {
			return
		}
		f.passed = true
		text = f.held.String()
	}
	f.emit(text)
}

// mayBeTextCall reports whether a text that begins like this may be a call.
func mayBeTextCall(text string) bool {
	begins := withoutSpace(text[:min(len(text), 4*longestOpener)])
	return pythonOpener.MatchString(text) || slices.ContainsFunc(textCallOpeners, func(o string) bool {
		return strings.HasPrefix(begins, o) || strings.HasPrefix(o, begins)
	})
}

const longestOpener = 32 // bytes of an opener and some white space

// close ends the text. If the held text consists only of calls, close returns them. Otherwise it
// passes the text on.
func (f *textCallFilter) close(whole bool, req modelcall.Request) []textCall {
	text := f.held.String()
	if f.passed || text == "" {
		return nil
	}
	calls, ok := parseTextCalls(text)
	for i := range calls {
		ok = ok && calls[i].fit(req)
	}
	if whole && ok {
		return calls
	}
	f.emit(text)
	return nil
}

// textCall is a call written as text.
type textCall struct {
	name      string
	arguments string            // the arguments of the call as a JSON object
	source    string            // the text of the call without its marks
	tagged    map[string]string // arguments in tags, in place of the JSON object
}

// endMarks are special tokens at the end of an answer that a server has left in the text.
var endMarks = []string{"<|im_end|>", "<|eom_id|>", "<|eot_id|>", "</s>"}

// parseTextCalls reads a text that consists of calls alone.
func parseTextCalls(text string) (calls []textCall, ok bool) {
	text = strings.TrimSpace(text)
	for _, mark := range endMarks {
		text = strings.TrimSpace(strings.TrimSuffix(text, mark))
	}
	for ok = true; ok && text != ""; text = strings.TrimSpace(text) {
		var found []textCall
		found, text, ok = nextTextCalls(text)
		calls = append(calls, found...)
		ok = ok && len(found) > 0 && len(calls) <= maxCalls
	}
	return calls, ok && len(calls) > 0
}

// nextTextCalls reads the calls at the beginning of a text.
func nextTextCalls(text string) (calls []textCall, rest string, ok bool) {
	if after, is := strings.CutPrefix(text, "<tool_call>"); is {
		body, rest, _ := strings.Cut(after, "</tool_call>") // some servers remove the last closing tag
		if strings.Contains(body, "<tool_call>") {
			return nil, "", false
		}
		calls, left, ok := nextTextCalls(strings.TrimSpace(body))
		return calls, rest, ok && strings.TrimSpace(left) == ""
	}
	if after, is := strings.CutPrefix(text, "<function="); is {
		name, after, _ := strings.Cut(after, ">")
		body, rest, closed := strings.Cut(after, "</function>")
		c, ok := functionCallOf(name, strings.TrimSpace(body))
		return []textCall{c}, rest, ok && closed
	}
	if after, is := strings.CutPrefix(text, "[TOOL_CALLS]"); is {
		if name, arguments, named := strings.Cut(after, "[ARGS]"); named && !strings.ContainsAny(name, "[{") {
			object, rest, ok := cutJSON(arguments)
			return []textCall{{name: strings.TrimSpace(name), arguments: object, source: object}}, rest, ok
		}
		return jsonCalls(after)
	}
	text = strings.TrimPrefix(text, "<|python_tag|>")
	if calls, rest, ok = jsonCalls(text); !ok {
		calls, rest, ok = pythonCalls(text)
	}
	return calls, strings.TrimPrefix(strings.TrimSpace(rest), ";"), ok
}

// cutJSON cuts the JSON value at the beginning of a text.
func cutJSON(text string) (value, rest string, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return "", "", false
	}
	return string(raw), text[d.InputOffset():], true
}

// writtenCall is a call in JSON. It has either arguments or parameters.
type writtenCall struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
	Function   *writtenCall    `json:"function"`
}

// jsonCalls reads the call or the list of calls at the beginning of a text.
func jsonCalls(text string) (calls []textCall, rest string, ok bool) {
	value, rest, ok := cutJSON(strings.TrimSpace(text))
	list := []json.RawMessage{json.RawMessage(value)}
	if !ok || strings.HasPrefix(value, "[") && json.Unmarshal([]byte(value), &list) != nil {
		return nil, "", false
	}
	for _, raw := range list {
		var w writtenCall
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if d.Decode(&w) != nil {
			return nil, "", false
		}
		if w.Function != nil {
			w = *w.Function
		}
		given := w.Arguments
		if given == nil {
			given = w.Parameters
		}
		if w.Name == "" || given == nil || w.Arguments != nil && w.Parameters != nil {
			return nil, "", false
		}
		calls = append(calls, textCall{name: w.Name, arguments: remote.UnquoteJSON(given), source: string(raw)})
	}
	return calls, rest, true
}

// functionCallOf returns the call in a function tag. Llama writes its arguments in JSON, and Qwen's
// coder in tags: <parameter=path>a</parameter>.
func functionCallOf(name, body string) (c textCall, ok bool) {
	c = textCall{name: name, arguments: body, source: "<function=" + name + ">" + body}
	if strings.HasPrefix(body, "{") {
		return c, true
	}
	c.tagged = map[string]string{}
	for body != "" {
		after, is := strings.CutPrefix(body, "<parameter=")
		key, after, named := strings.Cut(after, ">")
		value, rest, closed := strings.Cut(after, "</parameter>")
		if _, twice := c.tagged[key]; !is || !named || !closed || twice {
			return c, false
		}
		c.tagged[key] = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
		body = strings.TrimSpace(rest)
	}
	return c, true
}

// fit reports whether a call may be made: its tool is offered, its arguments fit the tool, and the
// model has not read its text. It turns arguments in tags into JSON.
func (c *textCall) fit(req modelcall.Request) bool {
	called := func(t protocol.Tool) bool { return t.Name == c.name || remote.ValidToolName(t.Name) == c.name }
	at := slices.IndexFunc(req.Tools, called)
	var schema toolSchema
	if at < 0 || json.Unmarshal(req.Tools[at].Schema, &schema) != nil || hasRead(req, c.source) {
		return false
	}
	if c.tagged != nil {
		c.arguments = schema.object(c.tagged)
	}
	var value any
	if remote.CheckArguments(c.arguments) != nil || json.Unmarshal([]byte(c.arguments), &value) != nil ||
		!schema.fits(value) {
		return false
	}
	return len(c.arguments) <= len("{}") || !hasRead(req, c.arguments)
}

// hasRead reports whether a request contains a text. It ignores white space, backslashes and JSON's
// escapes, because the request may have the text in JSON. It also ignores the file names and line
// numbers before lines that a search has found.
func hasRead(req modelcall.Request, text string) bool {
	text = withoutSpace(unescapeJSON.Replace(text))
	has := func(read string) bool {
		read = unescapeJSON.Replace(read)
		return strings.Contains(withoutSpace(read), text) ||
			strings.Contains(withoutSpace(foundAt.ReplaceAllString(read, "")), text)
	}
	if has(req.System) {
		return true
	}
	for _, m := range req.Messages {
		for _, p := range m.PartsWithStamp() {
			if has(p.Text) || p.Result != nil && has(p.Result.Text) {
				return true
			}
		}
	}
	return false
}

// unescapeJSON undoes JSON's escapes of the characters that calls are written with. It makes single
// quotes double, because Python has both.
var unescapeJSON = strings.NewReplacer(`\n`, " ", `\r`, " ", `\t`, " ", `\u003c`, "<", `\u003e`, ">", `\u003C`, "<",
	`\u003E`, ">",
	`\u0026`, "&", `\u0022`, `"`, `\u0027`, `"`, "'", `"`, `\u005b`, "[", `\u005d`, "]", `\u007b`, "{", `\u007d`, "}")

// foundAt matches the file name and line number before a line that a search has found, such as
// notes/a.md:12:.
var foundAt = regexp.MustCompile(`(?m)^[^\n:]{1,300}[:-]\d+[:-]`)

func withoutSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\\' {
			return -1
		}
		return r
	}, text)
}
