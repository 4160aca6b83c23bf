package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mews/protocol/template"
)

var (
	// repoName is OWNER/NAME. The owner's name may contain "_" if a company manages its accounts
	// (docs.github.com).
	repoName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}$`)
	// githubLogin is the login of an account, or of an app, which ends in [bot].
	githubLogin = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}(\[bot\])?$`)
	// hookSecret is any text that can't be guessed and fits into a header.
	hookSecret = regexp.MustCompile(`^[!-~]{16,256}$`)
	// topicID is the id of a group on Telegram, perhaps with the id of a topic.
	topicID = regexp.MustCompile(`^(-[1-9][0-9]{0,15})(/[1-9][0-9]{0,9})?$`)
	// headerName is an HTTP header that servers and proxies do not use themselves.
	headerName = regexp.MustCompile(`^X-[A-Za-z0-9-]{1,60}$`)
)

func (c *checker) checkGitHubAPI(path, text string) {
	c.checkURL(path, text, wantGitHubAPI, isTokenSafe)
}

// isTokenSafe reports whether a token may be sent to u: over https, or to this machine.
func isTokenSafe(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname())
}

func (c *checker) checkGitHubLogin(path, login string) {
	if login != "" && !githubLogin.MatchString(login) {
		c.wrong(path, quote(login), wantGitHubLogin)
	}
}

// checkGitHubRepos notes problems of the repositories, and missing keys of the section around them.
func (c *checker) checkGitHubRepos(path string, repos map[string]GitHubRepo) {
	g, taken := c.cfg.GitHub, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(repos)) {
		at, r := join(path, name), repos[name]
		if !repoName.MatchString(name) || strings.HasSuffix(name, "/.") || strings.HasSuffix(name, "/..") {
			c.add(at, quote(name)+gotAsName, wantRepo)
		}
		c.checkUnique(at, strings.ToLower(name), quote(name), wantAnotherRepo, taken)
		c.checkUserName(at+".user", r.User)
		if r.Review && cmp.Or(g.Review.Model, c.cfg.Models.Default) == OfflineModel {
			c.wrong(at+".review", "true", wantReviewModel)
		}
		if r.Post == postCheck && g.App.ID == 0 {
			c.wrong(at+".post", quote(r.Post), wantAppForCheck)
		}
	}
	c.checkGitHubAccess("github", g)
}

// postCheck is the value of GitHubRepo.Post for check runs. On GitHub only apps can make check
// runs.
const postCheck = "check"

// checkGitHubAccess notes missing or wrong credentials: the token or App for GitHub's API, and the
// secret of GitHub's webhook.
func (c *checker) checkGitHubAccess(path string, g GitHub) {
	app := c.isSet(path+".app") || g.App.ID != 0
	switch token := c.isSet(path+".token") || c.isSet(path+".token_file") || g.Token.Reveal() != ""; {
	case app && token:
		c.wrong(path+".app", gotMapping, wantTokenOrApp)
	case app && g.App.ID <= 0:
		c.wrong(path+".app.id", strconv.FormatInt(g.App.ID, 10), wantAppID)
	case app:
		c.checkSecret(path+".app.private_key", g.App.PrivateKey, nil, wantAppKey)
	case token || len(g.Repos) > 0:
		c.checkSecret(path+".token", g.Token, hookSecret, wantGitHubToken)
	}
	called := c.cfg.Webhooks.Listen != "" && len(g.Repos) > 0
	if secret := path + ".webhook_secret"; called || c.isSet(secret) || c.isSet(secret+"_file") {
		c.checkSecret(secret, g.WebhookSecret, hookSecret, wantGitHubSecret)
	}
}

func (c *checker) checkUserName(path, name string) {
	if !slices.ContainsFunc(c.cfg.Users, func(u User) bool { return u.Name == name }) {
		c.wrong(path, quote(name), fmt.Sprintf(wantUser, c.userNames()))
	}
}

func (c *checker) userNames() string {
	var names []string
	for _, u := range c.cfg.Users {
		names = append(names, u.Name)
	}
	return oneOf(names)
}

func (c *checker) checkRecipients(path string, list []Recipient) {
	taken := map[string]string{}
	for i, r := range list {
		at := elementPath(path, i)
		if !topicID.MatchString(string(r)) && !slices.ContainsFunc(c.cfg.Users, func(u User) bool { return u.Name == string(r) }) {
			c.wrong(at, quote(string(r)), fmt.Sprintf(wantRecipient, c.userNames()))
		}
		c.checkUnique(at, string(r), quote(string(r)), wantUnique, taken)
	}
}

// checkHooks notes problems of the hooks. A hook without a secret would accept any caller.
func (c *checker) checkHooks(path string, hooks map[string]Hook) {
	if len(hooks) > 0 && c.cfg.Webhooks.Listen == "" {
		c.add("webhooks.listen", gotNothing, wantListenForHooks)
	}
	for _, name := range slices.Sorted(maps.Keys(hooks)) {
		at, h := join(path, name), hooks[name]
		if own := HookPathPrefix + name; !IsValidUserName(name) || own == TelegramWebhookPath ||
			own == GitHubWebhookPath {
			c.add(at, quote(name)+gotAsName, wantHookName)
		}
		c.checkUserName(at+".user", h.User)
		if h.Chat != "" && !topicID.MatchString(string(h.Chat)) {
			c.wrong(at+".chat", quote(string(h.Chat)), wantHookChat)
		}
		if h.Job != "" && h.Chat != "" {
			c.wrong(at+".chat", quote(string(h.Chat)), wantNoHookChat)
		}
		c.checkSecret(at+".secret", h.Secret, hookSecret, wantHookSecret)
		switch named := headerName.MatchString(h.Header); {
		case h.Sign == signBearer && h.Header != "":
			c.wrong(at+".header", quote(h.Header), wantNoHeader)
		case (h.Sign == "header" || h.Sign == "hmac") && !named:
			c.wrong(at+".header", quote(h.Header), wantHeader)
		}
		c.checkTemplate(at+".template", h.Template)
	}
}

// checkTemplate notes problems of a template. Earlier versions of Mews accepted every action of
// text/template, so a refused action is only a warning.
func (c *checker) checkTemplate(path, text string) {
	if _, err := template.Parse(text); err != nil {
		c.note(Problem{Field: path, Value: c.displayValue(path, quote(text)), Want: fmt.Sprintf(wantTemplate, err),
			Warning: errors.As(err, new(*template.UnsupportedError))})
	}
}

const signBearer = "bearer"
