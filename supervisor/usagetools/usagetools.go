// Package usagetools is the feature that tells a user's model how many tokens the user has used.
package usagetools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/budget"
	"mews/supervisor/feature"
	"mews/supervisor/spans"
	"mews/supervisor/usage"
)

// Names of the tools.
const (
	toolTokenUsage = "get_token_usage"
	toolTokenStats = "token_stats"
)

// Conversations finds conversations by their ids.
type Conversations interface {
	FindConversation(ctx context.Context, id int64) (supervisor.Conversation, bool, error)
}

// Options are the dependencies of Tools.
type Options struct {
	Sums          usage.Calculator
	Conversations Conversations
	Zone          func(user string) *time.Location
	Now           func() time.Time
}

// Tools answers the tools about usage. It may be used from several goroutines.
type Tools struct{ o Options }

func New(o Options) *Tools { return &Tools{o} }

// Feature returns the host call of the tools.
func (t *Tools) Feature() feature.Feature {
	return feature.Feature{Name: "usagetools", HostCalls: []feature.HostCall{
		{Method: protocol.MethodUsageRead, Kinds: feature.OwnWorkerTurnKinds(), Bytes: feature.MaxShortParamsBytes,
			Limit: protocol.MaxUsageReads, HostCallHandler: feature.NewHostCallHandler(t.read)},
	}}
}

// read answers a call of one of the tools. In a group it refuses, because others would read the
// answer.
func (t *Tools) read(ctx context.Context, turn feature.Turn, p *protocol.UsageReadParams) (*protocol.UsageReadResult,
	error) {
	call, err := turn.FindCall(p.Call, toolTokenUsage, toolTokenStats)
	if err != nil {
		return nil, err
	}
	in, _, err := t.o.Conversations.FindConversation(ctx, turn.Destination)
	if err != nil {
		return nil, fmt.Errorf("find the conversation of a turn: %w", err)
	}
	if in.IsInGroup() {
		return nil, feature.NewRefusal(textInGroup)
	}
	answer := t.tokenUsage
	if call.Name == toolTokenStats {
		answer = t.tokenStats
	}
	text, err := answer(ctx, turn.User, call.Arguments)
	return &protocol.UsageReadResult{Text: text}, err
}

// tokenUsage sums up the calls of a span, or of today, this week and this month.
func (t *Tools) tokenUsage(ctx context.Context, user string, raw json.RawMessage) (string, error) {
	var args protocol.TokenUsageArguments
	if err := decode(raw, &args); err != nil {
		return "", err
	}
	now := t.o.Now().In(t.o.Zone(user))
	if args.Time != "" {
		in, err := spans.Parse(args.Time, now)
		if err != nil {
			return "", err
		}
		return t.spanText(ctx, user, args.Time, in)
	}
	var texts []string
	for _, span := range currentSpans(now) {
		text, err := t.spanText(ctx, user, span.name, supervisor.TimeSpan{From: span.from})
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n"), nil
}

// namedSpan is a span up to now.
type namedSpan struct {
	name string
	from time.Time
}

func currentSpans(now time.Time) []namedSpan {
	today, _ := budget.DayBounds(now, now.Location())
	monday, _ := budget.DayBounds(now.AddDate(0, 0, -(int(now.Weekday())+6)%7), now.Location())
	month, _ := budget.MonthBounds(now, now.Location())
	return []namedSpan{{"today", today}, {"this week", monday}, {"this month", month}}
}

// spanText tells the total of a span, and the part of each model if there are several.
func (t *Tools) spanText(ctx context.Context, user, name string, in supervisor.TimeSpan) (string, error) {
	lines, err := t.o.Sums.SumUsage(ctx, user, in, "model")
	if err != nil {
		return "", fmt.Errorf("sum the usage: %w", err)
	}
	text := fmt.Sprintf("%s: %v", name, usage.Total(lines))
	if len(lines) == 1 {
		return fmt.Sprintf("%s: %s, %v", name, lines[0].Name, lines[0]), nil
	}
	for _, l := range lines {
		text += fmt.Sprintf("\n- %s: %v", l.Name, l)
	}
	return cut(text), nil
}

// tokenStats lists the calls by day and model.
func (t *Tools) tokenStats(ctx context.Context, user string, raw json.RawMessage) (string, error) {
	var args protocol.TokenStatsArguments
	if err := decode(raw, &args); err != nil {
		return "", err
	}
	if args.Day == "" {
		args.Day = "7d"
	}
	zone := t.o.Zone(user)
	in, err := spans.Parse(args.Day, t.o.Now().In(zone))
	if err != nil {
		return "", err
	}
	days, err := t.o.Sums.SumUsageByModelAndDay(ctx, user, in, zone)
	if err != nil {
		return "", fmt.Errorf("sum the usage: %w", err)
	}
	var lines []usage.Line
	text := ""
	for _, d := range days {
		if strings.Contains(strings.ToLower(d.Name), strings.ToLower(args.Model)) {
			lines = append(lines, d.Line)
			text += fmt.Sprintf("\n%s %s: %v", d.Day, d.Name, d.Line)
		}
	}
	return cut(fmt.Sprintf("%s in all: %v%s", args.Day, usage.Total(lines), text)), nil
}

func decode(raw json.RawMessage, args any) error {
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, args); err != nil {
		return feature.NewRefusal("the usage was not read: %v", err)
	}
	return nil
}

// cut shortens an answer to its limit, at a line.
func cut(text string) string {
	const more = "\n(shortened; ask for fewer days or one model)"
	if len(text) <= protocol.MaxUsageAnswerBytes {
		return text
	}
	text = text[:protocol.MaxUsageAnswerBytes-len(more)]
	return text[:max(0, strings.LastIndexByte(text, '\n'))] + more
}
