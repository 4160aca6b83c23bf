package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// scalar is the text format for the values of one type.
type scalar struct {
	// the right format in words, for a person who wrote a wrong value
	want string
	read func(written) (value any, want string) // want is the right format in words; "" for a valid value
}

// written is a value in the file, with its variables replaced.
type written struct {
	text   string
	isText bool // whether YAML reads the value as text, and not as a number or as true or false
	fixed  bool // whether no variable was replaced in the text; a variable may stand for any type
}

var scalars = map[reflect.Type]scalar{
	reflect.TypeFor[string]():        {wantText, readText},
	reflect.TypeFor[Secret]():        {wantText, readSecret},
	reflect.TypeFor[TOTPPolicy]():    {oneOf(totps), readTOTP},
	reflect.TypeFor[Recipient]():     text(wantText, func(s string) (Recipient, error) { return Recipient(s), nil }),
	reflect.TypeFor[time.Duration](): text(wantDuration, time.ParseDuration),
	reflect.TypeFor[Size]():          text(wantSize, parseSize),
	reflect.TypeFor[bool]():          literal(wantBool, parseBool),
	reflect.TypeFor[OptionalBool]():  literal(wantBool, parseSwitch),
	reflect.TypeFor[float64]():       literal(wantNumber, parseDecimal),
	reflect.TypeFor[int]():           literal(wantWhole, strconv.Atoi),
	reflect.TypeFor[int64]():         literal(wantWhole, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }),
	reflect.TypeFor[Dollars]():       literal(wantDollars, ParseDollars),
}

// text returns the format of a type that YAML reads as text.
func text[T any](want string, parse func(string) (T, error)) scalar {
	return scalar{want, func(w written) (any, string) {
		value, err := parse(w.text)
		if err != nil {
			return nil, want
		}
		return value, ""
	}}
}

// literal returns the format of a type whose values must not be in quotes.
func literal[T any](want string, parse func(string) (T, error)) scalar {
	read := text(want, parse).read
	return scalar{want, func(w written) (any, string) {
		if w.fixed {
			return nil, want
		}
		return read(w)
	}}
}

func readText(w written) (any, string) {
	switch {
	case !w.isText:
		return nil, wantQuotes
	case strings.ContainsFunc(w.text, unicode.IsControl):
		return nil, wantLine
	}
	return w.text, ""
}

func readSecret(w written) (any, string) {
	if _, want := readText(w); want != "" {
		return nil, want
	}
	return NewSecret(w.text), ""
}

var totps = []string{string(TOTPRequired), string(TOTPOptional), string(TOTPOff)}

// readTOTP reads a TOTPPolicy. It accepts true and false too, because people may write them.
func readTOTP(w written) (any, string) {
	switch {
	case w.text == "true" && !w.fixed:
		return TOTPRequired, ""
	case w.text == "false" && !w.fixed:
		return TOTPOff, ""
	case !slices.Contains(totps, w.text):
		return nil, oneOf(totps)
	}
	return TOTPPolicy(w.text), ""
}

// OptionalBool is a bool whose default may be true.
type OptionalBool string

// OptionalTrue is an OptionalBool that is true.
const OptionalTrue OptionalBool = "true"

func parseSwitch(text string) (OptionalBool, error) {
	_, err := parseBool(text)
	return OptionalBool(text), err
}

func parseBool(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, strconv.ErrSyntax // strconv accepts more words, such as T
	}
	return text == "true", nil
}

// decimal matches a decimal number without an exponent.
var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func parseDecimal(text string) (float64, error) {
	if !decimal.MatchString(text) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(text, 64)
}

// fromTag parses a value in a tag. It panics if the tag is wrong, which is a bug of this package.
func fromTag(t reflect.Type, tag string) reflect.Value {
	value, want := scalars[t].read(written{text: tag, isText: true})
	if want != "" {
		panic(fmt.Sprintf("config: the tag %q of a %s: want %s", tag, t, want))
	}
	return reflect.ValueOf(value)
}
