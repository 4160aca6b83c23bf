package config

import (
	"reflect"
	"regexp"
	"slices"
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
	reflect.TypeFor[bool]():          (*binder).bindBool,
	reflect.TypeFor[float64]():       (*binder).bindNumber,
	reflect.TypeFor[int]():           (*binder).bindInt,
	reflect.TypeFor[int64]():         (*binder).bindInt,
	reflect.TypeFor[time.Duration](): (*binder).bindDuration,
	reflect.TypeFor[Size]():          (*binder).bindSize,
	reflect.TypeFor[Dollars]():       (*binder).bindDollars,
	reflect.TypeFor[TOTP]():          (*binder).bindTOTP,
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

func (b *binder) bindBool(n *yaml.Node, into reflect.Value, field string) {
	const want = "true or false"
	text, ok := b.scalar(n, field, want)
	if !ok {
		return
	}
	if text != "true" && text != "false" || b.quoted(n, text) {
		b.wrong(field, want)
		return
	}
	into.SetBool(text == "true")
}

// decimal is how a number is written that need not be whole: no exponent, and nothing that is no number.
var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func (b *binder) bindNumber(n *yaml.Node, into reflect.Value, field string) {
	const want = "a number such as 3 or 0.25"
	text, ok := b.scalar(n, field, want)
	if !ok {
		return
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !decimal.MatchString(text) || b.quoted(n, text) {
		b.wrong(field, want)
		return
	}
	into.SetFloat(number)
}

func (b *binder) bindInt(n *yaml.Node, into reflect.Value, field string) {
	text, ok := b.scalar(n, field, "a whole number")
	if !ok {
		return
	}
	number, err := strconv.ParseInt(text, 10, into.Type().Bits())
	if err != nil || b.quoted(n, text) {
		b.wrong(field, "a whole number")
		return
	}
	into.SetInt(number)
}

// quoted says whether a scalar is text as it stands. What a variable holds has no type of its own.
func (*binder) quoted(n *yaml.Node, text string) bool {
	return n.ShortTag() == "!!str" && text == n.Value
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

func (b *binder) bindDollars(n *yaml.Node, into reflect.Value, field string) {
	text, ok := b.scalar(n, field, wantDollars)
	if !ok {
		return
	}
	amount, err := ParseDollars(text)
	if err != nil || b.quoted(n, text) {
		b.wrong(field, wantDollars)
		return
	}
	into.Set(reflect.ValueOf(amount))
}

// bindTOTP takes true and false too, which is how one would say it.
func (b *binder) bindTOTP(n *yaml.Node, into reflect.Value, field string) {
	want := oneOf(totps)
	text, ok := b.scalar(n, field, want)
	switch {
	case !ok:
		return
	case text == "true" && !b.quoted(n, text):
		text = string(TOTPRequired)
	case text == "false" && !b.quoted(n, text):
		text = string(TOTPOff)
	case !slices.Contains(totps, text):
		b.wrong(field, want)
		return
	}
	into.SetString(text)
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
