package schedule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/recurrence"
)

// Translate reads words that the parser can't read, such as those of another language. when is a
// time that the parser may read. With withText the words also have a text, a part of them.
type Translate func(ctx context.Context, c supervisor.Conversation, words string, withText bool, now time.Time) (
	when, text string, err error)

// readOrder reads "WHEN: TEXT", or words with a time. It returns from with the time. Words that the
// parser can't read are translated. An error is for the user.
func (ed *editor) readOrder(ctx context.Context, from origin, words string, at time.Time) (
	_ origin, text string, err error) {
	when, text, split := recurrence.Split(words, at.In(timezone.ForUser(from.user)), from.dateOrder())
	if from.when = when; split {
		from, err = ed.readWhen(ctx, from, at)
		return from, text, err
	}
	if from.when, text, err = ed.translate(ctx, from, words, true, at); err == nil && from.when == "" {
		err = usageError(words)
	}
	from.translated = true
	return from, text, err
}

// readWhen translates a time that the parser can't read. If that fails the time stays: the parser's
// error about it is for the user.
func (ed *editor) readWhen(ctx context.Context, from origin, at time.Time) (origin, error) {
	zone := timezone.ForUser(from.user)
	if _, err := recurrence.ParseDates(from.when, at.In(zone), from.dateOrder()); !errors.Is(err,
		recurrence.ErrUnreadable) {
		return from, nil
	}
	when, _, err := ed.translate(ctx, from, from.when, false, at)
	if err == nil && when != "" {
		from.when, from.translated = when, true
	}
	return from, err
}

const (
	translateTimeout = 20 * time.Second // how long a person waits for a model to read a time
	maxTranslated    = 500              // bytes of the longest words that a model reads
)

// translate lets a model read words that the parser can't read. when is "" if there is no model or
// no money for it. It is also "" if the answer is no time to come, or its text no part of the words.
func (ed *editor) translate(ctx context.Context, from origin, words string, withText bool, at time.Time) (
	when, text string, err error) {
	if ed.translateWords == nil || len(words) > maxTranslated || strings.TrimSpace(words) == "" {
		return "", "", nil
	}
	c := from.in
	if c.ID == 0 { // the conversation has no row yet
		if c, err = ed.conversations.FindOrCreate(ctx, c.User, c.Channel, c.Chat, c.Thread); err != nil {
			return "", "", err
		}
	}
	asked, cancel := context.WithTimeout(ctx, translateTimeout)
	defer cancel()
	now := at.In(timezone.ForUser(from.user))
	when, text, err = ed.translateWords(asked, c, words, withText, now)
	if err != nil {
		return "", "", ctx.Err() // the parser's refusal is the answer
	}
	if text = strings.TrimSpace(text); withText != (text != "") || !strings.Contains(words, text) {
		return "", "", nil
	}
	rule, err := recurrence.Parse(when, now)
	if err != nil {
		return "", "", nil
	}
	if _, toCome, err := rule.Next(now, now.Location()); err != nil || !toCome {
		return "", "", nil
	}
	return when, text, nil
}

// usageError says how to write a reminder, with the nearest time to words without one.
func usageError(words string) error {
	text := textUsage
	if near := recurrence.NearestTo(words); near != "" {
		text += fmt.Sprintf(textNearest, near)
	}
	return supervisor.Errorf(supervisor.CodeInvalid, "%s", text)
}
