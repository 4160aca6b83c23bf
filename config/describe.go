package config

import (
	"reflect"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// show is a value as a Problem may print it: what stands in the file, never what a variable holds, never a secret.
func show(n *yaml.Node, t reflect.Type) string {
	_, scalar := scalarTypes[t]
	switch {
	case n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null":
		return kind(n)
	case t == reflect.TypeFor[Secret]():
		return hidden
	case !scalar:
		return "a single value" // of which nobody knows whether it is a secret that stands a level too high
	}
	return kind(n)
}

// kind is what a value is: a scalar as it is written, of anything else its kind.
func kind(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case n.ShortTag() == "!!null":
		return "nothing"
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

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// join is the path of a key below field.
func join(field, key string) string {
	if !plainKey.MatchString(key) {
		key = quote(key)
	}
	if field == "" {
		return key
	}
	return field + "." + key
}
