// Package memory decides what may be remembered of a person. Their own words pass; about anybody
// else's words they are asked. The facts themselves are in the person's home.
package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/printable"
)

// Store keeps what the service knows of people's facts: what was forgotten, and how often each was
// used.
type Store interface {
	// Source finds a message of the person in the conversation of a running turn. Message 0 is the
	// newest of the turn.
	Source(ctx context.Context, turn, message int64) (source supervisor.MemorySource, found bool, err error)
	// Forgotten says whether a fact was forgotten, by its message or by its words. at is when it
	// last was, the Unix epoch where it never was. byMessage says that it goes by a forgotten
	// message. number is the highest one of a forgotten fact's id.
	Forgotten(ctx context.Context, user string, message int64, text string) (byMessage bool, at time.Time, number int, err error)
	Forget(ctx context.Context, user string, facts []supervisor.ForgottenFact) error
	Use(ctx context.Context, user, day string, facts []string) error
	Uses(ctx context.Context, user, since string) (map[string]int, error)
}

// Approver allows effects.
type Approver interface {
	Allow(ctx context.Context, r approval.Request) error
}

// Asker asks people; its error is supervisor.ErrWaits while they have not answered.
type Asker interface {
	Ask(ctx context.Context, q supervisor.Question) (supervisor.Question, error)
}

// PromptFiles knows which texts of people's files go into prompts.
type PromptFiles interface {
	// Advance puts text in force where the file was in force in the state before.
	Advance(ctx context.Context, user, path string, before, after protocol.FileState, text []byte) error
}

// Memory decides what may be remembered and forgotten. PromptFiles may be nil. Its methods may be
// called from any goroutine.
type Memory struct {
	Store       Store
	Approver    Approver
	Asker       Asker
	PromptFiles PromptFiles
	Zone        func(user string) *time.Location
	Now         func() time.Time
}

// Request is a call of a model that would remember, correct or forget something.
type Request struct {
	User        string
	Destination int64 // where they are asked
	Turn        int64
	Call        protocol.ToolCall
	Arguments   protocol.MemoryArguments
	Conflict    *protocol.MemoryConflict // of update_memory: what it replaces
}

// toolUpdate is the tool that corrects a fact.
const toolUpdate = "update_memory"

// Allow decides whether something may be remembered. It returns the message that it goes by, and
// what the person chose where it contradicts a fact. The error is supervisor.ErrWaits until they
// answer.
func (m *Memory) Allow(ctx context.Context, r Request) (allowed protocol.MemoryAllowed, err error) {
	source, found, err := m.Store.Source(ctx, r.Turn, r.Arguments.Message)
	if err == nil && !found {
		err = supervisor.Errorf(supervisor.CodeInvalid, textNoMessage, r.Arguments.Message)
	}
	if err != nil {
		return allowed, err
	}
	allowed.Message, allowed.At = source.Message, source.At.UTC().Format(time.RFC3339)
	theirs := source.Origin == supervisor.OriginOwn && (!source.Material || says(source.Words, r.Arguments.Text))
	if allowed.After, err = m.checkForgotten(ctx, r, source); err != nil {
		return allowed, err
	}
	asked, old := fmt.Sprintf(textMayRemember, quoted(r.Arguments.Text)), ""
	if r.Conflict != nil && r.Call.Name == toolUpdate {
		old = r.Conflict.Text
		asked = fmt.Sprintf(textMayCorrect, quoted(r.Arguments.Text), quoted(old))
	} else if r.Conflict != nil {
		if allowed.Choice, err = m.choose(ctx, r); err != nil || allowed.Choice == protocol.MemoryOld {
			return allowed, err
		}
	}
	if !theirs {
		err = m.Approver.Allow(ctx, approval.Request{
			User: r.User, Conversation: supervisor.Conversation{ID: r.Destination, User: r.User}, Turn: r.Turn, Call: r.Call.ID, Effect: approval.EffectRemember,
			Arguments: []string{r.Call.Name, r.Arguments.ID, r.Arguments.Kind, r.Arguments.Subject, r.Arguments.Text, old},
			Text:      asked,
		})
	}
	return allowed, err
}

// checkForgotten refuses what was forgotten: anything that goes by a forgotten message, and the
// very same words unless the person has said them since. after is the highest number of a forgotten
// fact's id.
func (m *Memory) checkForgotten(ctx context.Context, r Request, source supervisor.MemorySource) (after int, err error) {
	byMessage, at, after, err := m.Store.Forgotten(ctx, r.User, source.Message, r.Arguments.Text)
	if err != nil {
		return after, fmt.Errorf("look for what %s has had forgotten: %w", r.User, err)
	}
	saidSince := source.At.After(at) && source.Origin == supervisor.OriginOwn && says(source.Words, r.Arguments.Text)
	if byMessage || at.Unix() > 0 && !saidSince {
		return after, supervisor.Errorf(supervisor.CodeForbidden, textForgotten)
	}
	return after, nil
}

