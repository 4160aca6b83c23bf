package github

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/github/review"
	"mews/supervisor/markdown"
)

func (g *GitHub) commands() []feature.Command {
	return []feature.Command{
		{SlashCommand: supervisor.SlashCommand{Name: "review",
			Help: "review a pull request on GitHub: /review URL, and what you want to know"},
			Group: feature.HelpGroupGitHub, Run: feature.TextCommand(g.askReview), Prefix: review.PressPrefix,
			Keeps: feature.AlwaysPrivateAnswer, Press: feature.TextCommand(g.pressReview)},
		{SlashCommand: supervisor.SlashCommand{Name: "triage", Help: "sort an issue on GitHub: /triage URL"},
			Group: feature.HelpGroupGitHub, Run: feature.TextCommand(g.askTriage)},
		{SlashCommand: supervisor.SlashCommand{Name: "github",
			Help: "what I do for repositories on GitHub; /github REPO reviews off turns reviews off, " +
				"and notices or triage in the same way"},
			Group: feature.HelpGroupGitHub, Run: feature.TextCommand(g.showOrSet),
			Private: feature.PrivateAnswerWithoutArguments,
			MayAsk:  true},
		{SlashCommand: supervisor.SlashCommand{Name: "webhooks",
			Help: "how news from GitHub arrive, and which you are told; /webhooks REPO off mutes a repository"},
			Group: feature.HelpGroupGitHub, Run: feature.TextCommand(g.showOrSetNotices),
			Private: feature.PrivateAnswerWithoutArguments,
			MayAsk:  true},
	}
}

func (g *GitHub) askReview(ctx context.Context, r feature.CommandRequest) (string, error) {
	return g.requestReview(ctx, r.User, r.Arguments, r.At)
}

// auditRequested is the audit's action for a request of a review or a triage.
const auditRequested = "github.requested"

// requestReview requests a review and writes that to the audit log.
func (g *GitHub) requestReview(ctx context.Context, by supervisor.User, arguments string, at time.Time) (string,
	error) {
	text, err := g.reviews.RequestByAddress(ctx, by, arguments, at)
	if err == nil {
		g.o.Audit(by.Name, auditRequested, "review of "+strings.Fields(arguments)[0])
	}
	return text, err
}

func (g *GitHub) pressReview(ctx context.Context, r feature.CommandRequest) (string, error) {
	return g.reviews.HandlePress(ctx, r.Conversation.User, r.Arguments)
}

func (g *GitHub) askTriage(ctx context.Context, r feature.CommandRequest) (string, error) {
	issue := strings.TrimSpace(r.Arguments)
	text, err := g.triages.RequestByAddress(ctx, r.User, issue, r.At)
	if err == nil {
		g.o.Audit(r.User.Name, auditRequested, "triage of "+issue)
	}
	return text, err
}

// showOrSet lists the services of repositories, or turns one on or off.
func (g *GitHub) showOrSet(ctx context.Context, r feature.CommandRequest) (string, error) {
	words := strings.Fields(r.Arguments)
	if len(words) == 0 {
		return g.shownRepositories(ctx, r, nil)
	}
	all := len(words) == 4 && strings.EqualFold(words[3], "all")
	if len(words) != 3 && !all {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textGitHubUsage)
	}
	to := ServiceSwitch{Repo: words[0], What: RepoService(strings.ToLower(words[1]))}
	return g.setRepository(ctx, r, to, words[2], all)
}

// showOrSetNotices returns how events arrive and lists the notices, or turns notices on or off.
func (g *GitHub) showOrSetNotices(ctx context.Context, r feature.CommandRequest) (string, error) {
	words := strings.Fields(r.Arguments)
	if len(words) == 0 {
		text, err := g.shownRepositories(ctx, r, []RepoService{ServiceNotices})
		return strings.TrimSpace(g.switches.Way + "\n\n" + text), err
	}
	if len(words) != 2 {
		return "", supervisor.Errorf(supervisor.CodeInvalid, textWebhooksUsage)
	}
	to := ServiceSwitch{Repo: words[0], What: ServiceNotices}
	return g.setRepository(ctx, r, to, words[1], false)
}

// sources maps each SwitchSetter to its word in texts for users.
var sources = map[SwitchSetter]string{
	SetByConfig: textSourceConfig, SetByAdmin: textSourceAdmin,
	SetByUser: textSourceOwn,
}

// switchValues are the values of a switch that users can type.
var switchValues = []string{ServiceOn, ServiceOff, ServiceDefault}

// switchWord returns the word for a switch's value.
func switchWord(s ServiceSwitch) string {
	if s.On {
		return ServiceOn
	}
	return ServiceOff
}

// shownRepositories lists repositories' services, whether each is on, and who decided that. only
// limits the list to these services; nil means all services.
func (g *GitHub) shownRepositories(ctx context.Context, r feature.CommandRequest, only []RepoService) (
	string, error) {
	list, err := g.switches.List(ctx, r.Conversation.User)
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
			text += fmt.Sprintf(textRepository, markdown.EscapeName(repo))
		}
		text += fmt.Sprintf(textSwitch, s.What, switchWord(s), sources[s.Source])
	}
	if text == "" {
		return textNoRepositories, nil
	}
	return textRepositories + text + fmt.Sprintf(textRepositoriesEnd, list[0].Repo), nil
}

// services lists all services that Mews offers for a repository.
var services = []RepoService{ServiceNotices, ServiceReviews, ServiceTriage}

// setRepository turns one service on or off after approval, and returns the new state.
func (g *GitHub) setRepository(ctx context.Context, r feature.CommandRequest, to ServiceSwitch, value string,
	all bool) (string, error) {
	value = strings.ToLower(value)
	user := r.Conversation.User
	switch {
	case !slices.Contains(services, to.What) || !slices.Contains(switchValues, value):
		return "", supervisor.Errorf(supervisor.CodeInvalid, textGitHubUsage)
	case all && r.User.Role != supervisor.RoleAdmin:
		return "", supervisor.Errorf(supervisor.CodeForbidden, textAllUsageAdmin)
	}
	question := fmt.Sprintf(textSwitchQuestion, to.What, markdown.EscapeName(to.Repo), value)
	err := r.Allow(ctx, approval.EffectChangeSetting, question, to.Repo, string(to.What), value, fmt.Sprint(all))
	if err == nil {
		err = g.switches.Set(ctx, user, to, value, all)
	}
	if err != nil {
		return "", err
	}
	if all {
		g.o.Audit(user, "github.set", fmt.Sprintf("%s of %s: %s", to.What, to.Repo, value))
	}
	list, err := g.switches.List(ctx, user)
	for _, s := range list {
		if s.What == to.What && strings.EqualFold(s.Repo, to.Repo) {
			to = s
		}
	}
	return fmt.Sprintf(textSwitchSet, to.What, markdown.EscapeName(to.Repo), switchWord(to), sources[to.Source]), err
}
