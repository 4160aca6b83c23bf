// Package template makes text of JSON, by templates in the notation of Go's text/template. It
// accepts {{.a.b}}, {{if .a}}, {{else if .b}}, {{else}}, {{range .a}}, {{end}}, comments, and the
// dashes that trim white space: {{- .a -}}. They have the same meaning as in text/template, except
// that numbers are printed as in the JSON. Mews does not use text/template itself, which calls
// methods by name. Because of that, the linker would keep every exported method of the program.
package template

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Template is a parsed template. Several goroutines may execute it at the same time.
type Template struct{ nodes []node }

// UnsupportedError is the error for an action that this package does not support.
type UnsupportedError struct {
	Name   string // name of what is not supported: a word such as printf, or "a variable"
	Action string // text of the action, cut if it is long
}

func (r *UnsupportedError) Error() string { return r.Name + ": " + r.Action }

// MaxDepth is the maximum nesting of blocks.
const MaxDepth = 32

// Parse parses a template. The error is an UnsupportedError if an action is not supported. Any
// other error is a syntax error, such as a missing {{end}}.
func Parse(text string) (*Template, error) {
	p := &parser{rest: text}
	nodes, end, err := p.list(0)
	if err == nil && end.text != "" {
		err = end.syntaxError("without a block before it")
	}
	if err != nil {
		return nil, err
	}
	return &Template{nodes}, nil
}

// action is the text between {{ and }}. The zero value is the end of the template.
type action struct {
	text string // text of the action, without the dashes and the white space at its ends
	word string // first word of the text; may be ""
	rest string // rest of the text after the word
}

// String returns the action in the form in which errors show it.
func (a action) String() string {
	const most = 40
	text := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, a.text))
	if len(text) > most {
		text = append(text[:most], []rune("...")...)
	}
	return "{{" + string(text) + "}}"
}

func (a action) syntaxError(why string) error { return fmt.Errorf("%s %s", a, why) }

// list reads nodes up to an {{else}} or {{end}}, which it returns as end, or up to the end of the
// template.
func (p *parser) list(depth int) (nodes []node, end action, err error) {
	for {
		text, a, err := p.next()
		if text != "" {
			nodes = append(nodes, literal(text))
		}
		if err != nil || a.text == "" || a.word == "else" || a.word == "end" {
			return nodes, a, err
		}
		n, err := p.node(a, depth)
		if err != nil {
			return nil, a, err
		}
		nodes = append(nodes, n)
	}
}

// node reads one node: a value, or a block up to its {{end}}.
func (p *parser) node(a action, depth int) (node, error) {
	switch a.word {
	case "if":
		return p.condition(a, depth+1)
	case "range":
		return p.loop(a, depth+1)
	}
	path, err := a.path(a.text)
	return value{path}, err
}

// condition reads the branches of an {{if}}; a is the action {{if}}.
func (p *parser) condition(a action, depth int) (node, error) {
	c := &condition{}
	for next := a; ; {
		b, end, err := p.branch(next, depth)
		if err != nil {
			return nil, err
		}
		c.branches = append(c.branches, b)
		word, rest := cutWord(end.rest)
		if end.word != "else" || word != "if" {
			c.otherwise, err = p.elseBranch(a, end, depth)
			return c, err
		}
		next = action{end.text, word, rest}
	}
}

// loop reads the branches of a {{range}}; a is the action {{range}}.
func (p *parser) loop(a action, depth int) (node, error) {
	b, end, err := p.branch(a, depth)
	if err != nil {
		return nil, err
	}
	otherwise, err := p.elseBranch(a, end, depth)
	return &loop{b, otherwise}, err
}

// branch reads the value and the nodes of a block. end is the {{else}} or {{end}} after the nodes.
func (p *parser) branch(a action, depth int) (b branch, end action, err error) {
	if depth > MaxDepth {
		return b, end, &UnsupportedError{fmt.Sprintf("a block within %d others", MaxDepth), a.String()}
	}
	if b.path, err = a.path(a.rest); err == nil {
		b.body, end, err = p.list(depth)
	}
	return b, end, err
}

// elseBranch reads the rest of a block whose first branch ended with end. If end is an {{else}}, it
// reads the nodes up to the {{end}}.
func (p *parser) elseBranch(block, end action, depth int) (nodes []node, err error) {
	if end.word == "else" && end.rest == "" {
		if nodes, end, err = p.list(depth); err != nil {
			return nil, err
		}
	}
	switch {
	case end.text == "":
		return nil, block.syntaxError("without an {{end}}")
	case end.word != "end" || end.rest != "":
		return nil, end.syntaxError("where {{end}} is due")
	}
	return nodes, nil
}

// path parses a path of names, such as .a.b. For a single dot the path is empty.
func (a action) path(text string) ([]string, error) {
	names := strings.Split(text, ".")
	switch {
	case text == "":
		return nil, a.syntaxError("without a value")
	case text == ".":
		return nil, nil
	case names[0] != "" || slices.ContainsFunc(names[1:], func(name string) bool { return !isName(name) }):
		return nil, &UnsupportedError{nameOf(text), a.String()}
	}
	return names[1:], nil
}

// signs names the kinds of values that are no path, by the characters with which such values begin.
var signs = []struct{ signs, name string }{
	{"$", "a variable"}, {"\"'`", "quotes"}, {"(", "parentheses"}, {"+-0123456789", "a number"},
}

// nameOf names a value that is no path. A word without a dot is a function or a keyword.
func nameOf(text string) string {
	for _, s := range signs {
		if strings.ContainsAny(text[:1], s.signs) {
			return s.name
		}
	}
	if word, _ := cutWord(text); word != "" {
		return word
	}
	if strings.Contains(text, "|") {
		return "a pipeline"
	}
	return "another form of a value"
}

// cutWord cuts off the word that a text begins with.
func cutWord(text string) (word, rest string) {
	n := strings.IndexFunc(text, func(r rune) bool { return !inName(r) })
	if n < 0 {
		n = len(text)
	}
	return text[:n], strings.Trim(text[n:], spaces)
}

func inName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// isName reports whether a text may follow a dot. A dot and a digit begin a number.
func isName(text string) bool {
	word, _ := cutWord(text)
	return word != "" && word == text && !strings.ContainsAny(word[:1], "0123456789")
}
