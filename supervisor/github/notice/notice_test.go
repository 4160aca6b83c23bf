package notice_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor"
	"mews/supervisor/github/notice"
	"mews/supervisor/markdown"
	"mews/supervisor/printable"
)

type event = supervisor.GitHubEvent

const (
	page  = "https://github.com/acme/widget/"
	sha   = "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d"
	older = "0d9c8b7a6f5e4d3c2b1a0d9c8b7a6f5e4d3c2b1a"
)

// The function of returns an event by alice.
func of(kind, action string, more event) event {
	more.Repo, more.Event, more.Action = "acme/widget", kind, action
	if more.Sender == "" {
		more.Sender = "alice"
	}
	return more
}

func pull(action string, more event) event {
	more.Number, more.IsPull, more.Title, more.URL = 12, true, "Count the things", page+"pull/12"
	more.Ref, more.Base, more.Head = "counting", "main", sha
	return of("pull_request", action, more)
}

func talk(kind, action, sender, text string, more event) event {
	more.Number, more.Title, more.URL, more.Sender, more.Text = 12, "Count the things", page+"pull/12#issuecomment-1",
		sender, text
	return of(kind, action, more)
}

func check(name, state, ref string) event {
	return of("check_run", "completed", event{Title: name, State: state, Ref: ref, Head: sha, URL: page + "runs/7"})
}

func push(from, to string, more int, titles ...string) event {
	e := event{Ref: "main", Before: from, Head: to, MoreCommits: more, URL: page + "compare/" + from[:12] + "..." + to[:12]}
	for i, title := range titles {
		e.Commits = append(e.Commits, supervisor.GitHubCommit{SHA: strings.Repeat(fmt.Sprint(i), 40), Title: title})
	}
	return of("push", "", e)
}

const hostile = "/stop **now** [tap](tg://resolve?domain=evil) @everyone `x` ||y|| <b>z</b> &lt;\u202e <!-- a --> $m$ ~~s~~"

