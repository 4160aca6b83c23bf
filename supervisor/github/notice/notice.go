// Package notice writes the messages about events in a repository. Events that belong together
// share a message. Foreign text is shown unchanged: it never becomes Markdown, a command or a
// mention.
package notice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mews/protocol/amount"
	"mews/supervisor"
)

const (
	maxCommits = 5   // commits of a push that are listed
	maxListed  = 5   // comments, reviews or checks that are listed in a message
	maxTitle   = 200 // maximum number of characters of a title
	maxQuoted  = 200 // maximum number of characters of a quoted comment or release
	shaDigits  = 7
)

// kind describes the notices about one of GitHub's events.
type kind struct {
	actions map[string]string          // words for the actions that cause a notice; nil means all actions
	key     func(event) string         // returns a key; events with the same key share a message
	text    func(all []event) []string // returns the paragraphs of the message for events with one key
}

type event = supervisor.GitHubEvent

// kinds has the kinds of notices by GitHub's name of the event.
var kinds = func() map[string]kind {
	talk := func(action string) kind {
		return kind{actions: map[string]string{action: ""}, key: about("talk"), text: talkText}
	}
	check := kind{key: checkKey, text: checkText}
	alert := kind{actions: alertActions, key: alertKey, text: alertText}
	return map[string]kind{
		"push":                        {key: func(e event) string { return "push/" + e.Ref }, text: pushText},
		"pull_request":                {actions: pullActions, key: pullKey, text: pullText},
		"issues":                      {actions: issueActions, key: about("issue"), text: issueText},
		"issue_comment":               talk("created"),
		"commit_comment":              talk("created"),
		"pull_request_review":         {actions: map[string]string{"submitted": "", "dismissed": ""}, key: about("talk"), text: talkText},
		"pull_request_review_comment": talk("created"),
		"release":                     {actions: map[string]string{"published": ""}, key: func(e event) string { return "release/" + e.Ref }, text: releaseText},
		"check_run":                   check,
		"status":                      check,
		"dependabot_alert":            alert,
		"code_scanning_alert":         alert,
		"secret_scanning_alert":       alert,
		"repository_advisory":         alert,
	}
}()

// MessageKey returns the key of the events that share a message with e; "" means no notice.
func MessageKey(e supervisor.GitHubEvent) string {
	k := kinds[e.Event]
	if _, told := k.actions[e.Action]; k.key == nil || k.actions != nil && !told {
		return ""
	}
	return k.key(e)
}

// Text returns the message for events with the same key, oldest first.
func Text(all []supervisor.GitHubEvent) string {
	return strings.Join(slices.DeleteFunc(kinds[all[0].Event].text(all), func(s string) bool { return s == "" }), "\n\n")
}

// IsReviewRequest reports whether an event requests a review. The reviewers are in Names, and only
// they get a notice.
func IsReviewRequest(e supervisor.GitHubEvent) bool {
	return e.Event == "pull_request" && e.Action == asked
}

// CheckRunResult reports whether an event is a failed or a passed check. A passed check causes a
// notice only after a failure.
func CheckRunResult(e supervisor.GitHubEvent) (failed, passed bool) {
	check := slices.Contains(checkEvents, e.Event)
	return check && failures[e.State], check && e.State == "success"
}

// checkEvents are GitHub's events about a check's state.
var checkEvents = []string{"check_run", "status"}

// failures are the results of checks and the states of commits that mean a failure. (GitHub, REST
// API: check runs, commit statuses)
var failures = map[string]bool{"failure": true, "timed_out": true, "action_required": true, "startup_failure": true, "error": true}

// checkKey returns the key of a failed or passed check; "" for other states.
func checkKey(e event) string {
	if failed, passed := CheckRunResult(e); !failed && !passed {
		return ""
	}
	return "check/" + e.Ref
}

// The function about returns a function that makes keys of events. Events about the same issue,
// pull request or commit get the same key.
func about(name string) func(event) string {
	return func(e event) string { return name + "/" + subject(e) }
}

// subject returns the subject of an event: #12, or a commit's SHA.
func subject(e event) string {
	if e.Number == 0 {
		return short(e.Head)
	}
	return "#" + strconv.Itoa(e.Number)
}

const asked = "review_requested"

func pullKey(e event) string {
	return about(map[bool]string{true: "asked", false: "pull"}[IsReviewRequest(e)])(e)
}

