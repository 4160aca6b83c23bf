package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrOutputTooLong is the error of a template whose output exceeds its limit.
var ErrOutputTooLong = errors.New("the template makes too much")

// Execute applies the template to JSON data, and returns the output. most is the maximum size of
// the output in bytes. The data must come from a json.Decoder with UseNumber.
func (t *Template) Execute(data any, most int) (string, error) {
	if data == nil {
		data = missing{}
	}
	o := &output{left: most}
	if err := run(t.nodes, o, data); err != nil {
		return "", err
	}
	return o.String(), nil
}

// missing is the value of a key that an object lacks, and of all keys below that key.
type missing struct{}

// node is a part of a template. It writes its text for the current value, the dot.
type node interface {
	run(o *output, dot any) error
}

type (
	literal   string                  // a text outside of actions
	value     struct{ path []string } // the value at a path: {{.a.b}}
	condition struct {
		branches  []branch // an {{if}} with its {{else if}}
		otherwise []node
	}
	branch struct {
		path []string
		body []node
	}
	loop struct { // an {{range}} with its {{else}}
		branch
		otherwise []node
	}
)

func run(nodes []node, o *output, dot any) error {
	for _, n := range nodes {
		if err := n.run(o, dot); err != nil {
			return err
		}
	}
	return nil
}

func (l literal) run(o *output, _ any) error { return o.write(string(l)) }

func (v value) run(o *output, dot any) error {
	found, err := find(dot, v.path)
	switch found.(type) {
	case nil, missing:
		found = "<no value>"
	}
	if err != nil {
		return err
	}
	return o.write(fmt.Sprint(found))
}

func (c *condition) run(o *output, dot any) error {
	for _, b := range c.branches {
		found, err := find(dot, b.path)
		if err != nil {
			return err
		}
		if isTrue(found) {
			return run(b.body, o, dot)
		}
	}
	return run(c.otherwise, o, dot)
}

// run executes the body of a loop once for each value of a list. For an object, the values are in
// the order of their keys.
func (l *loop) run(o *output, dot any) error {
	found, err := find(dot, l.path)
	if err != nil {
		return err
	}
	var elements []any
	switch found := found.(type) {
	case []any:
		elements = found
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(found)) {
			elements = append(elements, found[key])
		}
	case nil, missing:
	default:
		return fmt.Errorf("%T is neither a list nor an object", found)
	}
	for _, e := range elements {
		if err := run(l.body, o, e); err != nil {
			return err
		}
	}
	if len(elements) == 0 {
		return run(l.otherwise, o, dot)
	}
	return nil
}

// find returns the value at a path, which begins at the dot.
func find(dot any, path []string) (any, error) {
	for _, name := range path {
		switch object := dot.(type) {
		case missing:
		case map[string]any:
			found, ok := object[name]
			if dot = found; !ok {
				dot = missing{}
			}
		default:
			return nil, fmt.Errorf("%T has no %s", dot, name)
		}
	}
	return dot, nil
}

// isTrue reports whether a value is neither false, 0, empty, null nor missing.
func isTrue(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		f, _ := v.Float64() // for a number too large for float64, f is not 0 either
		return f != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

// output is the text written so far, and the number of bytes that may follow.
type output struct {
	strings.Builder
	left int
}

func (o *output) write(text string) error {
	if o.left -= len(text); o.left < 0 {
		return ErrOutputTooLong
	}
	o.WriteString(text)
	return nil
}
