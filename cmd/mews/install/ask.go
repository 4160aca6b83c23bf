package install

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mews/config"
)

// Terminal is how the installer asks.
type Terminal struct {
	In  *bufio.Reader
	Out io.Writer
	// Hidden reads a line without showing it.
	Hidden func() (string, error)
	// LocalModels lists the models of an Ollama on this machine.
	LocalModels func(ctx context.Context) []string
}

// line asks a question. An empty answer is the proposal.
func (t Terminal) line(question, proposal string) (string, error) {
	if proposal != "" {
		question += " [" + proposal + "]"
	}
	fmt.Fprint(t.Out, question+": ")
	text, err := t.In.ReadString('\n')
	if err != nil {
		return "", errors.New(textNoInput)
	}
	return cmp.Or(strings.TrimSpace(text), proposal), nil
}

// lineUnless is line without a proposal. It ends when ctx does.
func (t Terminal) lineUnless(ctx context.Context, question string) (text string, err error) {
	done := make(chan struct{})
	go func() { // the program ends soon after ctx does
		defer close(done)
		text, err = t.line(question, "")
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-done:
		return text, err
	}
}

// hidden asks for a secret.
func (t Terminal) hidden(question string) (string, error) {
	fmt.Fprint(t.Out, question)
	text, err := t.Hidden()
	fmt.Fprintln(t.Out)
	if err != nil {
		return "", errors.New(textNoInput)
	}
	return strings.TrimSpace(text), nil
}

// until repeats a question until its answer is taken.
func (t Terminal) until(ask func() error) error {
	for {
		err := ask()
		if err == nil || err.Error() == textNoInput {
			return err
		}
		fmt.Fprintf(t.Out, askAgain, err)
	}
}

// Ask asks for each answer that is missing.
func (in *Installer) Ask(ctx context.Context, t Terminal) error {
	a := &in.record.Answers
	for _, q := range []struct {
		missing bool
		ask     func() error
	}{
		{a.lacksTelegram() || a.Telegram && in.lacksSecret(secretToken), func() error { return in.askToken(ctx, t) }},
		{a.Model == "", func() error { return in.askModel(ctx, t) }},
		{a.Keyed && in.lacksSecret(secretKey), func() error { return in.askKey(ctx, t) }},
		{len(a.People) == 0, func() error { return in.askPeople(t) }},
		{a.Timezone == "", func() error { return in.askZone(t) }},
		{a.Month == nil, func() error { return in.askMonth(t) }},
		{a.Backups == nil && !in.found, func() error { return in.askBackups(t) }},
		{a.Updates == "" && !in.found, func() error { return in.askUpdates(t) }},
	} {
		if !q.missing {
			continue
		}
		in.answered = true
		if err := t.until(q.ask); err != nil {
			return err
		}
	}
	return nil
}

func (in *Installer) askToken(ctx context.Context, t Terminal) error {
	token, err := t.hidden(askToken)
	if err != nil {
		return err
	}
	if token == "" {
		in.record.Answers.Telegram, in.record.Answers.NoTelegram = false, true
		return nil
	}
	if err := in.SetSecret(secretToken, token); err != nil {
		return err
	}
	in.record.Answers.Telegram = true
	return in.probeBot(ctx)
}

func (in *Installer) askModel(ctx context.Context, t Terminal) error {
	a := &in.record.Answers
	question, proposal := askModel+"\n", offlineModel
	if models := t.LocalModels(ctx); len(models) > 0 {
		question += fmt.Sprintf(askOllama, strings.Join(models, ", ")) + "\n"
		proposal = "ollama/" + models[0]
	}
	model, err := t.line(question+askModelEnd, proposal)
	if err != nil {
		return err
	}
	a.Keyed, a.ModelURL = false, ""
	if a.Model = model; model == offlineModel {
		return nil
	}
	provider, _, _ := strings.Cut(model, "/")
	if p := ProviderOf(*a); p.BaseURL == "" && p.Kind == "openai" && provider != "openai" {
		if a.ModelURL, err = t.line(fmt.Sprintf(askURL, provider), ""); err != nil {
			return err
		}
	}
	if err := a.checkModel(); err != nil {
		return err
	}
	if provider == "ollama" {
		return in.tryModel(ctx)
	}
	return in.askKey(ctx, t)
}