func pushText(all []event) []string {
	first, last := all[0], all[len(all)-1]
	var commits []supervisor.GitHubCommit
	more := 0
	for _, e := range all {
		commits, more = append(commits, e.Commits...), more+e.MoreCommits
	}
	ref := code(last.Repo + ":" + last.Ref)
	head := fmt.Sprintf(textPush, ref, by(all))
	switch {
	case last.Deleted:
		return []string{fmt.Sprintf(textBranchGone, ref, by(all))}
	case len(commits) == 0 && strings.Trim(last.Before, "0") == "":
		return []string{fmt.Sprintf(textBranch, ref, by(all))}
	case len(all) > 1:
		head = fmt.Sprintf(textPushes, len(all), ref, by(all))
	}
	more += max(0, len(commits)-maxCommits)
	var lines []string
	for _, c := range commits[:min(len(commits), maxCommits)] {
		lines = append(lines, "- `"+short(c.SHA)+"` "+cut(firstLine(c.Title), maxTitle))
	}
	if more > 0 {
		lines = append(lines, "- "+fmt.Sprintf(textMore, more))
	}
	return []string{head, strings.Join(lines, "\n"), link(textCompare, compare(first, last))}
}

// compare returns the address of the page with all pushed commits.
func compare(first, last event) string {
	base, _, ok := strings.Cut(last.URL, "/compare/")
	if !ok || strings.Trim(first.Before, "0") == "" || first.URL == last.URL {
		return last.URL
	}
	return base + "/compare/" + short(first.Before) + "..." + short(last.Head)
}

var pullActions = map[string]string{
	"opened": textOpened, "closed": textClosed, "reopened": textReopened, "ready_for_review": textReady,
	"converted_to_draft": textDraftAgain, asked: "",
}

// pullAction returns the word for an action on a pull request.
func pullAction(e event) string {
	switch {
	case e.Action == "closed" && e.Merged:
		return textMerged
	case e.Action == "opened" && e.Draft:
		return textOpenedDraft
	}
	return pullActions[e.Action]
}

func pullText(all []event) []string {
	last := all[len(all)-1]
	if IsReviewRequest(last) {
		return []string{lines(fmt.Sprintf(textAsked, subject(last), code(last.Repo), by(all)), title(last))}
	}
	branches := ""
	if last.Base != "" && last.Ref != "" {
		branches = fmt.Sprintf(textBranches, code(last.Ref), code(last.Base))
	}
	return []string{lines(fmt.Sprintf(textPull, subject(last), actions(all, pullAction), code(last.Repo), by(all)), title(last), branches)}
}

var issueActions = map[string]string{"opened": textOpened, "closed": textClosed, "reopened": textReopened}

func issueText(all []event) []string {
	last := all[len(all)-1]
	what := actions(all, func(e event) string { return issueActions[e.Action] })
	return []string{lines(fmt.Sprintf(textIssue, subject(last), what, code(last.Repo), by(all)), title(last))}
}

// actions returns the words for the actions of several events, in order.
func actions(all []event, word func(event) string) string {
	var words []string
	for _, e := range all {
		words = append(words, word(e))
	}
	return listed(slices.Compact(words))
}

func releaseText(all []event) []string {
	last := all[len(all)-1]
	name := last.Title
	if name == "" {
		name = last.Ref
	}
	return []string{lines(fmt.Sprintf(textRelease, code(last.Ref), code(last.Repo), by(all)), titled(name, last.URL)), quote(last.Text)}
}

// checkText returns the text about the last state of each check.
func checkText(all []event) []string {
	var bad, good []event
	seen := map[string]bool{}
	for _, e := range slices.Backward(all) {
		if seen[e.Title] {
			continue
		}
		seen[e.Title] = true
		if failed, _ := CheckRunResult(e); failed {
			bad = append(bad, e)
		} else {
			good = append(good, e)
		}
	}
	return append(checks(textFailed, bad), checks(textRecovered, good)...)
}

// checks returns a headline, and a list of checks, newest first.
func checks(what string, all []event) []string {
	if len(all) == 0 {
		return nil
	}
	slices.Reverse(all)
	e := all[0]
	ref := code(e.Repo + ":" + e.Ref)
	if e.Number > 0 {
		ref = fmt.Sprintf(textOfPull, subject(e), code(e.Repo))
	}
	list := make([]string, 0, len(all))
	for _, e := range all[:min(len(all), maxListed)] {
		list = append(list, "- "+titled(e.Title, e.URL)+" · `"+short(e.Head)+"`")
	}
	if more := len(all) - len(list); more > 0 {
		list = append(list, "- "+fmt.Sprintf(textMore, more))
	}
	return []string{fmt.Sprintf(what, amount.Plural(len(all), textCheck, textChecks), ref), strings.Join(list, "\n")}
}
