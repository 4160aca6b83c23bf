package main

import (
	"fmt"
	"time"

	"mews/supervisor/spans"
)

// parseSince returns the beginning of a span, which is written as in the chat's commands: 7d,
// yesterday. "" is the zero time.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	span, err := spans.Parse(text, now)
	if err != nil || span.From.IsZero() {
		return time.Time{}, fmt.Errorf(textWrongSince, text)
	}
	return span.From, nil
}
