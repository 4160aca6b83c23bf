package githubtest

import (
	"fmt"
	"regexp"
	"strings"
)

// selection is a field of a query, or a fragment for a type.
type selection struct {
	as, name string
	args     map[string]any
	on       string // type of a fragment; "" for a field
	sub      []selection
}

// queryReader parses GraphQL, as far as GitHub's clients use it.
type queryReader struct {
	tokens    []string
	variables map[string]any
}

var queryTokens = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\.\.\.|[A-Za-z_][A-Za-z0-9_]*|\$[A-Za-z_][A-Za-z0-9_]*|-?[0-9]+|[{}()\[\]:!=@]`)

// readQuery parses a query and replaces its variables.
func readQuery(text string, variables map[string]any) (list []selection, err error) {
	q := &queryReader{tokens: queryTokens.FindAllString(text, -1), variables: variables}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	for q.peek() != "{" { // skips a head like query Name($a: Int!)
		if q.next() == "(" {
			for q.next() != ")" {
			}
		}
	}
	return q.selections(), nil
}

func (q *queryReader) peek() string {
	if len(q.tokens) == 0 {
		panic("Parse error: unexpected end of the query")
	}
	return q.tokens[0]
}

func (q *queryReader) next() string {
	t := q.peek()
	q.tokens = q.tokens[1:]
	return t
}

func (q *queryReader) expect(token string) {
	if got := q.next(); got != token {
		panic(fmt.Sprintf("Parse error on %q: expected %q", got, token))
	}
}

func (q *queryReader) selections() []selection {
	q.expect("{")
	var list []selection
	for q.peek() != "}" {
		list = append(list, q.selection())
	}
	q.next()
	return list
}

func (q *queryReader) selection() selection {
	if q.peek() == "..." {
		q.next()
		q.expect("on")
		return selection{on: q.next(), sub: q.selections()}
	}
	s := selection{name: q.next()}
	s.as = s.name
	if len(q.tokens) > 0 && q.peek() == ":" {
		q.next()
		s.name = q.next()
	}
	if q.peek() == "(" {
		q.next()
		s.args = q.object(")")
	}
	if q.peek() == "{" {
		s.sub = q.selections()
	}
	return s
}

func (q *queryReader) object(end string) map[string]any {
	values := map[string]any{}
	for q.peek() != end {
		name := q.next()
		q.expect(":")
		values[name] = q.value()
	}
	q.next()
	return values
}

func (q *queryReader) value() any {
	t := q.next()
	switch {
	case t == "{":
		return q.object("}")
	case strings.HasPrefix(t, "$"):
		return q.variables[t[1:]]
	case strings.HasPrefix(t, `"`):
		return strings.Trim(t, `"`)
	case t[0] >= '0' && t[0] <= '9':
		return float64(atoi(t))
	}
	return t
}
