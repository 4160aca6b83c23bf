package instructions

import (
	"context"
	"fmt"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/internal/presses"
	"mews/supervisor/internal/timezone"
)

func (f *PromptFiles) commands() []feature.Command {
	return []feature.Command{{SlashCommand: supervisor.SlashCommand{Name: "instructions",
		Help: "which of your files tell me how to behave, and which changes wait until you accept them"},
		Group: feature.HelpGroupAssistant, Run: f.command, Private: feature.AlwaysPrivateAnswer, Prefix: pressPrefix,
		Press: f.press,
		Keeps: func(press string) bool { return strings.HasPrefix(press, presses.ActionDiff) }}}
}

// command lists the prompt files in force, and the files that wait for a decision.
func (f *PromptFiles) command(ctx context.Context, r feature.CommandRequest) (supervisor.Delivery, error) {
	list, err := f.List(ctx, r.Conversation.User)
	if err != nil {
		return supervisor.Delivery{}, fmt.Errorf("list what is in force: %w", err)
	}
	zone := timezone.ForUser(r.User)
	text := ""
	for _, file := range list {
		if len(file.Text) > 0 {
			source := textOwn
			if file.Accepted {
				source = textAccepted
			}
			text += fmt.Sprintf(textInForce, file.Path, fmt.Sprintf(source, file.Since.In(zone).Format(dayFormat)),
				amount.FormatBytes(int64(len(file.Text))))
		}
		if p := file.Pending; p.Why != "" {
			text += fmt.Sprintf(textWaits, file.Path, p.Since.In(zone).Format(dayFormat),
				amount.FormatBytes(int64(len(p.Text))))
		}
	}
	if text == "" {
		text = textNoInstructions
	}
	d := waitingFiles(list)
	d.Text = strings.TrimSpace(text + "\n" + d.Text)
	return d, nil
}

// dayFormat is the layout of days in the list of files.
const dayFormat = "2 January 2006"

// waitingFiles describes the files of a list that wait for a decision, with their buttons.
func waitingFiles(list []supervisor.PromptFile) (d supervisor.Delivery) {
	var waiting []supervisor.PromptFile
	for _, f := range list {
		if f.Pending.Why != "" {
			waiting = append(waiting, f)
		}
	}
	if len(waiting) > 0 {
		d.Text, d.Buttons = PendingChangesNotice(waiting)
	}
	return d
}

// press runs the action of a button below a waiting file.
func (f *PromptFiles) press(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	action, key, _ := strings.Cut(r.Arguments, " ")
	press := map[string]func(*PromptFiles, context.Context, string, string) (supervisor.Delivery, PressResult, error){
		presses.ActionDiff: (*PromptFiles).pressDiff, pressAccept: (*PromptFiles).pressAccept,
		pressPutBack: (*PromptFiles).pressPutBack,
	}[action]
	if press == nil {
		return supervisor.Delivery{Text: feature.DeadButtonText}, nil
	}
	d, result, err := press(f, ctx, r.Conversation.User, key)
	if err != nil {
		return d, err
	}
	if text, other := outcomeTexts[result.Outcome]; other {
		d = supervisor.Delivery{Text: fmt.Sprintf(text, result.Path)}
	}
	if action == presses.ActionDiff && result.Outcome == OutcomeDone {
		return d, nil
	}
	list, err := f.List(ctx, r.Conversation.User)
	rest := waitingFiles(list)
	if result.Outcome != OutcomeNotYetReported && len(rest.Buttons) > 0 {
		d.Text, d.Buttons = d.Text+"\n\n"+rest.Text, append(d.Buttons, rest.Buttons...)
	}
	return d, err
}

func (f *PromptFiles) pressAccept(ctx context.Context, user, key string) (d supervisor.Delivery, result PressResult,
	err error) {
	result, err = f.AcceptChange(ctx, user, key)
	d.Text = fmt.Sprintf(textNowInForce, result.Path)
	return d, result, err
}

func (f *PromptFiles) pressPutBack(ctx context.Context, user, key string) (d supervisor.Delivery, result PressResult,
	err error) {
	result, err = f.RestoreFile(ctx, user, key)
	d.Text = fmt.Sprintf(textPutBack, result.Path)
	if result.Operation != 0 && result.Pending.Turn != 0 { // a check has no turn whose changes could be undone
		d.Buttons = [][]supervisor.Button{{f.UndoButton(result.Pending.Turn, result.Operation)}}
	}
	return d, result, err
}

func (f *PromptFiles) pressDiff(ctx context.Context, user, key string) (d supervisor.Delivery, _ PressResult,
	err error) {
	ref, result, err := f.StoreDiff(ctx, user, key)
	if err == nil && result.Outcome == OutcomeDone {
		d, err = f.ShowDiff(ref)
	}
	return d, result, err
}