// says reports whether a text has at least half of a fact's words of four letters or more, or words
// that begin alike. Addresses and numbers must be in it exactly. It is used where the model has
// read other people's words too: what the person did not say may be theirs.
func says(text, fact string) bool {
	for _, field := range strings.Fields(strings.ToLower(fact)) {
		exact := strings.TrimFunc(field, unicode.IsPunct)
		if strings.ContainsAny(exact, "@/.0123456789") && !strings.Contains(strings.ToLower(text), exact) {
			return false
		}
	}
	said, all, there := protocol.Words(text), 0, 0
	for _, word := range protocol.Words(fact) {
		begins := []rune(word)
		if len(begins) < 4 {
			continue
		}
		all++
		if slices.ContainsFunc(said, func(w string) bool { return strings.HasPrefix(w, string(begins[:max(4, len(begins)-2)])) }) {
			there++
		}
	}
	return all > 0 && 2*there >= all
}

// maxSide is how many characters of a fact are on its button.
const maxSide = 45

// choose asks the person which of two facts holds. Without an answer the old one does.
func (m *Memory) choose(ctx context.Context, r Request) (protocol.MemoryChoice, error) {
	sum := sha256.Sum256([]byte(strings.Join([]string{fmt.Sprint(r.Turn), r.Call.ID, r.Conflict.ID, r.Conflict.Text, r.Arguments.Text}, "\x00")))
	side := func(form, text string) string {
		return fmt.Sprintf(form, clipped(text, maxSide))
	}
	asked, err := m.Asker.Ask(ctx, supervisor.Question{
		Conversation: supervisor.Conversation{ID: r.Destination, User: r.User}, Turn: r.Turn, Call: r.Call.ID, Kind: supervisor.QuestionAsk,
		Subject: hex.EncodeToString(sum[:]),
		Ask: protocol.Ask{Kind: protocol.AskChoice,
			Text:    fmt.Sprintf(textWhichHolds, quoted(r.Arguments.Text), quoted(r.Conflict.Text)),
			Options: []string{side(textNewHolds, r.Arguments.Text), side(textOldHolds, r.Conflict.Text), textBothHold}}})
	if err != nil {
		return "", err
	}
	choices := []protocol.MemoryChoice{protocol.MemoryNew, protocol.MemoryOld, protocol.MemoryBoth}
	if asked.Why != supervisor.QuestionAnswered || len(asked.Answer.Options) != 1 {
		return protocol.MemoryOld, nil
	}
	return choices[asked.Answer.Options[0]], nil
}

// quoted is a fact as Markdown code, so that nothing in it is markup.
func quoted(text string) string {
	return "`" + clipped(strings.ReplaceAll(text, "`", "'"), protocol.MaxFact) + "`"
}

func clipped(text string, most int) string {
	runes := []rune(printable.Text(strings.Join(strings.Fields(text), " ")))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// Changed takes over a change of MEMORY.md. Its text is in force where the one before was, and the
// facts in c.Gone are not remembered again.
func (m *Memory) Changed(ctx context.Context, user string, c protocol.MemoryChanged) error {
	if m.PromptFiles != nil {
		if err := m.PromptFiles.Advance(ctx, user, memoryFile, c.Before, c.After, c.Text); err != nil {
			return err
		}
	}
	if len(c.Gone) == 0 {
		return nil
	}
	var gone []supervisor.ForgottenFact
	for _, f := range c.Gone {
		gone = append(gone, supervisor.ForgottenFact(f))
	}
	return m.Store.Forget(ctx, user, gone)
}

const memoryFile = "MEMORY.md"

// Recalled counts facts as used on the person's today.
func (m *Memory) Recalled(ctx context.Context, user string, facts []string) error {
	return m.Store.Use(ctx, user, m.day(user, 0), facts)
}

// usesDays is how many days a use counts.
const usesDays = 90

// Uses says how often each fact was used in the last usesDays, by its id.
func (m *Memory) Uses(ctx context.Context, user string) (map[string]int, error) {
	return m.Store.Uses(ctx, user, m.day(user, -usesDays))
}

func (m *Memory) day(user string, offset int) string {
	return m.Now().In(cmp.Or(m.Zone(user), time.UTC)).AddDate(0, 0, offset).Format(time.DateOnly)
}
