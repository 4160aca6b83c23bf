package hostcall

import (
	"reflect"
	"sync"

	"mews/protocol"
	"mews/supervisor/taint"
)

// foreignCalls holds the calls of a turn whose host calls were answered with words of others.
type foreignCalls struct {
	mu    sync.Mutex
	calls map[string]bool // by the ID of the model's call; "" if an answer names none
}

// note remembers a call if the answer to its host call has words of others.
func (a *foreignCalls) note(method string, params, answer any) {
	words := taint.FindMethod(method)
	world := words == taint.Others || words == taint.Answered && boolField(answer, "World")
	if !world || answer == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls == nil {
		a.calls = map[string]bool{}
	}
	a.calls[stringField(params, "Call")] = true
}

// markResult marks a result if words of others were in an answer to its call. An answer that names
// no call marks the results of all tools with answers of the supervisor.
func (a *foreignCalls) markResult(r *protocol.ToolResult) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.World = r.World || a.calls[r.Call] || a.calls[""] && taint.FindTool(r.Name).Words == taint.Answered
}

func boolField(of any, name string) bool {
	field := fieldOf(of, name)
	return field.IsValid() && field.Kind() == reflect.Bool && field.Bool()
}

func stringField(of any, name string) string {
	if field := fieldOf(of, name); field.IsValid() && field.Kind() == reflect.String {
		return field.String()
	}
	return ""
}

// fieldOf returns a field of a struct or of a pointer to one. The result is invalid without such a
// field.
func fieldOf(of any, name string) reflect.Value {
	value := reflect.ValueOf(of)
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return value.FieldByName(name)
}
