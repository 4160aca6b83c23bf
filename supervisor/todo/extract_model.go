package todo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
	"mews/supervisor/printable"
)

// Limits of a call of the small model, in tokens. A token has at least one byte.
const (
	extractOutput   = 4096
	extractOverhead = 1024 // tokens that a provider adds to the input
)

const (
	maxTitle       = 300  // characters of a title on the list
	maxDescription = 1000 // characters of a model's description
)

// reportTool is the tool with which the model reports to-dos.
var reportTool = protocol.Tool{Name: "report_todos", Description: promptReport, Effect: protocol.EffectNone,
	Schema: json.RawMessage(`{"type":"object","properties":{"todos":{"type":"array","items":{"type":"object",` +
		`"properties":{"section":{"type":"integer"},"quote":{"type":"string"},"title":{"type":"string"},` +
		`"description":{"type":"string"},"status":{"enum":["todo","in_progress","done"]},` +
		`"effort":{"enum":["tiny","small","medium","large","epic"]},"deadline":{"type":"string"},` +
		`"priority":{"type":"string"},"progress":{"type":"integer"},"estimate":{"type":"string"},` +
		`"dependencies":{"type":"array","items":{"type":"string"}}},"required":["section","quote","title"],` +
		`"additionalProperties":false}}},"required":["todos"],"additionalProperties":false}`)}

// modelTodo is a to-do as the model reports it.
type modelTodo struct {
	Section      int      `json:"section"`
	Quote        string   `json:"quote"` // words of the section
	Title        string   `json:"title"`
	Description  string   `json:"description"`
	Status       string   `json:"status"`
	Effort       string   `json:"effort"`
	Deadline     string   `json:"deadline"`
	Priority     string   `json:"priority"`
	Progress     int      `json:"progress"`
	Estimate     string   `json:"estimate"`
	Dependencies []string `json:"dependencies"`
}

// modelSection is a section as the model reads it.
type modelSection struct {
	Section int      `json:"section"` // from 1
	File    string   `json:"file"`
	Heading string   `json:"heading,omitempty"`
	Text    string   `json:"text"`
	Before  string   `json:"before,omitempty"`
	Listed  []string `json:"listed,omitempty"`
}

// request returns the request about sections. JSON keeps the words of a section within it.
func (e extraction) request(sections []protocol.TodoSection) modelcall.Request {
	list := make([]modelSection, len(sections))
	for n, s := range sections {
		list[n] = modelSection{n + 1, s.Path, s.Heading, s.Text, s.Old, s.Known}
	}
	text, _ := json.Marshal(list) // Marshal never fails for texts
	return modelcall.Request{System: fmt.Sprintf(promptFind, e.now.Format("Monday, "+time.DateOnly)),
		Tools: []protocol.Tool{reportTool}, Messages: []protocol.Message{protocol.NewUserMessage(string(text))},
		Output: extractOutput, User: e.turn.User, Purpose: modelcall.PurposeFindTodos}
}

// usageOf returns the largest usage of a request.
func usageOf(req modelcall.Request) (u protocol.Usage) {
	u.Input = int64(len(req.System)+len(reportTool.Description)+len(reportTool.Schema)+
		len(req.Messages[0].Text())) + extractOverhead
	u.Output = req.Output
	return u
}

// readTodos returns the to-dos that a model has reported. It leaves out those that break the
// schema.
func readTodos(m protocol.Message) (todos []modelTodo, err error) {
	written, ok := modelcall.ToolArguments(m, reportTool.Name)
	var said struct {
		Todos []json.RawMessage `json:"todos"`
	}
	if !ok || json.Unmarshal(written, &said) != nil || said.Todos == nil {
		return nil, errUnreadable
	}
	for _, raw := range said.Todos {
		var t modelTodo
		if json.Unmarshal(raw, &t) == nil {
			todos = append(todos, t)
		}
	}
	return todos, nil
}

func (m modelTodo) status() string {
	if slices.Contains([]string{"todo", "in_progress", statusDone}, m.Status) {
		return m.Status
	}
	return ""
}

func (m modelTodo) effort() string {
	if _, known := efforts[m.Effort]; known {
		return m.Effort
	}
	return ""
}

// due returns the deadline as a due date; "" if it is no date.
func (m modelTodo) due() string {
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04"} {
		if at, err := time.Parse(layout, strings.Replace(strings.TrimSpace(m.Deadline), "T", " ", 1)); err == nil {
			return at.Format(layout)
		}
	}
	return ""
}

// describe returns the description of a to-do. Its last line has the values for which the list has
// no field.
func (m modelTodo) describe() string {
	var more []string
	add := func(name, value string) {
		if value = onOneLine(value); value != "" {
			more = append(more, name+" "+cutRunes(value, maxTitle))
		}
	}
	if m.due() == "" {
		add(textDeadline, m.Deadline)
	}
	add(textPriority, m.Priority)
	if m.Progress > 0 && m.Progress <= 100 {
		add(textProgress, fmt.Sprint(m.Progress, " %"))
	}
	add(textEstimate, m.Estimate)
	add(textAfter, strings.Join(m.Dependencies, ", "))
	text := cutRunes(onOneLine(m.Description), maxDescription)
	if len(more) > 0 {
		line := strings.Join(more, ", ")
		text = strings.TrimPrefix(text+"\n"+strings.ToUpper(line[:1])+line[1:], "\n")
	}
	return text
}

// onOneLine returns a model's text on one line, without control characters and marks of comments,
// which the list can't have.
func onOneLine(text string) string {
	text = strings.NewReplacer("<!--", "", "-->", "").Replace(text)
	return printable.DropControls(strings.Join(strings.Fields(text), " "))
}

func cutRunes(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
