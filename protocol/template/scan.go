package template

import (
	"errors"
	"strings"
)

// spaces are the white space characters of a template.
const spaces = " \t\r\n"

// parser is the unread rest of a template.
type parser struct {
	rest  string
	trims bool // the last action has a dash that trims the text after it
}

// next reads the text before the next action, and the action. At the end of the template, the
// action is the zero value.
func (p *parser) next() (text string, a action, err error) {
	for {
		before, found := p.cut("{{")
		if p.trims {
			before = strings.TrimLeft(before, spaces)
		}
		if !found {
			return text + before, action{}, nil
		}
		if len(p.rest) > 1 && p.rest[0] == '-' && isSpace(p.rest[1]) {
			before = strings.TrimRight(before, spaces)
			p.rest = p.rest[len("- "):]
		}
		text += before
		if !strings.HasPrefix(p.rest, "/*") {
			a, err = p.action()
			return text, a, err
		}
		if err := p.comment(); err != nil {
			return text, a, err
		}
	}
}

// action reads an action and its closing }}.
func (p *parser) action() (action, error) {
	text, closed := p.cut("}}")
	if !closed {
		return action{}, errors.New("{{ without }}")
	}
	a := action{text: strings.Trim(p.cutDash(text), spaces)}
	if a.text == "" {
		return a, a.syntaxError("without a value")
	}
	a.word, a.rest = cutWord(a.text)
	return a, nil
}

// comment reads a comment and its closing }}.
func (p *parser) comment() error {
	p.rest = p.rest[len("/*"):]
	_, ended := p.cut("*/")
	behind, closed := p.cut("}}")
	if !ended || !closed || p.cutDash(behind) != "" {
		return errors.New("a comment without */}}")
	}
	return nil
}

// cutDash cuts a dash, with white space before it, off the end of an action.
func (p *parser) cutDash(text string) string {
	n := len(text) - len(" -")
	p.trims = n >= 0 && text[n+1] == '-' && isSpace(text[n])
	if p.trims {
		return text[:n]
	}
	return text
}

// cut reads everything up to a mark, and the mark. If the mark is missing, it reads everything.
func (p *parser) cut(mark string) (before string, found bool) {
	before, p.rest, found = strings.Cut(p.rest, mark)
	return before, found
}

func isSpace(b byte) bool { return strings.IndexByte(spaces, b) >= 0 }
