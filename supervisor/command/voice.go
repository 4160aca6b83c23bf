package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
)

// Voices say answers aloud. Errors are for the person.
type Voices interface {
	Mode(ctx context.Context, c supervisor.Conversation) (supervisor.VoiceMode, error)
	SetMode(ctx context.Context, c supervisor.Conversation, mode supervisor.VoiceMode) error
	// Chosen lists the names of the voices that there are, and which of them is a person's.
	Chosen(ctx context.Context, user string) (names []string, chosen string, err error)
	Choose(ctx context.Context, user, name string) error
	// Samples are a recording of each voice, in the order of Chosen.
	Samples(ctx context.Context, c supervisor.Conversation) ([]supervisor.File, error)
}

const (
	voicePrefix  = "v:"
	voicesPrefix = "vn:"
)

var voiceRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "voice",
		Help: "have answers in this chat spoken: /voice on after the text, /voice only instead of it, /voice off not at all"},
		place: 84, run: voice, prefix: voicePrefix},
	{SlashCommand: supervisor.SlashCommand{Name: "voices",
		Help: "which voices there are, with a sample of each; /voices NAME chooses one"},
		place: 86, run: voices, prefix: voicesPrefix},
}

// voiceModes are the modes that a person can choose, and what each of them does.
var voiceModes = []struct {
	mode supervisor.VoiceMode
	text string
}{{supervisor.VoiceOff, textVoiceOff}, {supervisor.VoiceOn, textVoiceOn}, {supervisor.VoiceOnly, textVoiceOnly}}

// voice shows whether answers are spoken here, or sets that.
func voice(ctx context.Context, c *Commands, r feature.Request) (d supervisor.Delivery, err error) {
	chosen := supervisor.VoiceMode(strings.ToLower(strings.TrimSpace(r.Arguments)))
	if chosen == "" {
		return shownVoice(ctx, c, r)
	}
	for _, m := range voiceModes {
		if m.mode != chosen {
			continue
		}
		if err := c.o.Voices.SetMode(ctx, r.Conversation, chosen); err != nil {
			return d, err
		}
		return supervisor.Delivery{Text: m.text}, nil
	}
	return d, supervisor.Errorf(supervisor.CodeInvalid, textVoiceUsage)
}

// shownVoice says how answers come here, with a button for each other way.
func shownVoice(ctx context.Context, c *Commands, r feature.Request) (d supervisor.Delivery, err error) {
	mode, err := c.o.Voices.Mode(ctx, r.Conversation)
	if err != nil {
		return d, fmt.Errorf("find whether answers are spoken: %w", err)
	}
	if mode == supervisor.VoiceForbidden {
		d.Text = textVoiceForbidden
	}
	var row []supervisor.Button
	for _, m := range voiceModes {
		label := string(m.mode)
		if m.mode == mode {
			d.Text, label = m.text, "✓ "+label
		}
		row = append(row, supervisor.Button{Text: label, Press: voicePrefix + string(m.mode)})
	}
	if r.Conversation.Channel.Can().Voice {
		d.Buttons = [][]supervisor.Button{row}
	} else {
		d.Text += textNoVoiceHere
	}
	return d, nil
}

// buttonsInRow is how many voices have their buttons in one row.
const buttonsInRow = 3

// voices lists the voices with a sample of each, or chooses one.
func voices(ctx context.Context, c *Commands, r feature.Request) (d supervisor.Delivery, err error) {
	if name := strings.ToLower(strings.TrimSpace(r.Arguments)); name != "" {
		if err := c.o.Voices.Choose(ctx, r.Conversation.User, name); err != nil {
			return d, err
		}
		return supervisor.Delivery{Text: fmt.Sprintf(textVoiceChosen, name)}, nil
	}
	names, chosen, err := c.o.Voices.Chosen(ctx, r.Conversation.User)
	if err != nil {
		return d, err
	}
	d.Text = textVoices
	var buttons []supervisor.Button
	for _, name := range names {
		mark := ""
		if name == chosen {
			mark = textVoiceYours
		}
		d.Text += fmt.Sprintf("\n- %s%s", name, mark)
		buttons = append(buttons, supervisor.Button{Text: name, Press: voicesPrefix + name})
	}
	d.Buttons = slices.Collect(slices.Chunk(buttons, buttonsInRow))
	if r.Conversation.Channel.Can().Voice {
		d.Files, err = c.o.Voices.Samples(ctx, r.Conversation)
	}
	return d, err
}
