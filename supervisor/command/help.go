package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/config/spelling"
	"mews/supervisor"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// ManualPage is a page of the manual, for /help.
type ManualPage struct {
	Name      string // the topic that users type after /help
	First     string // beginning of Text in Markdown, as much as fits on a screen
	Text      string
	ForAdmins bool
}

var helpRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "help", OpenWhileLocked: true,
		Help: "this list; /help WORD explains a command or a topic"},
		group: feature.HelpGroupEveryday, run: help},
}

// help lists the commands, or explains a word such as a command's name.
func help(_ context.Context, c *Commands, r feature.CommandRequest) (supervisor.Delivery, error) {
	user := r.Conversation.User
	if strings.TrimSpace(r.Arguments) == "" {
		return supervisor.Delivery{Text: c.overview(c.isAdmin(user))}, nil
	}
	return c.explain(r, c.isAdmin(user))
}

// overview lists the everyday commands, the names of all other commands, and the manual's pages.
func (c *Commands) overview(admin bool) string {
	var b strings.Builder
	b.WriteString(textHelp + c.linesOf(feature.HelpGroupEveryday, admin) + textHelpGroups)
	for _, group := range feature.HelpGroups()[1:] {
		if names := c.namesOf(group, admin); names != nil {
			fmt.Fprintf(&b, textHelpGroup, group, "/"+strings.Join(names, ", /"))
		}
	}
	if topics := c.topics(false); topics != nil {
		fmt.Fprintf(&b, textHelpGuide, strings.Join(topics, ", "))
	}
	if topics := c.topics(true); admin && topics != nil {
		fmt.Fprintf(&b, textHelpAdmin, strings.Join(topics, ", "))
	}
	return b.String() + textHelpEnd
}

// explain explains a word: the command, the group of commands and the manual's page with that name.
func (c *Commands) explain(r feature.CommandRequest, admin bool) (d supervisor.Delivery, err error) {
	asked := strings.ToLower(strings.TrimPrefix(strings.TrimSpace(r.Arguments), "/"))
	known := c.words(admin)
	word := spelling.CompleteName(asked, known)
	if word == "" {
		text := fmt.Sprintf(textNoTopic, markdown.EscapeName(asked))
		if near := spelling.NearNames(asked, known); near != nil {
			text = fmt.Sprintf(textTopicMeant, markdown.EscapeName(asked), strings.Join(near, " or "))
		}
		return d, &supervisor.Error{Code: supervisor.CodeNotFound, Message: text}
	}
	var parts []string
	group := feature.HelpGroup(word)
	if row, known := c.find(word); known && c.maySee(row, admin) && row.Group != group {
		parts = append(parts, fmt.Sprintf(textHelpLine, row.Name, helpText(row)))
	}
	if lines := c.linesOf(group, admin); lines != "" {
		parts = append(parts, fmt.Sprintf(textGroup, word)+lines)
	}
	for _, p := range c.pages() {
		if p.Name != word || p.ForAdmins && !admin {
			continue
		}
		page, files, err := c.showPage(r.Conversation, p)
		if err != nil {
			return d, err
		}
		parts, d.Files = append(parts, page), append(d.Files, files...)
	}
	d.Text = strings.TrimSpace(strings.Join(parts, "\n"))
	return d, nil
}

// showPage returns the beginning of a page, and the whole page as a file. For a channel without
// files, it returns the whole text.
func (c *Commands) showPage(in supervisor.Conversation, p ManualPage) (text string, files []supervisor.File,
	err error) {
	if !in.Channel.Capabilities().Files || p.First == p.Text {
		return p.Text, nil, nil
	}
	file, err := c.o.Pictures.StoreText(p.Name+".md", p.Text)
	if err != nil {
		return "", nil, fmt.Errorf("keep the page %s: %w", p.Name, err)
	}
	return p.First + textWholePage, []supervisor.File{file}, nil
}

// maySee reports whether a user may see a command in /help.
func (c *Commands) maySee(row feature.Command, admin bool) bool { return admin || !row.AdminsOnly }

// isListed reports whether /help and menus list a command.
func (c *Commands) isListed(row feature.Command, admin bool) bool {
	return c.maySee(row, admin) && !slices.Contains(c.o.Hidden, row.Group)
}

// namesOf returns the names of a group's commands.
func (c *Commands) namesOf(group feature.HelpGroup, admin bool) (names []string) {
	for _, row := range c.table {
		if row.Group == group && c.isListed(row, admin) {
			names = append(names, row.Name)
		}
	}
	return names
}

// linesOf returns a line for each command of a group.
func (c *Commands) linesOf(group feature.HelpGroup, admin bool) string {
	var b strings.Builder
	for _, name := range c.namesOf(group, admin) {
		row, _ := c.find(name)
		fmt.Fprintf(&b, textHelpLine, row.Name, helpText(row))
	}
	return b.String()
}

// pages returns the manual's pages. They are not kept, because /help is rare and the pages are
// long.
func (c *Commands) pages() []ManualPage {
	if c.o.Manual == nil {
		return nil
	}
	return c.o.Manual()
}

// topics returns the names of the manual's pages for users, or of those for admins.
func (c *Commands) topics(forAdmins bool) (names []string) {
	for _, p := range c.pages() {
		if p.ForAdmins == forAdmins {
			names = append(names, p.Name)
		}
	}
	return names
}

// words returns all words that /help explains to a user.
func (c *Commands) words(admin bool) []string {
	all := c.topics(false)
	if admin {
		all = append(all, c.topics(true)...)
	}
	for _, row := range c.table {
		if c.maySee(row, admin) {
			all = append(all, commandNames(row)...)
		}
		if c.isListed(row, admin) {
			all = append(all, string(row.Group))
		}
	}
	return all
}
