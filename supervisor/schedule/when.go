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

// TranslateTimeFunc reads words that the parser can't read, such as those of another language. when
// is a time that the parser may read. If withText is true, the words also contain a text.
type TranslateTimeFunc func(ctx context.Context, c supervisor.Conversation, words string, withText bool,
	now time.Time) (
	when, text string, err error)

// readOrder reads "WHEN: TEXT", or words with a time. It returns from with the time in it. Words
// that the parser can't read are translated. An error is for the user.
func (ed *editor) readOrder(ctx context.Context, from origin, words string, at time.Time) (
	_ origin, text string, err error) {
	now := at.In(timezone.ForUser(from.user))
	when, text, split := recurrence.SplitTimeAndText(words, now, from.dateOrder())
	if from.when = when; split {
		from, err = ed.readWhen(ctx, from, at)
		return from, text, err
	}
	if recurrence.IsTimeAlone(words, now, from.dateOrder()) {
		return from, "", supervisor.Errorf(supervisor.CodeInvalid, textNoText, strings.TrimSpace(words))
	}
	if from.when, text, err = ed.translate(ctx, from, words, true, at); err == nil && from.when == "" {
		err = usageError(words)
	}
	from.translated = true
	return from, text, err
}

// readWhen translates a time that the parser can't read. If the translation fails, the time stays,
// and the user gets the parser's error.
func (ed *editor) readWhen(ctx context.Context, from origin, at time.Time) (origin, error) {
	zone := timezone.ForUser(from.user)
	if _, err := recurrence.ParseWithDateOrder(from.when, at.In(zone), from.dateOrder()); !errors.Is(err,
		recurrence.ErrUnreadableTime) {
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
	maxTranslated    = 500              // maximum bytes of the words that a model reads
)

// translate lets a model read words that the parser can't read. when is "" if there is no model, or
// no money for a call. It is also "" if an admin wrote the words, if the answer is no future time,
// or if its text is no part of the words.
func (ed *editor) translate(ctx context.Context, from origin, words string, withText bool, at time.Time) (
	when, text string, err error) {
	if ed.translateWords == nil || from.byOther || len(words) > maxTranslated || strings.TrimSpace(words) == "" {
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
		return "", "", ctx.Err() // the user gets the parser's refusal instead
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

// usageError tells the user how to write a reminder. For words without a time it names the nearest
// readable time.
func usageError(words string) error {
	text := textUsage
	if near := recurrence.SuggestTime(words); near != "" {
		text += fmt.Sprintf(textNearest, near)
	}
	return supervisor.Errorf(supervisor.CodeInvalid, "%s", text)
}
