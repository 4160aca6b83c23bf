package voice

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
)

const (
	voicePrefix  = "v:"
	voicesPrefix = "vn:"
)

// Feature returns the commands /voice and /voices, and the part that speaks.
func (v *AnswerSpeaker) Feature() feature.Feature {
	parts := []feature.Part{{Name: "voices", Run: v.Run, Early: true}}
	return feature.Feature{Name: "voice", Parts: parts, Commands: []feature.Command{
		{
			SlashCommand: supervisor.SlashCommand{Name: "voice", Help: textVoiceHelp},
			Group:        feature.HelpGroupVoice, Run: v.runVoice, Prefix: voicePrefix,
		},
		{
			SlashCommand: supervisor.SlashCommand{Name: "voices", Help: textVoicesHelp},
			Group:        feature.HelpGroupVoice, Run: v.runVoices, Prefix: voicesPrefix,
		},
	}}
}

// voiceModes are the modes to choose from, with their texts.
var voiceModes = []struct {
	mode supervisor.VoiceMode
	text string
}{{supervisor.VoiceOff, textVoiceOff}, {supervisor.VoiceOn, textVoiceOn}, {supervisor.VoiceOnly, textVoiceOnly}}

// runVoice shows the mode of a conversation, or sets it.
func (v *AnswerSpeaker) runVoice(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	chosen := supervisor.VoiceMode(strings.ToLower(strings.TrimSpace(r.Arguments)))
	if chosen == "" {
		return v.showMode(ctx, r)
	}
	for _, m := range voiceModes {
		if m.mode != chosen {
			continue
		}
		if err := v.SetMode(ctx, r.Conversation, chosen); err != nil {
			return d, err
		}
		return supervisor.Delivery{Text: m.text}, nil
	}
	return d, supervisor.Errorf(supervisor.CodeInvalid, textVoiceUsage)
}

// showMode shows the mode of a conversation, with a button for each mode.
func (v *AnswerSpeaker) showMode(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	mode, err := v.ConversationMode(ctx, r.Conversation)
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
	if r.Conversation.Channel.Capabilities().Voice {
		d.Buttons = [][]supervisor.Button{row}
	} else {
		d.Text += textNotHere
	}
	return d, nil
}

// buttonsInRow is how many voices share a row of buttons.
const buttonsInRow = 3

// runVoices lists the voices with samples, or chooses a voice.
func (v *AnswerSpeaker) runVoices(ctx context.Context, r feature.CommandRequest) (d supervisor.Delivery, err error) {
	if name := strings.ToLower(strings.TrimSpace(r.Arguments)); name != "" {
		if err := v.ChooseVoice(ctx, r.Conversation.User, name); err != nil {
			return d, err
		}
		return supervisor.Delivery{Text: fmt.Sprintf(textVoiceChosen, name)}, nil
	}
	names, chosen, err := v.ChosenVoice(ctx, r.Conversation.User)
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
	if r.Conversation.Channel.Capabilities().Voice {
		d.Files, err = v.RecordSamples(ctx, r.Conversation)
	}
	return d, err
}
