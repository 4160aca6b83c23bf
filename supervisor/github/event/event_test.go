package event_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/github/event"
)

var parse = event.Parser{}.Parse

// examples matches GitHub's own examples of payloads, downloaded by `make deps` (npm:
// @octokit/webhooks-examples).
const examples = "../../../bin/webhooks-examples/*/index.json"

// TestGitHubExamples_AreAccepted checks that each example is read or ignored without an error. With
// go-github, some fail.
func TestGitHubExamples_AreAccepted(t *testing.T) {
	files, err := filepath.Glob(examples)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("GitHub's examples are not there: make deps fetches them")
	}
	taken, ignored := map[string]int{}, map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var events []struct {
			Name     string
			Examples []json.RawMessage
		}
		if err := json.Unmarshal(text, &events); err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			for i, payload := range e.Examples {
				got, why, err := parse(e.Name, bytes.NewReader(payload))
				name := fmt.Sprintf("%s: %s %d", file, e.Name, i)
				switch {
				case err != nil:
					t.Errorf("%s: %v", name, err)
				case why != "":
					ignored[why]++
				default:
					taken[e.Name]++
					complete(t, name, got)
				}
			}
		}
	}
	t.Logf("taken: %v; ignored: %d kinds", taken, len(ignored))
	for _, name := range []string{"push", "pull_request", "issues", "issue_comment", "pull_request_review", "pull_request_review_comment",
		"pull_request_review_thread", "release", "check_run", "check_suite", "status", "commit_comment"} {
		if taken[name] == 0 {
			t.Errorf("no %s was taken", name)
		}
	}
	if ignored["ping"] == 0 || ignored["event star"] == 0 || ignored["issues pinned"] == 0 {
		t.Errorf("ignored: %v", slices.Sorted(maps.Keys(ignored)))
	}
}

// complete checks the fields that all events of a kind have.
func complete(t *testing.T, name string, e supervisor.GitHubEvent) {
	numbered := strings.HasPrefix(e.Event, "pull_request") || strings.HasPrefix(e.Event, "issue")
	switch {
	// GitHub itself opens and closes some alerts
	case e.Repo == "" || e.Sender == "" && !strings.HasSuffix(e.Event, "_alert"):
		t.Errorf("%s: no repository or sender: %+v", name, e)
	case numbered && (e.Number == 0 || e.Title == ""):
		t.Errorf("%s: no number or title: %+v", name, e)
	case strings.HasPrefix(e.Event, "pull_request") && (e.Head == "" || e.Base == "" || !e.IsPull):
		t.Errorf("%s: no head or base: %+v", name, e)
	case strings.Contains(e.Event, "comment") && (e.Text == "" || e.Author == "" || e.Comment == 0 || e.URL == ""):
		t.Errorf("%s: no comment: %+v", name, e)
	case !numbered && e.Head == "" && e.Event != "release" && !strings.HasSuffix(e.Event, "_alert") &&
		e.Event != "repository_advisory":
		t.Errorf("%s: no commit: %+v", name, e)
	}
}

const around = `"repository":{"full_name":"Acme/widget","owner":{"login":"Acme"}},"sender":{"login":"bob","type":"User"}`

