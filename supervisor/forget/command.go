package forget

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/timezone"
	"mews/supervisor/markdown"
	"mews/supervisor/spans"
)

// AskForgetFactPress returns the press of a button that asks whether to forget a fact.
func AskForgetFactPress(fact string) string { return prefix + pressSpan + " " + oneFactOf + fact }

// Words of the presses of /forget.
const (
	prefix = "forget:"
	// the press also has the span in Unix milliseconds, and whether only this conversation is meant
	pressForget = "do"
	// like pressForget, and also deletes the earlier versions of the files that stay
	pressForgetVersions = "all"
	pressSpan           = "span" // the press also has the arguments of the command
	pressKeep           = "no"
)

func (g *Forgetter) commands() []feature.Command {
	return []feature.Command{{SlashCommand: supervisor.SlashCommand{Name: "forget",
		Help: "delete a fact or what was said: /forget fact k7, a day, a span of days, or a conversation"},
		Group: feature.HelpGroupPrivacy, Run: g.command, Prefix: prefix, Press: g.press}}
}

// Arguments of /forget: the word for a whole conversation, and the word before the id of a fact.
const (
	wholeConversation = "conversation"
	oneFactOf         = "fact "
)

// command counts the messages of a span, and asks whether to forget them.
func (g *Forgetter) command(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	if r.Arguments == "" {
		return supervisor.Delivery{Text: textForgetHelp, Buttons: examples()}, nil
	}
	if id, ok := strings.CutPrefix(r.Arguments, oneFactOf); ok && !r.Conversation.IsInGroup() {
		return g.askFact(ctx, r.Conversation.User, strings.TrimSpace(id))
	}
	f := supervisor.ForgetRequest{User: r.Conversation.User, Since: time.Unix(0, 0), Until: r.At}
	whole := strings.EqualFold(r.Arguments, wholeConversation)
	if whole || r.Conversation.IsInGroup() {
		f.Conversation = r.Conversation.ID
	}
	if !whole {
		span, err := spans.Parse(r.Arguments, r.At.In(timezone.ForUser(r.User)))
		// a span without a beginning may be the user's slip, so it is refused
		if err != nil || strings.HasPrefix(strings.TrimSpace(r.Arguments), "..") || !span.From.Before(r.At) {
			return d, supervisor.Errorf(supervisor.CodeInvalid, textForgetUsage, markdown.EscapeName(r.Arguments))
		}
		if f.Since = span.From; !span.To.IsZero() && span.To.Before(r.At) {
			f.Until = span.To
		}
	}
	counts, err := g.Count(ctx, f)
	if err != nil {
		return d, fmt.Errorf("count what to forget: %w", err)
	}
	if counts == (supervisor.ForgetCounts{}) {
		return supervisor.Delivery{Text: textNothingToForget}, nil
	}
	if counts.Copies, err = g.countCopies(); err != nil {
		return d, fmt.Errorf("count the copies of the database: %w", err)
	}
	d.Text = fmt.Sprintf(textForgetAsk, lines(counts)) + textNotOurs
	if counts.Changed > 0 {
		d.Text += fmt.Sprintf(textFilesStay, amount.Plural(counts.Changed, "file", "files"))
	}
	press := fmt.Sprintf(" %d %d %t", f.Since.UnixMilli(), f.Until.UnixMilli(), whole)
	d.Buttons = forgetButtons(prefix + pressForget + press)
	err = g.offerVersions(ctx, f, prefix+pressForgetVersions+press, &d)
	d.Text += g.historyLeft(f.User)
	return d, err
}

// askFact shows a fact, counts the rows that contain its words, and asks whether to forget it.
func (g *Forgetter) askFact(ctx context.Context, user, id string) (d supervisor.Delivery, err error) {
	r, err := g.o.Memories.RunAction(ctx, user, protocol.MemoryParameters{Action: protocol.MemoryActionShow, ID: id})
	if err != nil || len(r.Facts) == 0 {
		return supervisor.Delivery{Text: fmt.Sprintf(textNoFact, markdown.EscapeName(id))}, err
	}
	f := r.Facts[0]
	counts, err := g.o.Memories.CountMentions(ctx, user, f)
	if err != nil {
		return d, fmt.Errorf("count the mentions of a fact: %w", err)
	}
	where := ""
	for _, line := range []struct{ table, one, many string }{{"message", "answer, tool call or tool result",
		"answers, tool calls and tool results"},
		{"outbox", "message that I sent you", "messages that I sent you"},
		{"question", "question that I asked", "questions that I asked"},
		{"effect", "line of the ledger", "lines of the ledger"}, {"fire", "message of a task", "messages of tasks"},
		{"held_notice", "message that waits for the end of your quiet hours",
			"messages that wait for the end of your quiet hours"},
		{"job", "finished task", "finished tasks"}} {
		if n := counts[line.table]; n > 0 {
			where += "\n- " + amount.Plural(n, line.one, line.many)
		}
	}
	copies, err := g.countCopies()
	if err != nil {
		return d, fmt.Errorf("count the copies of the database: %w", err)
	}
	if copies > 0 {
		where += "\n- " + amount.Plural(copies, oneCopy, manyCopies)
	}
	line := textEarlierMemory
	if f.Line > 0 {
		line = fmt.Sprintf(textMemoryLine, f.Line)
	}
	d.Text = fmt.Sprintf(textForgetFactAsk, f.ID, markdown.EscapeName(f.Text), line, where, f.Origin) +
		g.historyLeft(user)
	d.Buttons = forgetButtons(g.o.FactPress(f.ID))
	return d, nil
}

