package config

import (
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"mews/config/spelling"
)

// show is a value as a Problem may print it: as the file has it, without the value of a variable,
// and never a secret.
func show(n *yaml.Node, t reflect.Type) string {
	_, scalar := scalars[t]
	switch {
	case n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null":
		return kind(n)
	case t == reflect.TypeFor[Secret]():
		return hidden
	case !scalar:
		return gotScalar // it may be a secret at the wrong level
	}
	return kind(n)
}

// kind is a scalar as it is written, and of anything else its kind.
func kind(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return gotMapping
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return gotEmptyList
	case n.Kind == yaml.SequenceNode:
		return gotList
	case n.Kind == yaml.AliasNode:
		return gotAlias
	case n.ShortTag() == "!!null":
		return gotNothing
	case n.ShortTag() == "!!str":
		return quote(n.Value)
	}
	return short(n.Value)
}

// quote is text between quotes, cut where it is long.
func quote(text string) string { return strconv.Quote(short(text)) }

// short is at most the first 60 characters of text.
func short(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// oneOf reads names aloud: "a, b or c".
func oneOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// meant says which keys there are instead of an unknown one.
func meant(name string, names []string) string {
	if near := spelling.Nearest(name, names); near != "" {
		return near
	}
	return oneOf(names)
}