// cases has example events for each notice.
var cases = map[string][]event{
	"push":             {push(older, sha, 0, "Count the things\n\nAll of them.", "Name the things")},
	"push-many":        {push(older, sha, 12, "One", "Two", "Three", "Four", "Five")},
	"push-several":     {push(older, "7777777777777777", 0, "One", "Two", "Three", "Four"), push("7777777777777777", sha, 0, "Five", "Six")},
	"push-new-branch":  {of("push", "", event{Ref: "counting", Before: strings.Repeat("0", 40), Head: sha, URL: page + "compare/counting"})},
	"push-branch-gone": {of("push", "", event{Ref: "counting", Before: sha, Deleted: true})},
	"push-first":       {push(strings.Repeat("0", 40), sha, 0, "Begin")},

	"pull-opened":                 {pull("opened", event{})},
	"pull-opened-draft":           {pull("opened", event{Draft: true})},
	"pull-ready":                  {pull("ready_for_review", event{})},
	"pull-draft-again":            {pull("converted_to_draft", event{Draft: true})},
	"pull-closed":                 {pull("closed", event{Sender: "bob"})},
	"pull-closed-by-nobody-known": {func() event { e := pull("closed", event{}); e.Sender = ""; return e }()},
	"comment-untitled":            {func() event { e := talk("issue_comment", "created", "bob", "Hm.", event{}); e.Title = ""; return e }()},
	"review-dismissed":            {talk("pull_request_review", "dismissed", "bob", "", event{State: "dismissed"})},
	"pull-merged":                 {pull("closed", event{Sender: "bob", Merged: true})},
	"pull-reopened":               {pull("reopened", event{})},
	"pull-several":                {pull("opened", event{}), pull("ready_for_review", event{Sender: "bob"}), pull("closed", event{Sender: "bob", Merged: true})},
	"pull-asked":                  {pull("review_requested", event{Labels: []string{"carol"}})},
	"issue-opened":                {of("issues", "opened", event{Number: 7, Title: "It does not count", URL: page + "issues/7"})},
	"issue-closed":                {of("issues", "closed", event{Number: 7, Title: "It does not count", URL: page + "issues/7"})},
	"issue-several":               {of("issues", "closed", event{Number: 7, Title: "It"}), of("issues", "reopened", event{Number: 7, Title: "It"})},
	"comment":                     {talk("issue_comment", "created", "bob", "> why?\n\nBecause it\ncounts.\n<!-- bot -->", event{})},
	"comment-long":                {talk("issue_comment", "created", "bob", strings.Repeat("word ", 60), event{})},
	"comment-on-commit":           {of("commit_comment", "created", event{Head: sha, URL: page + "commit/" + sha, Text: "Hm."})},
	"comment-only-quotes":         {talk("issue_comment", "created", "bob", "> me too", event{})},
	"comments": {talk("issue_comment", "created", "bob", "First.", event{}), talk("pull_request_review_comment", "created", "carol", "Second.", event{}),
		talk("issue_comment", "created", "bob", "Third.", event{})},
	"comments-many":  slices.Repeat([]event{talk("issue_comment", "created", "bob", "Again.", event{})}, 8),
	"review-approve": {talk("pull_request_review", "submitted", "bob", "Good.", event{State: "approved"})},
	"review-changes": {talk("pull_request_review", "submitted", "bob", "Name it.", event{State: "CHANGES_REQUESTED"})},
	"review-says":    {talk("pull_request_review", "submitted", "bob", "Hm.", event{State: "commented"})},
	"review-bare":    {talk("pull_request_review", "submitted", "bob", "", event{State: "commented"})},
	"review-comments": {talk("pull_request_review_comment", "created", "bob", "Here.", event{}), talk("pull_request_review_comment", "created", "bob", "And here.", event{}),
		talk("pull_request_review", "submitted", "bob", "", event{State: "changes_requested"})},
	"review-one-comment": {talk("pull_request_review_comment", "created", "bob", "Here.", event{}), talk("pull_request_review", "submitted", "bob", "", event{State: "commented"})},
	"release":            {of("release", "published", event{Ref: "v1.2", Title: "The counting release", Text: "## News\n\n- counts", URL: page + "releases/tag/v1.2"})},
	"release-untitled":   {of("release", "published", event{Ref: "v1.2", URL: page + "releases/tag/v1.2"})},
	"check-failed":       {check("test (linux)", "failure", "main")},
	"check-recovered":    {check("test (linux)", "success", "main")},
	"checks": {check("test", "failure", "main"), check("lint", "timed_out", "main"), check("build", "success", "main"),
		check("lint", "success", "main")},
	"checks-many": {check("a", "failure", "x"), check("b", "failure", "x"), check("c", "failure", "x"), check("d", "failure", "x"),
		check("e", "failure", "x"), check("f", "failure", "x")},
	"check-of-pull": {func() event { e := check("test", "failure", "counting"); e.Number = 12; return e }()},
	"status-failed": {of("status", "", event{Title: "ci/other", State: "error", Ref: "main", Head: sha, URL: "https://ci.example.org/7"})},
	"hostile":       {talk("issue_comment", "created", "mallory[bot]", hostile, event{})},
	"hostile-pull": {func() event {
		e := pull("opened", event{Sender: "mallory"})
		e.Title, e.Ref, e.URL = hostile, "a`b**c", "javascript:alert(1)"
		return e
	}()},
	"hostile-push": {push(older, sha, 0, hostile, "# head", "1. one", "- /reset", "    code", "> quote", "---")},
}

