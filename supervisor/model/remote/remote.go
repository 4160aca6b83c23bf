// Package remote is what the providers that are reached over HTTP share: the client that they call with, the watch for an
// endpoint that falls silent, the reading of what an endpoint says when it refuses, and the error that a person gets of
// it. What an API calls its failures, and the words for them, each provider brings as a table.
//
//	client.go   the client, and the types of what it gets
//	idle.go     one call, ended when nothing comes
//	refusal.go  the body and the headers of a response that is no answer
//	rules.go    the table from errors to classes and words, and its rows for what never reached the endpoint
//	explain.go  an error as a person reads it, without the key
package remote

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
)

// ParseBase checks a base URL; example is one that is right. Its errors do not repeat the URL, which may hold a password.
func ParseBase(base, example string) (*url.URL, error) {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL; write it like " + example)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("it must begin with http:// or https://, as in " + example)
	case u.Host == "":
		return nil, errors.New("it names no host; write it like " + example)
	case u.User != nil:
		return nil, errors.New("it must hold no user and password; the key goes into api_key")
	}
	return u, nil
}

const maxModel = 256 // bytes of a model's name

// ValidModelName tells whether a model's name is one that a person can write.
func ValidModelName(name string) bool {
	odd := func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar }
	return name != "" && len(name) <= maxModel && strings.IndexFunc(name, odd) < 0
}
