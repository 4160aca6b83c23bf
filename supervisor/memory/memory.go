// Package memory is the feature that remembers facts about users. It decides which facts may be
// remembered, and answers /memory. Facts from a user's own words need no permission. Facts from
// other people's words need the user's approval. The facts are in the user's home, and the user's
// worker writes them.
package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
	"mews/supervisor/taint"
)

// Approver asks for permission for an effect.
type Approver interface {
	Allow(ctx context.Context, r approval.Request) error
}

// Operations runs operations in users' workers.
type Operations interface {
	Start(ctx context.Context, op supervisor.Operation) (supervisor.Operation, error)
	Wait(ctx context.Context, id int64) (supervisor.Operation, error)
}

// Options are the dependencies of a Memory.
type Options struct {
	Store       sqlite.Memories
	PromptFiles sqlite.PromptFiles
	SystemTexts sqlite.SystemTexts
	Effects     sqlite.Effects
	Kept        sqlite.Operations // the database's rows of the operations that Operations runs
	Operations  Operations
	Approver    Approver
	// Foreign names the words of others that a turn has read; "" means none. nil names nothing.
	Foreign func(ctx context.Context, turn int64) (string, error)
	// returns the user's private chat, for words that a group must not read
	PrivateChat func(user string) supervisor.Conversation
	Queued      func(conversation int64) // called when a conversation has a new message; never blocks
	// ForgetWords deletes the words of a user's forgotten facts from the database. ForgetLater
	// starts that deletion when the turn has ended.
	ForgetWords func(ctx context.Context, user string) error
	ForgetLater func()
	// Forgotten is told of each forgotten fact, by protocol.DigestWords. nil is told nothing.
	Forgotten func(user, digest string)
	// HistoryLeft tells where earlier versions of a user's files stay that can't be deleted; ""
	// means nowhere, and nil that there are none.
	HistoryLeft func(user string) string
	// AskForget returns the press of a button that asks whether to forget a fact.
	AskForget func(fact string) string
	Zone      func(user string) *time.Location
	Now       func() time.Time
	// Settings has the facts that are to be forgotten after a restore. Users lists all users.
	Settings sqlite.Settings
	Users    func() []string
	Log      hclog.Logger
}

// Memory decides which facts may be remembered and forgotten, and asks workers to do it. Its
// methods may be called from any goroutine.
type Memory struct{ o Options }

// New makes a Memory.
func New(o Options) *Memory { return &Memory{o} }

// Names of the memory's effects in approvals.
const (
	EffectRemember = "remember" // remember a fact from other people's words
	EffectForget   = "forget"   // delete facts that the user's words do not name
)

// Feature returns the commands, host calls, control call and effects of the memory.
func (m *Memory) Feature() feature.Feature {
	return feature.Feature{Name: "memory", Commands: m.commands(), HostCalls: m.hostCalls(),
		Calls: []feature.ControlCall{feature.NewControlCall(MethodMemory, m.answer)},
		Parts: []feature.Part{{Name: "memory", Run: m.run}},
		Effects: []feature.Effect{{Name: EffectRemember, Rule: string(approval.RuleAsk)},
			{Name: EffectForget, Rule: string(approval.RuleAsk)}}}
}

// ChangeRequest is a tool call that wants to remember, correct or forget facts.
type ChangeRequest struct {
	User        string
	Destination int64 // the conversation in which the user is asked
	Turn        int64
	Call        protocol.ToolCall
	Arguments   protocol.MemoryArguments
	Conflict    *protocol.MemoryConflict // the fact that the call would replace; nil means none
}

