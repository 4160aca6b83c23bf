package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mews/cmd/mews/chat"
	"mews/cmd/mews/manual"
	"mews/supervisor/command"
)

// helpVerb runs `mews help`. Without an argument it lists the verbs and the pages of the manual.
// With an argument it shows a verb's usage or a page.
func helpVerb(ctx context.Context, con console, args []string) error {
	words, err := parseNames(flags(con, "help"), args, 0, 2)
	if err != nil {
		return err
	}
	if len(words) == 0 {
		usage(con.out)
		listPages(con.out)
		return nil
	}
	topic := strings.Join(words, " ")
	_, isVerb := helps[topic]
	page, isPage := manual.FindPage(topic)
	if isVerb {
		if err := showUsage(ctx, con, words); err != nil {
			return err
		}
	}
	switch {
	case isPage && (page.Name == topic || !isVerb):
		return showPage(con.out, page, isVerb)
	case isVerb:
		return nil
	}
	return unknownTopic(con, topic)
}

// listPages lists the pages of the manual.
func listPages(w io.Writer) {
	for _, forAdmins := range []bool{false, true} {
		heading := map[bool]string{false: textTopics, true: textAdminTopics}[forAdmins]
		for _, p := range manual.Pages() {
			if p.ForAdmins == forAdmins {
				fmt.Fprintf(w, "%s  %-14s %s\n", heading, p.Name, p.Summary)
				heading = ""
			}
		}
	}
}

// showUsage shows the usage of a verb, as `mews VERB --help` does.
func showUsage(ctx context.Context, con console, words []string) error {
	i := slices.IndexFunc(verbs(), func(v verb) bool { return v.name == words[0] })
	err := verbs()[i].run(ctx, con, append(slices.Clone(words[1:]), "--help"))
	if wanted := new(helpRequestError); errors.As(err, &wanted) {
		printUsage(con.out, wanted.set)
		return nil
	}
	return err
}

// showPage shows a page of the manual. below is true if the verb's usage is printed above the page.
func showPage(w io.Writer, page manual.Page, below bool) error {
	if below {
		fmt.Fprintln(w)
	}
	return chat.ShowMarkdown(w, page.ReplaceLinks("mews help").Text)
}

// unknownTopic reports that a topic is unknown, and names similar topics.
func unknownTopic(con console, topic string) error {
	fmt.Fprintf(con.err, textNoTopic, topic)
	suggest(con.err, "mews help ", topic, append(manual.PageNames(), verbNames()...))
	fmt.Fprint(con.err, textListTopics)
	return errMisuse
}

// chatPages returns the manual's pages for /help in the chat.
func chatPages() (pages []command.ManualPage) {
	for _, p := range manual.Pages() {
		p = p.ReplaceLinks("/help")
		pages = append(pages, command.ManualPage{Name: p.Name, First: p.FirstScreenText(), Text: p.Text,
			ForAdmins: p.ForAdmins})
	}
	return pages
}
