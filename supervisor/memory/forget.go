package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/taint"
)

// maxNamed is the maximum number of facts that the question before a deletion names.
const maxNamed = 20

// AllowForget decides whether facts may be deleted; nil allows it. A user's own request is enough,
// unless the model has read other people's words. Then the user's newest message must name each
// fact, or the user is asked. The error is supervisor.ErrWaitsForAnswer until the user answers.
func (m *Memory) AllowForget(ctx context.Context, r ChangeRequest, facts []protocol.ForgottenFact) error {
	source, found, err := m.o.Store.FindFactBasis(ctx, r.Turn, 0)
	if err != nil {
		return err
	}
	theirs := found && source.Origin == supervisor.OriginOwn
	arguments, lines := []string{r.Call.Name}, []string{}
	for _, f := range facts {
		theirs = theirs && (!source.HasMaterial || wantsGone(source.Words, f))
		arguments = append(arguments, f.ID, f.Text)
		lines = append(lines, "- "+f.ID+" "+quoted(f.Text))
	}
	if theirs {
		return nil
	}
	if more := len(lines) - maxNamed; more > 0 {
		lines = append(lines[:maxNamed], fmt.Sprintf(textMoreFacts, more))
	}
	asked, err := m.addForeign(ctx, r.Turn, fmt.Sprintf(textMayForget, strings.Join(lines, "\n")))
	if err != nil {
		return err
	}
	return m.o.Approver.Allow(ctx, approval.Request{
		User: r.User, Conversation: supervisor.Conversation{ID: r.Destination, User: r.User}, Turn: r.Turn,
		Call: r.Call.ID, Effect: EffectForget,
		Arguments: arguments, Text: asked, NamesOrigins: m.o.Foreign != nil,
	})
}

// wantsGone reports whether a text asks to delete a fact. The text needs a word for deleting, and
// the fact's id or half of the fact's words.
func wantsGone(text string, f protocol.ForgottenFact) bool {
	words := protocol.NormalizedWords(text)
	asks := slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(wordsForForget, func(begins string) bool { return strings.HasPrefix(word, begins) })
	})
	return asks && (slices.Contains(words, f.ID) || taint.SaysHalf(text, f.Text))
}
