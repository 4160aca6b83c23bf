package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// binder reads a YAML tree into a Config. It records the line of each value, so that later checks
// can name the line.
type binder struct {
	env         Env
	dir         string // folder for relative names of files with secrets
	locations   locations
	protected   []protectedPath   // paths of files that no home may contain
	secretFiles []string          // paths of the files with secrets
	variables   map[string]string // names of variables with secrets, by the paths of their keys
	problems    []Problem
}

// locations has the line and the text of each value in a file, by the path of its key.
type locations map[string]location

type location struct {
	line int
	text string // the value as written, for display; never a secret
}

// bind reads n into a value. line is the line to name in problems. A Config contains only structs,
// maps, slices and scalars.
func (b *binder) bind(n *yaml.Node, line int, into reflect.Value, path string) {
	b.locations[path] = location{line: line, text: display(n, into.Type())}
	scalar, isScalar := scalars[into.Type()]
	switch {
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		b.addWrong(path, wantNoAnchor)
	case isScalar:
		b.bindScalar(n, into, path, scalar)
	case into.Kind() == reflect.Struct:
		b.bindStruct(n, into, path)
	case into.Kind() == reflect.Map:
		b.bindMap(n, into, path)
	default:
		b.bindList(n, into, path)
	}
}

func (b *binder) bindScalar(n *yaml.Node, into reflect.Value, path string, s scalar) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		b.addWrong(path, s.want)
		return
	}
	text, err := expand(n.Value, b.env.Getenv)
	if err != nil {
		b.addWrong(path, err.Error())
		return
	}
	if name := variable.FindStringSubmatch(n.Value); into.Type() == reflect.TypeFor[Secret]() && name != nil &&
		name[1] != "" {
		if b.variables == nil {
			b.variables = map[string]string{}
		}
		b.variables[path] = name[1]
	}
	isText := n.ShortTag() == "!!str"
	value, want := s.read(written{text: text, isText: isText, fixed: isText && text == n.Value})
	if want != "" {
		b.addWrong(path, want)
		return
	}
	into.Set(reflect.ValueOf(value))
}

func (b *binder) bindStruct(n *yaml.Node, into reflect.Value, path string) {
	names := keyNames(into.Type())
	n = withShortKey(n, into.Type(), names)
	b.eachKey(n, path, wantKeys+strings.Join(names, ", "), func(name string, line int, value *yaml.Node) {
		at := join(path, name)
		i := slices.Index(names, name)
		if i < 0 {
			b.locations[at] = location{line: line, text: gotUnknownKey}
			b.addWrong(at, knownKeys(name, names))
			return
		}
		if into.Type().Field(i).Tag.Get("unset") == unsetEmpty && b.isUnsetVariable(value) {
			b.locations[at] = location{line: line, text: gotNothing}
			return
		}
		b.bind(value, line, into.Field(i), at)
	})
	for i, name := range names {
		b.readSecretFile(into, into.Type().Field(i), join(path, name))
	}
}

// withShortKey returns a mapping for a single value in place of a struct. The value is that of the
// key with a short tag.
func withShortKey(n *yaml.Node, into reflect.Type, names []string) *yaml.Node {
	for i, name := range names {
		if into.Field(i).Tag.Get("short") != "" && n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
			key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name, Line: n.Line}
			return &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Content: []*yaml.Node{key, n}}
		}
	}
	return n
}

// unsetEmpty is the value of an unset tag.
const unsetEmpty = "empty"

// isUnsetVariable reports whether a value consists of one ${NAME} whose environment variable is not
// set.
func (b *binder) isUnsetVariable(n *yaml.Node) bool {
	m := variable.FindStringSubmatch(n.Value)
	return n.Kind == yaml.ScalarNode && m != nil && m[0] == n.Value && m[1] != "" && b.env.Getenv(m[1]) == ""
}

func (b *binder) bindMap(n *yaml.Node, into reflect.Value, path string) {
	into.Set(reflect.MakeMap(into.Type()))
	b.eachKey(n, path, wantNames, func(name string, line int, value *yaml.Node) {
		element := reflect.New(into.Type().Elem()).Elem()
		b.bind(value, line, element, join(path, name))
		key{value: element}.setDefaults()
		into.SetMapIndex(reflect.ValueOf(name), element)
	})
}

// eachKey calls bind for each valid key of a mapping.
func (b *binder) eachKey(n *yaml.Node, path, want string, bind func(name string, line int, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		b.addWrong(path, want)
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		first := lines[name.Value]
		switch {
		case name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" || name.Anchor != "":
			b.add(name.Line, path, gotKeyThatIs+displayScalar(name), wantPlainKey)
		case first > 0:
			b.add(name.Line, join(path, name.Value), gotKeyAgain, fmt.Sprintf(wantKeyOnce, first))
		default:
			lines[name.Value] = name.Line
			bind(name.Value, name.Line, value)
		}
	}
}

func (b *binder) bindList(n *yaml.Node, into reflect.Value, path string) {
	if n.Kind == yaml.ScalarNode && into.Type() == reflect.TypeFor[[]Recipient]() {
		// a single value becomes a list with one element
		n = &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Content: []*yaml.Node{n}}
	}
	if n.Kind != yaml.SequenceNode {
		b.addWrong(path, wantList)
		return
	}
	list := reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		b.bind(item, item.Line, list.Index(i), elementPath(path, i))
	}
	into.Set(list)
}

// addWrong notes that the value of a key is wrong.
func (b *binder) addWrong(path, want string) {
	at := b.locations[path]
	b.add(at.line, path, at.text, want)
}

func (b *binder) add(line int, path, value, want string) {
	b.problems = append(b.problems, Problem{Line: line, Field: path, Value: value, Want: want})
}