// askKey asks for the key of the model's provider.
func (in *Installer) askKey(ctx context.Context, t Terminal) error {
	a := &in.record.Answers
	provider, _, _ := strings.Cut(a.Model, "/")
	_, known := config.KnownProvider(provider)
	question := map[bool]string{true: askKey, false: askKeyNone}[known]
	key, err := t.hidden(fmt.Sprintf(question, provider))
	if err != nil {
		return err
	}
	if a.Keyed = key != ""; a.Keyed {
		if err := in.SetSecret(secretKey, key); err != nil {
			return err
		}
	}
	return in.tryModel(ctx)
}

// tryModel asks the model for one token, before the other questions have answers.
func (in *Installer) tryModel(ctx context.Context) error {
	if err := in.reserve(); err != nil {
		return err
	}
	full := in.record.Answers
	defer func() { in.record.Answers = full }()
	month := 0.0
	in.record.Answers.People, in.record.Answers.Timezone = []Person{{Name: "admin", Admin: true}}, "UTC"
	in.record.Answers.Month, in.record.Answers.Telegram = &month, false
	return in.probeModel(ctx)
}

func (in *Installer) askPeople(t Terminal) error {
	a := &in.record.Answers
	a.People = nil
	for {
		question := askPerson
		if len(a.People) == 0 {
			question = askAdmin
		}
		name, err := t.line(question, "")
		if err != nil {
			return err
		}
		if name == "" && len(a.People) > 0 {
			return nil
		}
		if !config.IsValidUserName(name) {
			fmt.Fprintf(t.Out, askAgain, fmt.Errorf(textBadName, name))
			continue
		}
		p := Person{Name: name, Admin: len(a.People) == 0}
		if p.Account, err = t.line(fmt.Sprintf(askAccount, name, name), accountNone); err != nil {
			return err
		}
		a.People = append(a.People, p)
		if err := errors.Join(a.checkPeopleOnly(), in.checkPeople()); err != nil {
			fmt.Fprintf(t.Out, askAgain, err)
			a.People = a.People[:len(a.People)-1]
		}
	}
}

func (in *Installer) askZone(t Terminal) error {
	question, proposal := askZone, in.facts.Zone
	if isUTC(proposal) {
		question, proposal = askZoneUTC, "UTC"
	}
	zone, err := t.line(question, proposal)
	if err != nil {
		return err
	}
	if err := checkZone(zone); err != nil {
		return err
	}
	in.record.Answers.Timezone = zone
	return nil
}

func (in *Installer) askBackups(t Terminal) error {
	text, err := t.line(askBackups, "yes")
	if err != nil {
		return err
	}
	backups, err := ParseYes(text)
	in.record.Answers.Backups = backups
	return err
}

// askUpdates asks for a feed, because there is none that Mews knows.
func (in *Installer) askUpdates(t Terminal) error {
	feed, err := t.line(askUpdates, noUpdates)
	if err == nil {
		err = checkFeed(feed)
	}
	if err == nil {
		in.record.Answers.Updates = feed
	}
	return err
}

func isUTC(zone string) bool {
	switch zone {
	case "", "UTC", "Etc/UTC", "Etc/UCT", "Universal", "Etc/Universal", "Zulu":
		return true
	}
	return false
}

// proposedMonth is the proposed limit of a month, in US dollars.
const proposedMonth = "20"

func (in *Installer) askMonth(t Terminal) error {
	text, err := t.line(askMonth, proposedMonth)
	if err != nil {
		return err
	}
	month, err := ParseMonth(text)
	if err == nil {
		in.record.Answers.Month = month
	}
	return err
}
