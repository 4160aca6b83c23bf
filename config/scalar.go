package config

import (
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gopkg.in/yaml.v3"
)

// scalarTypes are what a scalar may become.
var scalarTypes = map[reflect.Type]func(b *binder, n *yaml.Node, into reflect.Value, field string){
	reflect.TypeFor[string]():        (*binder).bindString,
	reflect.TypeFor[Secret]():        (*binder).bindSecret,
	reflect.TypeFor[int]():           (*binder).bindInt,
	reflect.TypeFor[time.Duration](): (*binder).bindDuration,
	reflect.TypeFor[Size]():          (*binder).bindSize,
}

func (b *binder) bindString(n *yaml.Node, into reflect.Value, field string) {
	if text, ok := b.text(n, field); ok {
		into.SetString(text)
	}
}

func (b *binder) bindSecret(n *yaml.Node, into reflect.Value, field string) {
	if text, ok := b.text(n, field); ok {
		into.Set(reflect.ValueOf(NewSecret(text)))
	}
}

func (b *binder) bindInt(n *yaml.Node, into reflect.Value, field string) {
	text, ok := b.scalar(n, field, "a whole number")
	if !ok {
		return
	}
	number, err := strconv.ParseInt(text, 10, 0)
	quoted := n.ShortTag() == "!!str" && text == n.Value
	if err != nil || quoted {
		b.wrong(field, "a whole number")
		return
	}
	into.SetInt(number)
}

func (b *binder) bindDuration(n *yaml.Node, into reflect.Value, field string) {
	const want = "a duration such as 90s, 30m or 1h30m"
	text, ok := b.scalar(n, field, want)
	if !ok {
		return
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		b.wrong(field, want)
		return
	}
	into.SetInt(int64(d))
}

func (b *binder) bindSize(n *yaml.Node, into reflect.Value, field string) {
	const want = "a size in B, KiB, MiB or GiB, such as 16KiB"
	text, ok := b.scalar(n, field, want)
	if !ok {
		return
	}
	size, err := parseSize(text)
	if err != nil {
		b.wrong(field, want)
		return
	}
	into.SetInt(int64(size))
}

// text is a string's, with its variables replaced.
func (b *binder) text(n *yaml.Node, field string) (string, bool) {
	const want = "text"
	text, ok := b.scalar(n, field, want)
	switch {
	case !ok:
		return "", false
	case n.ShortTag() != "!!str":
		b.wrong(field, "text: put it between quotes")
		return "", false
	case strings.ContainsFunc(text, unicode.IsControl):
		b.wrong(field, "text of one line, without control characters")
		return "", false
	}
	return text, true
}

// scalar is the text of any scalar, with its variables replaced.
func (b *binder) scalar(n *yaml.Node, field, want string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		b.wrong(field, want)
		return "", false
	}
	text, err := expand(n.Value, b.env.Getenv)
	if err != nil {
		b.wrong(field, err.Error())
		return "", false
	}
	return text, true
}
