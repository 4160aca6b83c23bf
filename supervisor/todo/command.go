package todo

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// Presses of the buttons of /todo: an action, the item's id, and its TodoItem.Created. So a button
// of an old list changes no new item that has the id of a deleted one.
const (
	pressPrefix   = "t:"
	pressDone     = "done"
	pressTomorrow = "tomorrow"
	pressDelete   = "delete"
	pressPage     = "from" // an offset follows
)

func (t *Todos) commands() []feature.Command {
	return []feature.Command{{SlashCommand: supervisor.SlashCommand{Name: "todo",
		Help: "your to-do list, with buttons; /todo TEXT adds, /todo done 7 ticks, /todo due 7 friday, /todo delete 7"},
		Group: feature.HelpGroupReminders, Run: t.command, Private: feature.AlwaysPrivateAnswer, Prefix: pressPrefix,
		Press: t.press, Keeps: func(press string) bool { return !strings.HasPrefix(press, pressPage) }}}
}

// idPattern matches the id of an item.
var idPattern = regexp.MustCompile(`^#?(\d{1,15}|h[0-9a-f]{6}(-\d+)?)$`)

// command runs /todo.
func (t *Todos) command(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	first, rest, _ := strings.Cut(strings.TrimSpace(r.Arguments), " ")
	ids := strings.FieldsFunc(rest, func(c rune) bool { return c == ' ' || c == ',' })
	switch word := strings.ToLower(first); {
	case word == "" || word == "list" && rest == "":
		return t.list(ctx, r, protocol.TodoParameters{})
	case word == pressDone && rest == "":
		return t.list(ctx, r, protocol.TodoParameters{Done: true})
	case word == "help" && rest == "":
		return supervisor.Delivery{Text: usage()}, nil
	case rest == "" && idPattern.MatchString(word):
		return t.show(ctx, r, word)
	case onlyTags(r.Arguments):
		return t.list(ctx, r, protocol.TodoParameters{Words: strings.ReplaceAll(r.Arguments, "+", "")})
	case word == "due" && len(ids) > 1 && idPattern.MatchString(ids[0]):
		return t.setDue(ctx, r, ids[0], strings.TrimSpace(rest[strings.Index(rest, ids[0])+len(ids[0]):]))
	case changesItems[word] && areIDs(ids):
		return t.changeAll(ctx, r, word, ids)
	}
	return t.add(ctx, r)
}

// changesItems are the commands that take ids. Before other words they begin a new to-do, such as
// "delete old photos".
var changesItems = map[string]bool{pressDone: true, pressTomorrow: true, pressDelete: true}

// maxIDs is the most ids in one command.
const maxIDs = 20

func areIDs(words []string) bool {
	for _, word := range words {
		if !idPattern.MatchString(strings.ToLower(word)) {
			return false
		}
	}
	return len(words) > 0 && len(words) <= maxIDs
}

