package command

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/promptfile"
)

// PromptFiles are the files of people's homes that go into prompts. key names what waits
// (supervisor.PromptFile.Key).
type PromptFiles interface {
	List(ctx context.Context, user string) ([]supervisor.PromptFile, error)
	Accept(ctx context.Context, user, key string) (promptfile.Result, error)
	PutBack(ctx context.Context, user, key string) (promptfile.Result, error)
	// Diff stores the difference between what is in force and what waits as a blob of the person.
	Diff(ctx context.Context, user, key string) (protocol.BlobRef, promptfile.Result, error)
}

var instructionsRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "instructions",
		Help: "which of your files tell me how to be, what is in force of them, and what waits until you accept it"},
		place: 83, run: instructions, private: feature.Always, prefix: supervisor.PromptFilePrefix, press: pressedPromptFile,
		keeps: func(press string) bool { return strings.HasPrefix(press, supervisor.PressDiff) }},
}

// instructions lists what is in force, and what waits.
func instructions(ctx context.Context, c *Commands, r feature.Request) (supervisor.Delivery, error) {
	list, err := c.o.PromptFiles.List(ctx, r.Conversation.User)
	if err != nil {
		return supervisor.Delivery{}, fmt.Errorf("list what is in force: %w", err)
	}
	zone := c.zone(r.Conversation.User)
	text := ""
	for _, f := range list {
		if len(f.Text) > 0 {
			source := textOwn
			if f.Accepted {
				source = textAccepted
			}
			text += fmt.Sprintf(textInForce, f.Path, fmt.Sprintf(source, f.Since.In(zone).Format(dayFormat)), amount.Bytes(int64(len(f.Text))))
		}
		if p := f.Pending; p.Why != "" {
			text += fmt.Sprintf(textWaits, f.Path, p.Since.In(zone).Format(dayFormat), amount.Bytes(int64(len(p.Text))))
		}
	}
	if text == "" {
		text = textNoInstructions
	}
	d := waitingFiles(list)
	d.Text = strings.TrimSpace(text + "\n" + d.Text)
	return d, nil
}

// dayFormat is the layout of days in this list.
const dayFormat = "2 January 2006"

// waitingFiles tells which files of a list wait, with their buttons.
func waitingFiles(list []supervisor.PromptFile) (d supervisor.Delivery) {
	var waiting []supervisor.PromptFile
	for _, f := range list {
		if f.Pending.Why != "" {
			waiting = append(waiting, f)
		}
	}
	if len(waiting) > 0 {
		d = supervisor.Delivery{Text: supervisor.PromptFileCard(waiting), Buttons: supervisor.PromptFileButtons(waiting)}
	}
	return d
}

// pressedPromptFile does what a button below a waiting file says.
func pressedPromptFile(ctx context.Context, c *Commands, r feature.Request) (d supervisor.Delivery, err error) {
	action, key, _ := strings.Cut(r.Arguments, " ")
	press := map[string]func(*Commands, context.Context, string, string) (supervisor.Delivery, promptfile.Result, error){
		supervisor.PressDiff: (*Commands).diffPromptFile, supervisor.PressAccept: (*Commands).acceptPromptFile, supervisor.PressPutBack: (*Commands).putBackPromptFile,
	}[action]
	if press == nil {
		return supervisor.Delivery{Text: feature.TextDeadButton}, nil
	}
	d, result, err := press(c, ctx, r.Conversation.User, key)
	if err != nil {
		return d, err
	}
	if text, other := outcomeTexts[result.Outcome]; other {
		d = supervisor.Delivery{Text: fmt.Sprintf(text, result.Path)}
	}
	if action == supervisor.PressDiff && result.Outcome == promptfile.Done {
		return d, nil
	}
	list, err := c.o.PromptFiles.List(ctx, r.Conversation.User)
	rest := waitingFiles(list)
	if result.Outcome != promptfile.Unseen && len(rest.Buttons) > 0 {
		d.Text, d.Buttons = d.Text+"\n\n"+rest.Text, append(d.Buttons, rest.Buttons...)
	}
	return d, err
}

func (c *Commands) acceptPromptFile(ctx context.Context, user, key string) (d supervisor.Delivery, result promptfile.Result, err error) {
	result, err = c.o.PromptFiles.Accept(ctx, user, key)
	d.Text = fmt.Sprintf(textNowInForce, result.Path)
	return d, result, err
}

func (c *Commands) putBackPromptFile(ctx context.Context, user, key string) (d supervisor.Delivery, result promptfile.Result, err error) {
	result, err = c.o.PromptFiles.PutBack(ctx, user, key)
	d.Text = fmt.Sprintf(textPutBack, result.Path)
	if result.Operation != 0 {
		d.Buttons = [][]supervisor.Button{{c.o.UndoButton(result.Pending.Turn, result.Operation)}}
	}
	return d, result, err
}

func (c *Commands) diffPromptFile(ctx context.Context, user, key string) (d supervisor.Delivery, _ promptfile.Result, err error) {
	ref, result, err := c.o.PromptFiles.Diff(ctx, user, key)
	if err == nil && result.Outcome == promptfile.Done {
		d, err = c.o.ShowDiff(ref)
	}
	return d, result, err
}