func TestParse_EachEvent_HasFields(t *testing.T) {
	base := supervisor.GitHubEvent{Repo: "Acme/widget", Sender: "bob"}
	for _, test := range []struct {
		name, event, payload string
		want                 func(*supervisor.GitHubEvent)
	}{
		{"a push of seven", "push", `{"ref":"refs/heads/main","before":"b0","after":"a0","compare":"https://c","commits":[` + commits(7) +
			`],"head_commit":{"timestamp":"2026-11-20T10:00:00+01:00"},"pusher":{"name":"bob"},` + around + `}`, func(e *supervisor.GitHubEvent) {
			e.Ref, e.Before, e.Head, e.URL, e.Author, e.MoreCommits = "main", "b0", "a0", "https://c", "bob", 2
			e.At = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
			for i := range 5 {
				e.Commits = append(e.Commits, supervisor.GitHubCommit{SHA: fmt.Sprint("sha", i), Title: "Do it", Author: "Bob"})
			}
		}},
		{"a pull request of a fork", "pull_request", `{` + around + `,"number":7,"action":"labeled","label":{"name":"bug"},"pull_request":{"number":7,"title":"T",
			"user":{"login":"eve"},"author_association":"NONE","body":"why\u0000","html_url":"https://p","state":"open","draft":true,"merged":null,
			"head":{"ref":"refs","sha":"h1","repo":{"full_name":"eve/widget"}},"base":{"ref":"main","sha":"b1","repo":{"full_name":"Acme/widget"}},
			"labels":[{"name":"x"},{"name":"bug"}],"requested_reviewers":[{"login":"zed"}]}}`, func(e *supervisor.GitHubEvent) {
			e.Action, e.Number, e.IsPull, e.Title, e.Author, e.Association, e.Text, e.URL = "labeled", 7, true, "T", "eve", "NONE", "why", "https://p"
			e.State, e.Draft, e.Ref, e.Head, e.Base, e.Fork, e.Labels = "open", true, "refs", "h1", "main", true, []string{"bug"}
		}},
		{"an alert about a dependency", "dependabot_alert",
			`{"action":"created","alert":{"number":4,"state":"open","dependency":{"package":{"ecosystem":"npm","name":"lodash"},
			"manifest_path":"package.json"},"security_advisory":{"ghsa_id":"GHSA-x","summary":"Prototype pollution","severity":"high"},
			"html_url":"https://a/4","updated_at":"2026-11-20T10:00:00Z"},"repository":{"full_name":"Acme/widget"},"sender":{"login":"github","type":"Bot"}}`,
			func(e *supervisor.GitHubEvent) {
				e.Action, e.Number, e.Title, e.State = "created", 4, "Prototype pollution", "high"
				e.Ref, e.URL, e.Sender, e.SenderBot = "lodash", "https://a/4", "github", true
				e.At = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
			}},
		{"an alert about a secret", "secret_scanning_alert",
			`{"action":"created","alert":{"number":5,"secret_type":"npm_token","secret_type_display_name":"npm token",
			"secret":"npm_0123456789","html_url":"https://a/5","created_at":"2026-11-20T10:00:00Z"},` + around + `}`, func(e *supervisor.GitHubEvent) {
				e.Action, e.Number, e.Title, e.Ref, e.URL = "created", 5, "npm token", "npm_token", "https://a/5"
				e.At = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
			}},
		{"an alert about code", "code_scanning_alert",
			`{"action":"appeared_in_branch","alert":{"number":6,"rule":{"id":"go/x","description":"SQL injection",
			"security_severity_level":"critical"},"html_url":"https://a/6","most_recent_instance":{"location":{"path":"db.go","start_line":7}}},` + around + `}`,
			func(e *supervisor.GitHubEvent) {
				e.Action, e.Number, e.Title, e.State = "appeared_in_branch", 6, "SQL injection", "critical"
				e.Ref, e.URL = "db.go", "https://a/6"
			}},
		{"a private report", "repository_advisory",
			`{"action":"reported","repository_advisory":{"ghsa_id":"GHSA-x","summary":"Escape","severity":"high","html_url":"https://a/x",
			"description":"Do this."},` + around + `}`, func(e *supervisor.GitHubEvent) {
				e.Action, e.Title, e.State, e.Ref, e.URL = "reported", "Escape", "high", "GHSA-x", "https://a/x"
			}},
		{"somebody is asked to review", "pull_request", `{"action":"review_requested","requested_reviewer":{"login":"zed"},"pull_request":{"number":7,"title":"T",
			"head":{"ref":"r","sha":"h1","repo":{"full_name":"acme/Widget"}},"base":{"ref":"main"},"labels":[{"name":"x"}]},` + around + `}`, func(e *supervisor.GitHubEvent) {
			e.Action, e.Number, e.IsPull, e.Title, e.Ref, e.Head, e.Base, e.Labels = "review_requested", 7, true, "T", "r", "h1", "main", []string{"zed"}
		}},
		{"a comment on a pull request", "issue_comment", `{"action":"created","issue":{"number":7,"title":"T","user":{"login":"eve"},"body":"not this","pull_request":{"url":"u"}},
			"comment":{"id":9007199254740993,"body":"@mews review","user":{"login":"bob"},"author_association":"MEMBER","html_url":"https://c"},` + around + `}`, func(e *supervisor.GitHubEvent) {
			e.Action, e.Number, e.IsPull, e.Title, e.Text, e.Author, e.Association = "created", 7, true, "T", "@mews review", "bob", "MEMBER"
			e.URL, e.Comment = "https://c", 9007199254740993
		}},
		{"a check of a pull request", "check_run", `{"action":"completed","check_run":{"id":5,"name":"build","head_sha":"h","conclusion":"failure","html_url":"https://k",
			"app":{"slug":"ci"},"check_suite":{"head_branch":"main","conclusion":"success"},"pull_requests":[{"number":3},{"number":4}]},
			"repository":{"full_name":"Acme/widget"},"sender":{"login":"ci[bot]","type":"Bot"}}`, func(e *supervisor.GitHubEvent) {
			e.Action, e.Sender, e.SenderBot, e.Title, e.Head, e.State, e.URL = "completed", "ci[bot]", true, "build", "h", "failure", "https://k"
			e.Comment, e.Author, e.Ref, e.Number, e.IsPull = 5, "ci", "main", 3, true
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := base
			want.Event = test.event
			test.want(&want)
			got, why, err := parse(test.event, strings.NewReader(test.payload))
			if err != nil || why != "" {
				t.Fatal(why, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func commits(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"id":"sha%d","message":"Do it\n\nbecause","author":{"name":"Bob"},"added":["a"]}`, i))
	}
	return strings.Join(all, ",")
}

func TestParse_UnusedEvent_IsIgnored(t *testing.T) {
	const bot = `"repository":{"full_name":"a/b"},"sender":{"login":"x[bot]","type":"Bot"}`
	for payload, want := range map[[2]string]string{
		{"ping", `{"zen":"z"}`}:                          "ping",
		{"sponsorship", `{"action":"created"}`}:          "event sponsorship",
		{"issues", `{"action":"pinned",` + around + `}`}: "issues pinned",
		{"release", `{"action":"published",` + bot +
			`}`}: "from a bot",
		{"status", `{"sha":"s",` + bot + `}`}: "",
		{"issue_comment", `{"action":"created","comment":{"body":"x\n<!-- mews:a -->"},` + bot +
			`}`}: "from Mews itself",
		{"pull_request", `{"action":"opened","pull_request":{"number":7,"body":"<!-- mews:a -->"},` + around + `}`}: "",
		{"issues", `{"action":"opened","issue":{"number":7,"body":"<!-- mews:a -->"},` + around + `}`}:              "",
	} {
		if _, why, err := parse(payload[0], strings.NewReader(payload[1])); err != nil || why != want {
			t.Errorf("%s: %q, %v; want %q", payload, why, err, want)
		}
	}
}

func TestParse_InvalidPayload_Fails(t *testing.T) {
	for _, payload := range []string{"", "{", "[]", "1", "{}", "{]", `{"a" 1}`, `{"a":1,}`, `{"action":nil}`, `{"action":"\x"}`, `{"x":{"a":1]`, `{"action":"opened"}`, "{" + around + "}{}", "{" + around + "} x",
		`{"a":` + strings.Repeat("[", 100), `{"a":` + strings.Repeat("9", 1<<20) + "," + around + "}"} {
		if e, why, err := parse("push", strings.NewReader(payload)); err == nil {
			t.Errorf("%.40s is %+v, %s", payload, e, why)
		}
	}
}

// TestParse_LongString_UsesLittleMemory reads 25 MB of one string, of spaces and of brackets. A few
// KiB of memory must be enough.
func TestParse_LongString_UsesLittleMemory(t *testing.T) {
	for name, long := range map[string]string{
		"a string": `"x":"` + strings.Repeat(`\u00e9é\"`, event.MaxPayloadBytes/10) + `"`, "a key": `"` +
			strings.Repeat("k", event.MaxPayloadBytes) + `":1`,
		"spaces": strings.Repeat(" \n", event.MaxPayloadBytes/2) + `"x":1`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			payload := io.MultiReader(strings.NewReader("{"), strings.NewReader(long), strings.NewReader(","+around+"}"))
			runtime.ReadMemStats(&before)
			e, _, err := parse("push", payload)
			runtime.ReadMemStats(&after)
			if err != nil || e.Repo != "Acme/widget" {
				t.Fatal(e, err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
				t.Errorf("%d bytes were allocated", took)
			}
		})
	}
}

// FuzzParse checks that no payload causes a panic, and that no event is too long.
func FuzzParse(f *testing.F) {
	f.Add("push", `{"ref":"refs/heads/main","commits":[`+commits(7)+`],`+around+`}`)
	f.Add("issue_comment", `{"comment":{"body":"\ud83d\"\u2028"},`+around+`}`)
	f.Fuzz(func(t *testing.T, name, payload string) {
		e, _, err := parse(name, strings.NewReader(payload))
		if err != nil {
			return
		}
		var raw bytes.Buffer
		encoder := json.NewEncoder(&raw)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(e); err != nil || raw.Len() > event.MaxEventBytes {
			t.Errorf("%d bytes, %v", raw.Len(), err)
		}
	})
}

// A security report is recognized by the uncut texts of its issue and of a comment on it.
func TestParse_SecurityWords_MarkIssueEvents(t *testing.T) {
	p := event.Parser{IsSecurityReport: func(title, text string) bool {
		return strings.Contains(title+text, "exploit")
	}}
	long := strings.Repeat("a ", 3000)
	for name, c := range map[string]struct {
		event, payload string
		want           bool
	}{
		"nothing":                {"issues", `"issue":{"number":7,"title":"T","body":"B"}`, false},
		"the title":              {"issues", `"issue":{"number":7,"title":"exploit","body":"B"}`, true},
		"the end of a long text": {"issues", `"issue":{"number":7,"title":"T","body":"` + long + `exploit"}`, true},
		"no text":                {"issues", `"issue":{"number":7,"title":"T","body":null}`, false},
		"a comment": {"issue_comment",
			`"issue":{"number":7,"body":"B"},"comment":{"body":"exploit"}`, true},
		"the text below a comment": {"issue_comment",
			`"issue":{"number":7,"body":"exploit"},"comment":{"body":"B"}`, true},
		"the end of a long comment": {"issue_comment",
			`"issue":{"number":7},"comment":{"body":"` + long + `exploit"}`, true},
		"a pull request": {"issue_comment",
			`"issue":{"number":7,"pull_request":{"url":"u"}},"comment":{"body":"exploit"}`, false},
		"a change":  {"pull_request", `"pull_request":{"number":7,"body":"exploit"}`, false},
		"a release": {"release", `"release":{"body":"exploit"}`, false},
	} {
		action := map[string]string{"issue_comment": "created", "release": "published"}[c.event]
		if action == "" {
			action = "opened"
		}
		e, why, err := p.Parse(c.event, strings.NewReader(`{"action":"`+action+`",`+c.payload+`,`+around+`}`))
		if e.Security != c.want || why != "" || err != nil {
			t.Errorf("%s: %t, %q, %v; want %t", name, e.Security, why, err, c.want)
		}
	}
}

// A comment with Mews's mark is ignored only if Mews wrote it, or if Mews's login is unknown.
func TestParse_MarkedComment_IsIgnoredIfOwn(t *testing.T) {
	const payload = `{"action":"created","issue":{"number":7},` +
		`"comment":{"body":"@mews review\n<!-- mews:a -->"},` + around + `}`
	for self, want := range map[string]string{"": "from Mews itself", "mews-bot": "", "%s": "from Mews itself"} {
		e, _, err := parse("issues", strings.NewReader(`{"action":"opened","issue":{"number":7},`+around+`}`))
		if err != nil {
			t.Fatal(err)
		}
		p := event.Parser{Self: func() string { return strings.ToUpper(strings.ReplaceAll(self, "%s", e.Sender)) }}
		if _, why, err := p.Parse("issue_comment", strings.NewReader(payload)); why != want || err != nil {
			t.Errorf("as %q: %q, %v; want %q", self, why, err, want)
		}
	}
}
