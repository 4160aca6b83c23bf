package services

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

func (s *Services) commands() []feature.Command {
	return []feature.Command{{SlashCommand: supervisor.SlashCommand{Name: "services", Help: textCommandHelp},
		Group: feature.HelpGroupAssistant, Run: feature.TextCommand(s.command), Private: feature.AlwaysPrivateAnswer}}
}

// command lists the user's services.
func (s *Services) command(_ context.Context, r feature.CommandRequest) (string, error) {
	list := s.servicesOf(r.Conversation.User)
	if len(list) == 0 {
		return textCommandNone, nil
	}
	text := TextCommand
	for _, e := range list {
		format, last := textCommandOne, describeMethods(e.methods())
		if e.off != "" {
			format, last = textCommandOff, e.off
		}
		text += "\n" + fmt.Sprintf(format, e.Name, markdown.EscapeSentence(cmp.Or(e.Description, textNoWords)), last)
	}
	return text + textCommandAppend, nil
}

// maxListBytes is the maximum length of the model's list of services. The services beyond it are
// listed by name.
const maxListBytes = 12 << 10

// listForModel lists the user's services for the model, with their notes.
func (s *Services) listForModel(user string) string {
	list := s.servicesOf(user)
	if len(list) == 0 {
		return textNoServices
	}
	text, more := textListed, []string{}
	for _, e := range list {
		if one := e.describe(); len(text)+len(one) <= maxListBytes {
			text += one
		} else {
			more = append(more, e.Name)
		}
	}
	if len(more) > 0 {
		text += fmt.Sprintf(textListedMany, strings.Join(more, ", "))
	}
	return text
}

// describe describes the service for the model.
func (e *entry) describe() string {
	if e.off != "" {
		return fmt.Sprintf(textListedOff, e.Name, e.off)
	}
	path := textTakesNone
	if e.AllowPathSuffix {
		path = textTakesPath
	}
	methods := describeMethods(e.methods())
	if len(e.Reads) > 0 {
		methods += ", " + strings.Join(e.Reads, " (read), ") + " (read)"
	}
	text := fmt.Sprintf(textListedOne, e.Name, cmp.Or(e.Description, textNoWords), methods, path)
	if e.Notes != "" {
		text += fmt.Sprintf(textNotes, e.Notes)
	}
	return text
}