func onlyTags(text string) bool {
	for _, word := range strings.Fields(text) {
		if !strings.HasPrefix(word, "+") {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}

// press runs the action of a button.
func (t *Todos) press(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	words := strings.Fields(r.Arguments)
	if len(words) == 2 && words[0] == pressPage {
		offset, err := strconv.Atoi(words[1])
		if err == nil && offset >= 0 {
			return t.list(ctx, r, protocol.TodoParameters{Offset: offset})
		}
	}
	if len(words) != 3 || !changesItems[words[0]] {
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	}
	text, err := t.change(ctx, r, words[0], words[1], words[2], 0)
	return supervisor.Delivery{Text: text}, err
}

func (t *Todos) from(r feature.CommandRequest, position int) origin {
	return origin{user: r.Conversation.User, inbound: r.Inbound, position: position, at: r.At}
}

func (t *Todos) now(user string) time.Time { return t.o.Now().In(t.o.Zone(user)) }

// add adds each line of a command's arguments to the list.
func (t *Todos) add(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	now := r.At.In(t.o.Zone(r.Conversation.User))
	var texts []string
	for line := range strings.Lines(r.Arguments) {
		text, err := withDates(listMark.ReplaceAllString(line, ""), now, r.User.Language)
		if err != nil {
			return d, err
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) > maxIDs {
		return d, supervisor.Errorf(supervisor.CodeInvalid, textTooMany, maxIDs)
	}
	var lines []string
	for n, text := range texts {
		result, err := t.RunAction(ctx, t.from(r, n),
			protocol.TodoParameters{Action: protocol.TodoActionAdd, Text: text})
		if err != nil || len(result.Items) == 0 {
			return supervisor.Delivery{Text: usage()}, err
		}
		format := textAdded
		if !result.Changed {
			format = textThere
		}
		lines = append(lines, fmt.Sprintf(format, t.line(r.Conversation.User, result.Items[0])))
		if len(texts) == 1 {
			d.Buttons = [][]supervisor.Button{buttons(result.Items[0], "")}
		}
	}
	d.Text = cmp.Or(strings.Join(lines, "\n"), usage())
	return d, nil
}

// listMark matches the mark before a line of a pasted list.
var listMark = regexp.MustCompile(`^\s*[-*+•] +(\[ ?\] *)?`)

// changeAll runs an action for each id.
func (t *Todos) changeAll(ctx context.Context, r feature.CommandRequest, action string, ids []string) (
	d supervisor.Delivery, err error) {
	var lines []string
	for n, id := range ids {
		line, err := t.change(ctx, r, action, strings.TrimPrefix(strings.ToLower(id), "#"), "", n)
		if err != nil {
			return d, err
		}
		lines = append(lines, line)
	}
	return supervisor.Delivery{Text: strings.Join(lines, "\n")}, nil
}

// change runs an action for one item, and returns the sentence about it. The argument created is ""
// if the user wrote the id.
func (t *Todos) change(ctx context.Context, r feature.CommandRequest, action, id, created string, position int) (
	string, error) {
	p := protocol.TodoParameters{Action: protocol.TodoActionDone, ID: id, Created: created}
	switch action {
	case pressDelete:
		p.Action = protocol.TodoActionDelete
	case pressTomorrow:
		p.Action = protocol.TodoActionDue
		p.Due = r.At.In(t.o.Zone(r.Conversation.User)).AddDate(0, 0, 1).Format(time.DateOnly)
	}
	result, err := t.RunAction(ctx, t.from(r, position), p)
	if err != nil {
		return "", err
	}
	if len(result.Items) == 0 {
		if created != "" {
			return textGone, nil
		}
		return fmt.Sprintf(textNoItem, markdown.EscapeName(id)), nil
	}
	item := result.Items[0]
	text := map[protocol.TodoAction]string{protocol.TodoActionDone: textDone, protocol.TodoActionDelete: textDeleted,
		protocol.TodoActionDue: textDue}[p.Action]
	if p.Action == protocol.TodoActionDue {
		return fmt.Sprintf(text, title(item), describeDue(item.Due, t.now(r.Conversation.User))), nil
	}
	return fmt.Sprintf(text, title(item)), nil
}

// setDue runs `/todo due ID WHEN`.
func (t *Todos) setDue(ctx context.Context, r feature.CommandRequest, id, when string) (
	d supervisor.Delivery, err error) {
	due, err := readDue(when, r.At.In(t.o.Zone(r.Conversation.User)), r.User.Language)
	if err != nil {
		return d, err
	}
	id = strings.TrimPrefix(strings.ToLower(id), "#")
	result, err := t.RunAction(ctx, t.from(r, 0),
		protocol.TodoParameters{Action: protocol.TodoActionDue, ID: id, Due: due})
	switch {
	case err != nil:
		return d, err
	case len(result.Items) == 0:
		d.Text = fmt.Sprintf(textNoItem, markdown.EscapeName(id))
	case due == "":
		d.Text = fmt.Sprintf(textNotDue, title(result.Items[0]))
	default:
		d.Text = fmt.Sprintf(textDue, title(result.Items[0]), describeDue(due, t.now(r.Conversation.User)))
	}
	return d, nil
}

// show shows one item with its buttons.
func (t *Todos) show(ctx context.Context, r feature.CommandRequest, id string) (d supervisor.Delivery, err error) {
	id = strings.TrimPrefix(id, "#")
	result, err := t.RunAction(ctx, t.from(r, 0), protocol.TodoParameters{Action: protocol.TodoActionShow, ID: id})
	if err != nil || len(result.Items) == 0 {
		return supervisor.Delivery{Text: fmt.Sprintf(textNoItem, markdown.EscapeName(id))}, err
	}
	item := result.Items[0]
	d.Text = t.line(r.Conversation.User, item)
	for line := range strings.SplitSeq(item.Description, "\n") {
		if strings.TrimSpace(line) != "" {
			d.Text += "\n" + markdown.EscapeName(line)
		}
	}
	d.Text += fmt.Sprintf(textPlace, item.Line)
	d.Buttons = [][]supervisor.Button{buttons(item, "")}
	return d, nil
}

// list lists a page of items, with a row of buttons for each.
func (t *Todos) list(ctx context.Context, r feature.CommandRequest, p protocol.TodoParameters) (d supervisor.Delivery,
	err error) {
	p.Action = protocol.TodoActionList
	result, err := t.RunAction(ctx, t.from(r, 0), p)
	if err != nil {
		return d, err
	}
	switch {
	case len(result.Items) == 0 && p.Words != "":
		return supervisor.Delivery{Text: textNoneFits}, nil
	case len(result.Items) == 0 && p.Done:
		return supervisor.Delivery{Text: textNoneDone}, nil
	case len(result.Items) == 0 && result.Done > 0:
		return supervisor.Delivery{Text: fmt.Sprintf(textAllDone, result.Done)}, nil
	case len(result.Items) == 0:
		return supervisor.Delivery{Text: textEmpty}, nil
	}
	d.Text = fmt.Sprintf(cmp.Or(map[bool]string{true: textListDone}[p.Done], textList),
		amount.Plural(result.Total, "to-do", "to-dos"))
	for _, item := range result.Items {
		d.Text += "\n" + t.line(r.Conversation.User, item)
		if !p.Done {
			d.Buttons = append(d.Buttons, buttons(item, " "+item.ID))
		}
	}
	next := p.Offset + len(result.Items)
	if more := result.Total - next; more > 0 && p == (protocol.TodoParameters{Action: p.Action, Offset: p.Offset}) {
		d.Buttons = append(d.Buttons, []supervisor.Button{{Text: fmt.Sprintf(textMoreButton, more),
			Press: fmt.Sprint(pressPrefix, pressPage, " ", next)}})
	} else if more > 0 {
		d.Text += fmt.Sprintf(textMore, more)
	}
	return d, nil
}

// usage returns the answer of /todo help.
func usage() string { return strings.Join(usageLines, "\n") }

// buttons returns the buttons of an item. suffix is the end of their texts.
func buttons(i protocol.TodoItem, suffix string) (row []supervisor.Button) {
	for _, b := range []struct{ text, action string }{{textDoneButton, pressDone}, {textTomorrowButton, pressTomorrow},
		{textDeleteButton, pressDelete}} {
		row = append(row, supervisor.Button{Text: b.text + suffix,
			Press: pressPrefix + b.action + " " + i.ID + " " + i.Created})
	}
	return row
}

// ReminderButtons returns the buttons below a reminder of an item. id and created are those of its
// TodoItem. position is the item's position in a list of reminders; 0 means that there is no list.
func ReminderButtons(id, created string, position int) (row []supervisor.Button) {
	suffix := ""
	if position > 0 {
		suffix = fmt.Sprint(" ", position)
	}
	for _, b := range buttons(protocol.TodoItem{ID: id, Created: created}, suffix) {
		if !strings.HasPrefix(b.Press, pressPrefix+pressDelete) {
			row = append(row, b)
		}
	}
	return row
}

// title returns an item's title as Markdown.
func title(i protocol.TodoItem) string { return markdown.EscapeName(i.Title) }

// line describes an item in one line of Markdown.
func (t *Todos) line(user string, i protocol.TodoItem) string {
	text := i.ID + " " + boxes[i.Status] + " " + title(i)
	for _, tag := range i.Tags {
		text += " +" + markdown.EscapeSentence(tag)
	}
	if i.Due != "" && i.Status != statusDone {
		text += textLineDue + describeDue(i.Due, t.now(user))
	}
	if effort, known := efforts[i.Effort]; known {
		text += ", " + effort
	}
	return text
}

// statusDone is the TodoItem.Status of an item that is done.
const statusDone = "done"

// boxes shows the state of an item.
var boxes = map[string]string{"todo": "☐", "in_progress": "◐", statusDone: "☑"}

// efforts are the efforts that a line tells.
var efforts = map[string]string{"tiny": "tiny", "small": "small", "large": "large", "epic": "epic"}