// AllowRemember decides whether a fact may be remembered. It returns the message that the fact
// comes from. If the fact contradicts an old fact, it replaces the old fact. The error is
// supervisor.ErrWaitsForAnswer until the user answers.
func (m *Memory) AllowRemember(ctx context.Context, r ChangeRequest) (allowed protocol.MemoryRememberResult,
	err error) {
	source, found, err := m.o.Store.FindFactBasis(ctx, r.Turn, r.Arguments.Message)
	if err == nil && !found {
		err = supervisor.Errorf(supervisor.CodeInvalid, textNoMessage, r.Arguments.Message)
	}
	if err != nil {
		return allowed, err
	}
	allowed.Message, allowed.At = source.Message, source.At.UTC().Format(time.RFC3339)
	theirs := source.Origin == supervisor.OriginOwn &&
		(!source.HasMaterial || taint.Says(source.Words, r.Arguments.Text))
	if allowed.HighestForgotten, err = m.checkForgotten(ctx, r, source); err != nil {
		return allowed, err
	}
	asked, old := fmt.Sprintf(textMayRemember, quoted(r.Arguments.Text)), ""
	if r.Conflict != nil {
		old, allowed.Replace = r.Conflict.Text, r.Call.Name == toolRemember
		asked = fmt.Sprintf(textMayCorrect, quoted(r.Arguments.Text), quoted(old))
	}
	if !theirs {
		if asked, err = m.addForeign(ctx, r.Turn, asked); err != nil {
			return allowed, err
		}
		err = m.o.Approver.Allow(ctx, approval.Request{
			User: r.User, Conversation: supervisor.Conversation{ID: r.Destination, User: r.User}, Turn: r.Turn,
			Call: r.Call.ID, Effect: EffectRemember,
			Arguments: []string{r.Call.Name, r.Arguments.ID, r.Arguments.Kind, r.Arguments.Subject, r.Arguments.Text, old},
			Text:      asked, NamesOrigins: m.o.Foreign != nil,
		})
	}
	return allowed, err
}

// addForeign adds a sentence to the question asked: it names the words of others that the turn has
// read.
func (m *Memory) addForeign(ctx context.Context, turn int64, asked string) (string, error) {
	if m.o.Foreign == nil {
		return asked, nil
	}
	words, err := m.o.Foreign(ctx, turn)
	if words != "" {
		asked += fmt.Sprintf(textHaveRead, words)
	}
	return asked, err
}

// checkForgotten refuses facts that were forgotten. It refuses any fact from a forgotten message.
// It refuses a fact with the words of a forgotten fact, unless the user has used these words since.
// after is the highest number in a forgotten fact's id.
func (m *Memory) checkForgotten(ctx context.Context, r ChangeRequest, source supervisor.FactBasis) (after int,
	err error) {
	byMessage, at, after, err := m.o.Store.FindForgottenFact(ctx, r.User, source.Message, r.Arguments.Text)
	if err != nil {
		return after, fmt.Errorf("look for what %s has had forgotten: %w", r.User, err)
	}
	saidSince := source.At.After(at) && source.Origin == supervisor.OriginOwn && taint.Says(source.Words, r.Arguments.Text)
	if byMessage || at.Unix() > 0 && !saidSince {
		return after, supervisor.Errorf(supervisor.CodeForbidden, textForgotten)
	}
	return after, nil
}

// quoted returns a fact as Markdown code, so that it contains no markup.
func quoted(text string) string {
	return "`" + clipped(strings.ReplaceAll(text, "`", "'"), protocol.MaxFactCharacters) + "`"
}

func clipped(text string, most int) string {
	runes := []rune(printable.DropControls(strings.Join(strings.Fields(text), " ")))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// RecordForgottenFacts records facts that are not to be remembered again.
func (m *Memory) RecordForgottenFacts(ctx context.Context, user string, facts []protocol.ForgottenFact) error {
	if len(facts) == 0 {
		return nil
	}
	defer m.o.ForgetLater()
	var gone []supervisor.ForgottenFact
	for _, f := range facts {
		gone = append(gone, supervisor.ForgottenFact(f))
	}
	return m.forgetFacts(ctx, user, gone)
}

// forgetFacts stores that facts must not be remembered again.
func (m *Memory) forgetFacts(ctx context.Context, user string, list []supervisor.ForgottenFact) error {
	err := m.o.Store.ForgetFacts(ctx, user, list)
	if err == nil && m.o.Forgotten != nil {
		for _, f := range list {
			m.o.Forgotten(user, protocol.DigestWords(f.Text))
		}
	}
	return err
}

const memoryFile = "MEMORY.md"

// RecordFactUses counts a use of each fact, on the current day of the user.
func (m *Memory) RecordFactUses(ctx context.Context, user string, facts []string) error {
	return m.o.Store.RecordFactUses(ctx, user, m.day(user, 0), facts)
}

// usesDays is for how many days a use of a fact is counted.
const usesDays = 90

// CountFactUses returns how often each fact was used in the last usesDays, by the fact's id.
func (m *Memory) CountFactUses(ctx context.Context, user string) (map[string]int, error) {
	return m.o.Store.ListFactUses(ctx, user, m.day(user, -usesDays))
}

func (m *Memory) day(user string, offset int) string {
	return m.o.Now().In(m.zone(user)).AddDate(0, 0, offset).Format(time.DateOnly)
}

func (m *Memory) zone(user string) *time.Location { return cmp.Or(m.o.Zone(user), time.UTC) }
