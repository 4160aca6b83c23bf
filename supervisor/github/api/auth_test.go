package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor/github/api"
	"mews/supervisor/github/githubtest"
)

const (
	readPull  = "GET /repos/{owner}/{repo}/pulls/{number}"
	mintToken = "POST /app/installations/{installation}/access_tokens"
)

func TestAppToken_IsValidOneHourForOneRepo(t *testing.T) {
	r := newAppRig(t, githubtest.Options{Strict: true, May: map[string]string{"metadata": "read", "contents": "read", "pull_requests": "write",
		"issues": "read", "administration": "write"}})
	ctx := t.Context()
	n := r.open()
	r.Repo("acme/other")
	for range 3 {
		must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
	}
	minted := r.Requests(mintToken)
	if len(minted) != 1 {
		t.Fatalf("%d tokens were made", len(minted))
	}
	if body := minted[0].Body; strings.TrimSpace(body) != `{"permissions":{"contents":"read","issues":"read","metadata":"read","pull_requests":"write"},"repositories":["widget"]}` {
		t.Errorf("asked for %s", body)
	}
	lacks := must[[]string](t)(r.MissingPermissions(ctx, widget))
	if fmt.Sprint(lacks) != "[checks=write issues=write]" {
		t.Errorf("lacks %v", lacks)
	}
	r.AdvanceClock(54 * time.Minute)
	must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
	if len(r.Requests(mintToken)) != 1 {
		t.Error("it was not kept until 5 minutes before its end")
	}
	r.AdvanceClock(2 * time.Minute)
	must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
	if len(r.Requests(mintToken)) != 2 {
		t.Error("it was kept until its end")
	}
	must[api.Repository](t)(r.Repository(ctx, "acme/other"))
	reads := r.Requests(readPull)
	other := r.Requests("GET /repos/{owner}/{repo}")
	if other[0].Token == reads[0].Token {
		t.Error("one token was for two repositories")
	}
	r.RevokeToken(reads[len(reads)-1].Token)
	_, err := r.PullRequest(ctx, widget, n)
	failure(t, err, api.BadCredentials)
	// this call gets a new token, because GitHub has rejected the old one
	must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
	login := must[string](t)(r.OwnLogin(ctx))
	if login != "mews[bot]" {
		t.Errorf("it is %s", login)
	}
	if err := r.AddLabels(ctx, widget, n, []string{"bug"}); err != nil {
		t.Errorf("a pull request takes no permission for issues: %v", err)
	}
	e := failure(t, r.AddLabels(ctx, widget, r.repo.OpenIssue(githubtest.NewIssue{Title: "x"}), []string{"bug"}), api.Forbidden)
	if e.Needs != "issues=write" {
		t.Errorf("needs %q", e.Needs)
	}
}

func TestError_HidesTokenAndAddress(t *testing.T) {
	r := newRig(t, githubtest.Options{Token: "ghp_verysecret"})
	ctx := t.Context()
	for _, f := range []githubtest.Fault{
		{Kind: githubtest.FaultErrorStatus, Code: 500, Text: "the token ghp_verysecret is odd"},
		{Kind: githubtest.FaultConnReset}, {Kind: githubtest.FaultInvalidJSON},
		{Kind: githubtest.FaultHTMLPage, Text: "ghp_verysecret"}, {Kind: githubtest.FaultErrorStatus, Code: 401,
			Text: "ghp_verysecret"}, {Kind: githubtest.FaultTruncatedBody},
	} {
		f.Times = -1 // every request fails, because net/http repeats a GET after a cut connection
		end := r.InjectFault(f)
		_, err := r.Repository(ctx, widget)
		end()
		if err == nil || api.ErrorClassOf(err) == "" {
			t.Errorf("%s: got %v", f.Kind, err)
			continue
		}
		for _, text := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, err), fmt.Sprintf("%+v %#v", r.Client, *r.Client)} {
			if strings.Contains(text, "verysecret") || strings.Contains(text, "127.0.0.1:") && strings.Contains(text, "http://127") && text == err.Error() {
				t.Errorf("%s: it says %s", f.Kind, text)
			}
		}
		if !strings.Contains(err.Error(), "read the repository acme/widget") {
			t.Errorf("%v does not say what was tried", err)
		}
	}
}

func TestNew_InvalidKey_IsRefused(t *testing.T) {
	for _, key := range []string{"", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"} {
		if _, err := api.New(api.Options{App: &api.App{ID: 1, Key: func() string { return key }}}); err == nil || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("got %v", err)
		}
	}
	for _, url := range []string{"ftp://x", "https://", "https://me:pass@example.org", "%"} {
		if _, err := api.New(api.Options{URL: url, Token: func() string { return "t" }}); err == nil || strings.Contains(err.Error(), "pass@") {
			t.Errorf("%s: got %v", url, err)
		}
	}
	if _, err := api.New(api.Options{}); err == nil {
		t.Error("it takes no token and no app")
	}
}
