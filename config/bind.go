package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// binder puts a YAML tree into a Config. It keeps where each value stands, for what is found wrong later.
type binder struct {
	env      Env
	places   places
	problems []Problem
}

// places are where the values of a file stand, by the path of their field.
type places map[string]place

type place struct {
	line int
	text string // the value as it is written, ready to be read; never a secret
}

// bind puts n into a value; line is where the person will look for it. A Config holds nothing but structs, maps, slices
// and the scalar types.
func (b *binder) bind(n *yaml.Node, line int, into reflect.Value, field string) {
	b.places[field] = place{line: line, text: show(n, into.Type())}
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		b.wrong(field, "the value written out: anchors and aliases are not read")
		return
	}
	if scalar, ok := scalarTypes[into.Type()]; ok {
		scalar(b, n, into, field)
		return
	}
	switch into.Kind() {
	case reflect.Struct:
		b.bindStruct(n, into, field)
	case reflect.Map:
		b.bindMap(n, into, field)
	default:
		b.bindList(n, into, field)
	}
}

func (b *binder) bindStruct(n *yaml.Node, into reflect.Value, field string) {
	names := keys(into.Type())
	b.eachKey(n, field, "keys and their values: "+strings.Join(names, ", "), func(key string, line int, value *yaml.Node) {
		at := join(field, key)
		i := slices.Index(names, key)
		if i < 0 {
			b.places[at] = place{line: line, text: "an unknown key"}
			b.wrong(at, meant(key, names))
			return
		}
		b.bind(value, line, into.Field(i), at)
	})
}

func (b *binder) bindMap(n *yaml.Node, into reflect.Value, field string) {
	into.Set(reflect.MakeMap(into.Type()))
	b.eachKey(n, field, "names and what belongs to each", func(key string, line int, value *yaml.Node) {
		element := reflect.New(into.Type().Elem()).Elem()
		b.bind(value, line, element, join(field, key))
		into.SetMapIndex(reflect.ValueOf(key), element)
	})
}

// eachKey calls bind with each key of a mapping that is right as a key.
func (b *binder) eachKey(n *yaml.Node, field, want string, bind func(key string, line int, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		b.wrong(field, want)
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		first := lines[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" || key.Anchor != "":
			b.add(key.Line, field, "a key that is "+kind(key), "a plain word as the key")
		case first > 0:
			b.add(key.Line, join(field, key.Value), "it a second time", fmt.Sprintf("it once: it stands on line %d", first))
		default:
			lines[key.Value] = key.Line
			bind(key.Value, key.Line, value)
		}
	}
}

func (b *binder) bindList(n *yaml.Node, into reflect.Value, field string) {
	if n.Kind != yaml.SequenceNode {
		b.wrong(field, "a list: [first, second], or a line with a dash for each")
		return
	}
	list := reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		b.bind(item, item.Line, list.Index(i), fmt.Sprintf("%s[%d]", field, i))
	}
	into.Set(list)
}

// wrong notes that what stands at field is not what it should be.
func (b *binder) wrong(field, want string) {
	at := b.places[field]
	b.add(at.line, field, at.text, want)
}

func (b *binder) add(line int, field, value, want string) {
	b.problems = append(b.problems, Problem{Line: line, Field: field, Value: value, Want: want})
}

// keys are the names of a struct's fields in the file, in their order. The fields that stand in no file have no yaml tag
// and come after them.
func keys(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		name, ok := t.Field(i).Tag.Lookup("yaml")
		if !ok {
			break
		}
		names = append(names, name)
	}
	return names
}

// meant says which key there is instead of an unknown one.
func meant(key string, names []string) string {
	if name := nearest(key, names); name != "" {
		return name
	}
	return oneOf(names)
}
