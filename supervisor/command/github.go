package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/markdown"
)

// Repositories are what is done for people about repositories on GitHub. Errors of Set are for the
// person.
type Repositories interface {
	// List is what a person may see of them.
	List(ctx context.Context, user string) ([]supervisor.GitHubSwitch, error)
	// Set turns something on or off for a person, or for all: to on, off or default.
	Set(ctx context.Context, user string, to supervisor.GitHubSwitch, value string, all bool) error
	// Ways says by which way it is known what happens there.
	Ways() string
}

var githubRows = []row{
	{SlashCommand: supervisor.SlashCommand{Name: "github",
		Help: "what is done about repositories on GitHub; /github REPO reviews off sets it, for notices, reviews and triage"},
		place: 97, run: textAnswer(github), private: feature.WithoutArguments, mayAsk: true},
	{SlashCommand: supervisor.SlashCommand{Name: "webhooks",
		Help: "how it is known what happens on GitHub, and what you are told of it; /webhooks REPO off sets that"},
		place: 98, run: textAnswer(webhooks), private: feature.WithoutArguments, mayAsk: true},
}

// github shows what is done about repositories, or sets some of it.
func github(ctx context.Context, c *Commands, r feature.Request) (string, error) {
	words := strings.Fields(r.Arguments)
	if len(words) == 0 {
		return c.shownRepositories(ctx, r, nil)
	}
	all := len(words) == 4 && strings.EqualFold(words[3], "all")
	if len(words) != 3 && !all {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textGitHubUsage)
	}
	return c.setRepository(ctx, r, supervisor.GitHubSwitch{Repo: words[0], What: supervisor.GitHubService(strings.ToLower(words[1]))}, words[2], all)
}

// webhooks shows how notices come and which, or sets them.
func webhooks(ctx context.Context, c *Commands, r feature.Request) (string, error) {
	words := strings.Fields(r.Arguments)
	if len(words) == 0 {
		text, err := c.shownRepositories(ctx, r, []supervisor.GitHubService{supervisor.GitHubNotices})
		return strings.TrimSpace(c.o.GitHub.Ways() + "\n\n" + text), err
	}
	if len(words) != 2 {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textWebhooksUsage)
	}
	return c.setRepository(ctx, r, supervisor.GitHubSwitch{Repo: words[0], What: supervisor.GitHubNotices}, words[1], false)
}

// gitHubSources are who decides, as people read it.
var gitHubSources = map[supervisor.GitHubSource]string{
	supervisor.GitHubConfigured: string(SourceConfig), supervisor.GitHubAdmin: textSourceAdmin, supervisor.GitHubOwn: string(SourceOwn),
}

// switchValues are what a switch can be set to. What there is beside on and off takes it back.
var switchValues = []string{"on", "off", resetWord}

// switchWord is a switch's value for people.
func switchWord(s supervisor.GitHubSwitch) string {
	if s.On {
		return switchValues[0]
	}
	return switchValues[1]
}

// shownRepositories lists the switches of some sorts, nil of all, with who has set them.
func (c *Commands) shownRepositories(ctx context.Context, r feature.Request, only []supervisor.GitHubService) (
	string, error) {
	list, err := c.o.GitHub.List(ctx, r.Conversation.User)
	if err != nil {
		return "", fmt.Errorf("list what is done about repositories: %w", err)
	}
	text, repo := "", ""
	for _, s := range list {
		if only != nil && !slices.Contains(only, s.What) {
			continue
		}
		if s.Repo != repo {
			repo = s.Repo
			text += fmt.Sprintf(textRepository, markdown.QuoteName(repo))
		}
		text += fmt.Sprintf(textSwitch, s.What, switchWord(s), gitHubSources[s.Source])
	}
	if text == "" {
		return textNoRepositories, nil
	}
	return textRepositories + text + fmt.Sprintf(textRepositoriesEnd, list[0].Repo), nil
}

// setRepository sets one switch once that is approved, and says how it stands.
func (c *Commands) setRepository(ctx context.Context, r feature.Request, to supervisor.GitHubSwitch, value string,
	all bool) (string, error) {
	value = strings.ToLower(value)
	whats := []supervisor.GitHubService{supervisor.GitHubNotices, supervisor.GitHubReviews, supervisor.GitHubTriage}
	user := r.Conversation.User
	switch {
	case !slices.Contains(whats, to.What) || !slices.Contains(switchValues, value):
		return "", supervisor.Errorf(supervisor.CodeInvalid, textGitHubUsage)
	case all && !c.isAdmin(user):
		return "", supervisor.Errorf(supervisor.CodeForbidden, textAllUsageAdmin)
	}
	question := fmt.Sprintf(textSwitchQuestion, to.What, markdown.QuoteName(to.Repo), value)
	if err := c.allow(ctx, r, approval.EffectSettings, question, to.Repo, string(to.What), value, fmt.Sprint(all)); err != nil {
		return "", err
	}
	if err := c.o.GitHub.Set(ctx, user, to, value, all); err != nil {
		return "", err
	}
	if all {
		c.o.Audit(user, "github.set", fmt.Sprintf("%s of %s: %s", to.What, to.Repo, value))
	}
	list, err := c.o.GitHub.List(ctx, user)
	for _, s := range list {
		if s.What == to.What && strings.EqualFold(s.Repo, to.Repo) {
			to = s
		}
	}
	return fmt.Sprintf(textSwitchSet, to.What, markdown.QuoteName(to.Repo), switchWord(to), gitHubSources[to.Source]),
		err
}