func TestText_EachNoticeIsOneMessage(t *testing.T) {
	for name, all := range cases {
		t.Run(name, func(t *testing.T) {
			for _, e := range all {
				if notice.MessageKey(e) == "" || notice.MessageKey(e) != notice.MessageKey(all[0]) {
					t.Errorf("%s %s is gathered under %q", e.Event, e.Action, notice.MessageKey(e))
				}
			}
			md := notice.Text(all)
			rendered := markdown.Render(md)
			got := "key: " + notice.MessageKey(all[0]) + "\n" + md + "\n----------\n" + rendered.Text + "\n"
			for _, m := range rendered.Entities {
				got += fmt.Sprintf("-- %s %d+%d %s\n", m.Type, m.Offset, m.Length, m.URL)
			}
			path := "testdata/" + name + ".golden"
			if os.Getenv("MEWS_UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

// tappable matches commands and mentions as Telegram detects them. (TDLib, MessageEntity.cpp:
// match_bot_commands, match_mentions)
var tappable = regexp.MustCompile(`(^|[^\pL\pN_/<>])/\w|(^|[^\pL\pN_])@\w`)

// TestForeignText_CannotEscape checks that foreign text never changes a notice. Marks and links
// must be the same as with harmless words, and no other text may be tappable.
func TestForeignText_CannotEscape(t *testing.T) {
	names := slices.Sorted(maps.Keys(cases))
	text := rapid.OneOf(rapid.Just(hostile), rapid.StringOf(rapid.SampledFrom([]rune("a/@*_`[](){}<>#+-.!|~$^=&;:\\\"' \n\t1\u202e\u200b"))), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		all := cases[rapid.SampledFrom(names).Draw(t, "case")]
		// never empty, because an empty title gives another message
		theirs := "w" + text.Draw(t, "text") + "w"
		shown := markdown.Render(notice.Text(with(all, theirs)))
		if want, got := marks(markdown.Render(notice.Text(with(all, "w"))), false), marks(shown, false); !reflect.DeepEqual(want, got) {
			t.Fatalf("%q: it has the marks %v, and with harmless words %v", shown.Text, got, want)
		}
		if want := beginning(theirs); !strings.Contains(strings.ReplaceAll(shown.Text, "\u2060", ""), want) && all[0].Event != "push" {
			t.Fatalf("%q: it does not show %q", shown.Text, want)
		}
		if found := tappable.FindString(strings.Join(marks(shown, true), "\n")); found != "" {
			t.Fatalf("%q: %q can be tapped", shown.Text, found)
		}
	})
}

// beginning returns the part of a quoted text that is shown.
func beginning(text string) string {
	spaced := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	runes := []rune(spaced(printable.DropControls(spaced(text))))
	return strings.TrimSpace(string(runes[:min(len(runes), 200)]))
}

// The function with replaces all foreign texts of events.
func with(all []event, theirs string) []event {
	all = slices.Clone(all)
	for i := range all {
		e := &all[i]
		e.Title, e.Text, e.Sender = theirs, theirs, theirs
		if e.Ref != "" {
			e.Ref = theirs
		}
		e.Commits = slices.Clone(e.Commits)
		for c := range e.Commits {
			e.Commits[c].Title = theirs
		}
	}
	return all
}

// marks returns the marks of a message. If outside is true, it returns the text outside of code and
// links.
func marks(t supervisor.RichText, outside bool) (list []string) {
	at, covered := 0, map[int]bool{}
	for _, m := range t.Entities {
		list = append(list, string(m.Type)+" "+m.URL)
		if m.Type == supervisor.EntityCode || m.Type == supervisor.EntityLink {
			for i := range m.Length {
				covered[m.Offset+i] = true
			}
		}
	}
	if !outside {
		return list
	}
	var b strings.Builder
	for _, r := range t.Text {
		if !covered[at] {
			b.WriteRune(r)
		} else {
			b.WriteByte('x')
		}
		at += supervisor.UTF16Length(string(r))
	}
	return []string{b.String()}
}

// TestMessageKey_EventWithoutNotice_IsEmpty checks that events without a notice have no key.
func TestMessageKey_EventWithoutNotice_IsEmpty(t *testing.T) {
	for _, e := range []event{pull("synchronize", event{}), pull("labeled", event{}), of("issues", "edited", event{Number: 7}),
		of("release", "created", event{}), talk("issue_comment", "edited", "bob", "x", event{}), of("star", "created", event{}), {}} {
		if key := notice.MessageKey(e); key != "" {
			t.Errorf("%s %s is told under %q", e.Event, e.Action, key)
		}
	}
}

func TestCheckRunResult_EachState_IsClassified(t *testing.T) {
	for state, want := range map[string][2]bool{"failure": {true, false}, "timed_out": {true, false}, "success": {false, true},
		"neutral": {}, "cancelled": {}, "skipped": {}, "": {}} {
		failed, passed := notice.CheckRunResult(check("test", state, "main"))
		if got := [2]bool{failed, passed}; got != want {
			t.Errorf("%q: %v, want %v", state, got, want)
		}
	}
	if failed, _ := notice.CheckRunResult(of("issues", "opened", event{State: "failure"})); failed {
		t.Error("an issue is no check")
	}
}
