package config

import (
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"mews/config/spelling"
)

// display returns a value as a Problem may print it: as in the file, without the values of
// variables, and never a secret.
func display(n *yaml.Node, t reflect.Type) string {
	_, scalar := scalars[t]
	switch {
	case n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null":
		return displayScalar(n)
	case t == reflect.TypeFor[Secret]():
		return hidden
	case !scalar:
		return gotScalar // the value may be a secret at a wrong key
	}
	return displayScalar(n)
}

// displayScalar returns a scalar as written, and the kind of anything else.
func displayScalar(n *yaml.Node) string {
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
	return truncate(n.Value)
}

// quote quotes a text, cut to 60 characters.
func quote(text string) string { return strconv.Quote(truncate(text)) }

// truncate cuts a text to 60 characters.
func truncate(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// oneOf joins names to a text such as "a, b or c".
func oneOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// knownKeys suggests known keys that are similar to an unknown key.
func knownKeys(name string, names []string) string {
	if near := spelling.NearestName(name, names); near != "" {
		return near
	}
	return oneOf(names)
}