// forgetButtons returns the buttons that forget or keep. A typed yes or no presses them.
func forgetButtons(press string) [][]supervisor.Button {
	return [][]supervisor.Button{{{Text: textForgetYes, Press: press, Answer: supervisor.AnswerChoiceOnce},
		{Text: textForgetNo, Press: prefix + pressKeep, Answer: supervisor.AnswerChoiceNo}}}
}

// Words for the number of database copies in a line.
const (
	oneCopy    = "copy of the database, made before an update, with other people's data too"
	manyCopies = "copies of the database, made before an update, with other people's data too"
)

// examples returns buttons for common arguments of the command.
func examples() [][]supervisor.Button {
	button := func(text, arguments string) supervisor.Button {
		return supervisor.Button{Text: text, Press: prefix + pressSpan + " " + arguments}
	}
	return [][]supervisor.Button{{button(textForgetHour, "last hour"), button(textForgetToday, "today")},
		{button(textForgetYesterday, "yesterday"), button(textForgetConversation, wholeConversation)}}
}

// press runs the action of a button. It deletes the data that the user has confirmed, or counts the
// data of an example.
func (g *Forgetter) press(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	action, rest, _ := strings.Cut(r.Arguments, " ")
	if action == pressSpan {
		r.Arguments = rest
		return g.command(ctx, r)
	}
	var since, until int64
	whole := false
	if n, err := fmt.Sscanf(rest, "%d %d %t", &since, &until, &whole); err != nil || n != 3 ||
		action != pressForget && action != pressForgetVersions {
		return supervisor.Delivery{Text: textForgotNothing}, nil
	}
	f := supervisor.ForgetRequest{User: r.Conversation.User, Inbound: r.Inbound, Since: time.UnixMilli(since),
		Until: time.UnixMilli(min(until, r.At.UnixMilli()))}
	if whole || r.Conversation.IsInGroup() {
		f.Conversation = r.Conversation.ID
	}
	versions := int64(0)
	if action == pressForgetVersions {
		if versions, err = g.forgetVersions(ctx, f); err != nil {
			return d, fmt.Errorf("forget earlier versions of files: %w", err)
		}
	}
	counts, err := g.Forget(ctx, f)
	if err != nil {
		return d, fmt.Errorf("forget: %w", err)
	}
	waiting := counts.Waiting
	counts.Waiting = 0
	d.Text = fmt.Sprintf(textForgotten, lines(counts))
	if versions > 0 {
		d.Text += "\n- " + amount.Plural(versions, oneForgottenVersion, manyForgottenVersions)
	}
	if waiting > 0 {
		d.Text += fmt.Sprintf(textForgetsLater, amount.Plural(waiting, "message", "messages"))
	}
	d.Text += g.historyLeft(f.User)
	return d, nil
}

// lines lists the counts for people, with a line for each kind of data.
func lines(n supervisor.ForgetCounts) string {
	var b strings.Builder
	for _, line := range []struct {
		n         int64
		one, many string
	}{
		{n.Messages, "message of yours", "messages of yours"}, {n.Answers, "answer", "answers"},
		{n.Results, "tool result", "tool results"},
		{n.Facts, "fact of MEMORY.md from then", "facts of MEMORY.md from then"},
		{n.Notes, "line of your daily notes", "lines of your daily notes"},
		{n.Logged, "exchange in your logs", "exchanges in your logs"},
		{n.Files, "copy of a file that you sent", "copies of files that you sent"},
		{n.Copies, oneCopy, manyCopies},
		{n.Undos, "copy of a file from before a change", "copies of files from before a change"},
	} {
		if line.n > 0 {
			b.WriteString("\n- " + amount.Plural(line.n, line.one, line.many))
		}
	}
	if n.Waiting > 0 {
		fmt.Fprintf(&b, textOfThoseWaiting, amount.Plural(n.Waiting, "message", "messages"))
	}
	return cmp.Or(b.String(), "\n- "+textNothing)
}
