package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/githubtest"
)

// putLines returns the source of a function that writes to a map n times.
func putLines(n int) string {
	var b strings.Builder
	b.WriteString("package main\n\nfunc put(m map[string]int) {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tm[\"k%d\"] = %d\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// putFaults returns a finding for each line that writes, as in putLines.
func putFaults(n int) (found []protocol.ReviewFinding) {
	for i := range n {
		found = append(found, bug("main.go", 4+i, fmt.Sprintf(`m["k%d"] = %d`, i, i)))
	}
	return found
}

// summary returns the text of a pull request's summary on GitHub.
func (r *rig) summary(number int) string {
	r.Helper()
	reviews := r.repo.Reviews(number)
	if len(reviews) == 0 {
		r.Fatalf("#%d has no summary", number)
	}
	return reviews[0].Body
}

// TestSummary_LaterHeads_LoseNoFinding covers four cases. They are a push of other code, a failed
// review, a failed second round of the same head, and lines that change while reviews fail.
func TestSummary_LaterHeads_LoseNoFinding(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(putLines(14))
	r.want(number, "")
	r.run(putFaults(14)...)
	first := r.repo.CommitSHA("put-it")
	listed := func(what string, heading string, parts ...string) {
		t.Helper()
		text := r.summary(number)
		r.wantParts(text, append(parts, "<summary>"+heading+"</summary>")...)
		for i := range 14 {
			if title := fmt.Sprintf("It fails at m\\[\"k%d\"\\] = %d", i, i); strings.Count(text, title) != 1 {
				t.Errorf("%s: finding %d is listed %d times:\n%s", what, i, strings.Count(text, title), text)
			}
		}
	}
	listed("at first", "14 open findings", "**Read 1 of 1 file**", "14 critical findings")

	r.repo.AddCommit("put-it", githubtest.Commit{Message: "Docs", Files: map[string]string{"docs.md": "Words.\n"}})
	r.want(number, "")
	r.run()
	listed("after an unrelated push", "14 open findings", "**Read 2 of 2 files**", r.repo.CommitSHA("put-it")[:12])

	fails := func(card string) {
		t.Helper()
		end := r.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 403,
			Text: "Resource not accessible", Times: 1,
			Route: "GET /repos/{owner}/{repo}/pulls/{number}/commits"})
		defer end()
		r.wantParts(r.run(), card)
	}
	_, err := r.reviews.RequestByAddress(t.Context(), supervisor.User{Name: "alice"}, "acme/widget#1", r.now)
	r.must(err)
	r.must(r.reviews.beginDue(t.Context()))
	fails("Not reviewed again. ")
	listed("after a failed second round", "14 open findings", "**Not reviewed again:**", noteGitHub,
		"**Read 2 of 2 files**")

	r.push("put-it", strings.ReplaceAll(putLines(14), "m[", "n["))
	r.want(number, "")
	fails("Not reviewed. ")
	listed("after a failed review of changed lines", "14 findings in lines that changed since",
		"These lines have changed, and were last reviewed at `")

	r.repo.AddCommit("put-it", githubtest.Commit{Message: "More docs", Files: map[string]string{"docs.md": "More.\n"}})
	r.want(number, "")
	r.run()
	listed("after a review of changed lines", "14 fixed findings", fmt.Sprintf("Fixed in `%.12s`",
		r.repo.CommitSHA("put-it")))

	r.push("put-it", putLines(14))
	r.want(number, "")
	r.run()
	listed("after the fix was undone", "14 open findings")
	r.same("mails", r.hub.CountMails("acme/widget", number), 1)
	r.same("first head", r.repo.Reviews(number)[0].Head, first)
}

// TestSummary_UnreadFiles_AreNamed covers each reason why a file was not read.
func TestSummary_UnreadFiles_AreNamed(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	folder := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(folder, name)
		r.must(os.MkdirAll(filepath.Dir(path), 0o755))
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		r.must(os.WriteFile(path, []byte(text), mode))
	}
	write("run.sh", "echo\n", 0o644)
	write("old.txt", strings.Repeat("the same\n", 9), 0o644)
	write("gone.png", "\x00\x01", 0o644)
	write("README.md", "# x\n", 0o644)
	r.repo.AddCommit("main", githubtest.Commit{Message: "Begin", Folder: folder})
	write("run.sh", "echo\n", 0o755)
	r.must(os.Rename(filepath.Join(folder, "old.txt"), filepath.Join(folder, "new.txt")))
	r.must(os.Remove(filepath.Join(folder, "gone.png")))
	write("img.png", "\x00\x02", 0o644)
	write("empty", "", 0o644)
	write("go.sum", "x v1 h1:y\n", 0o644)
	write("made.pb.go", "package made\n", 0o644)
	write("main.go", code, 0o644)
	write("z.go", "package main\n"+strings.Repeat("\nvar _ = 1", 2000)+"\n", 0o644)
	r.repo.AddCommit("put-it", githubtest.Commit{Message: "Change", Folder: folder})
	number := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "Put it", Head: "put-it"})
	r.want(number, "")
	turn, _ := r.turn()
	card, err := r.reviews.RunTurn(t.Context(), turn, func(_ context.Context,
		m protocol.ReviewMaterial) (protocol.ReviewReport, error) {
		report := protocol.ReviewReport{Verdict: "Fine."}
		for _, chunk := range m.Chunks[1:] { // the money is spent before z.go is read in full
			report.Unread = append(report.Unread, protocol.ReviewText{Name: chunk.Name,
				Text: "$1.00 of $1.00 are spent by claude/opus"})
		}
		return report, nil
	})
	r.must(err)
	text := r.summary(number)
	r.wantParts(text, "**Read 1 of 9 files**", "no findings in what was read", "<summary>Not read: 8 files</summary>",
		"- `img.png`: binary", "- `gone.png`: binary", "- `run.sh`: file mode only", "- `new.txt`: renamed only",
		"- `empty`: empty", "- `go.sum`: lock file",
		"- `made.pb.go`: generated", "- `z.go`, in part: limit of this review")
	for _, host := range []string{"$", "claude"} {
		if strings.Contains(text, host) {
			t.Errorf("GitHub is told of %q:\n%s", host, text)
		}
	}
	r.wantParts(card, "2 files (binary)", "1 file (file mode only)", "1 file (renamed only)", "1 file (empty)",
		"1 file (lock file)", "1 file (generated)", "Read 1 of 9 files.", "spent by claude/opus")
}

// TestCleanReview_PostsNothing covers a change that was read in full and has no finding.
func TestCleanReview_PostsNothing(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	r.want(number, "")
	r.wantParts(r.run(), "no findings", "Nothing was posted: the review read all files and found no problems.")
	r.same("posted", r.posted(number), []string(nil))
	r.repo.AddCommit("put-it", githubtest.Commit{Message: "Sums", Files: map[string]string{"go.sum": "x\n"}})
	r.want(number, "")
	r.run()
	r.same("posted", r.posted(number), []string{"COMMENTED"})
	r.wantParts(r.summary(number), "**Read 1 of 2 files**", "`go.sum`: lock file")

	r.repo.SetPermission("bob", "write")
	other := r.open(code+"// two\n", func(p *githubtest.NewPullRequest) { p.Head = "two" })
	r.want(other, "bob") // bob requested the review on GitHub, so he gets an answer there
	r.run()
	r.wantParts(r.summary(other), "**Read 1 of 1 file**", "no findings")
}

// TestCheckRun_CleanReview_Succeeds covers the conclusions that a check run may have.
func TestCheckRun_CleanReview_Succeeds(t *testing.T) {
	r := newRig(t, githubtest.Options{App: &githubtest.App{}})
	r.served.Post = supervisor.PostAsCheckRun
	number := r.open(code)
	r.want(number, "")
	r.run(bug("main.go", 4, `m["a"] = 1`))
	clean := r.open(code+"// two\n", func(p *githubtest.NewPullRequest) { p.Head = "two" })
	r.want(clean, "")
	r.run()
	r.repo.AddCommit("put-it", githubtest.Commit{Message: "Docs", Files: map[string]string{"docs.md": "Words.\n"}})
	r.want(number, "")
	r.run()
	var got []string
	for _, c := range r.repo.CheckRuns() {
		got = append(got, c.Conclusion+": "+c.Title)
	}
	r.same("check runs", got, []string{"neutral: 1 critical finding", "success: no findings",
		"neutral: 1 critical finding"})
	r.wantParts(r.repo.CheckRuns()[2].Summary, "`main.go:4`", "**Read 2 of 2 files**")
}

// TestUnreviewedHead_PullRequestGetsOneMail covers drafts, unfinished titles and the limit of
// heads. Each pull request causes one mail, and its summary keeps the findings.
func TestUnreviewedHead_PullRequestGetsOneMail(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	r.reviews.o.Heads = 2
	limited := r.open(code)
	for i := range 4 {
		r.push("put-it", code+strings.Repeat("// more\n", i+1))
		r.want(limited, "")
		r.run(bug("main.go", 4, `m["a"] = 1`))
	}
	last := r.repo.CommitSHA("put-it")
	r.wantParts(r.summary(limited),
		fmt.Sprintf("**Not reviewed:** `%.12s`. This pull request has reached its limit of automatic reviews. "+
			"Write `@mews "+
			"review` for another one.", last),
		"<summary>1 open finding</summary>", "`main.go:4`")
	r.same("mails", r.hub.CountMails("acme/widget", limited), 1)

	draft := r.open(code, func(p *githubtest.NewPullRequest) { p.Head, p.Draft = "draft", true })
	for i := range 3 {
		r.want(draft, "")
		r.push("draft", code+strings.Repeat("// more\n", i+1))
	}
	r.want(draft, "")
	r.same("posted", r.posted(draft), []string{"COMMENTED"})
	r.wantParts(r.summary(draft), "**Not reviewed:**", noteDraft)
	r.repo.MarkDraftReady(draft)
	r.want(draft, "")
	r.run(bug("main.go", 4, `m["a"] = 1`))
	r.same("posted", r.posted(draft), []string{"COMMENTED", "COMMENTED main.go:4"})
	r.wantParts(r.summary(draft), "**Read 1 of 1 file**", "`main.go:4`")
	if strings.Contains(r.summary(draft), "Not reviewed") {
		t.Errorf("it was reviewed, and says %s", r.summary(draft))
	}
	// a thumbs-down on a comment of the second review counts, too
	r.repo.SetPermission("alice", "write")
	r.repo.AddReaction(r.repo.Reviews(draft)[1].Comments[0].ID, "alice", "-1")
	r.reviews.pollReactions(t.Context())
	r.wantParts(r.summary(draft), "Muted by alice.")

	titled := r.open(code, func(p *githubtest.NewPullRequest) { p.Head, p.Title = "titled", "[WIP] Put it" })
	r.want(titled, "")
	r.wantParts(r.summary(titled), noteUnfinished)
	r.served.Post = supervisor.PostOnlyCard
	silent := r.open(code, func(p *githubtest.NewPullRequest) { p.Head, p.Draft = "silent", true })
	r.want(silent, "")
	r.same("with post: card", r.posted(silent), []string(nil))
}

// TestDraftTitle_SimilarNames_AreNoDrafts covers titles of unfinished work, and titles that begin
// with similar names.
func TestDraftTitle_SimilarNames_AreNoDrafts(t *testing.T) {
	for title, want := range map[string]bool{
		"draft: put it": true, "Draft : put it": true, "[Draft] put it": true, "(draft) put it": true, "WIP": true,
		"WIP put it":  true,
		"wip: put it": true, "WIP - put it": true, "Draft – put it": true, "🚧 put it": true,
		"[do not merge] put it": true, "  [wip] put it": true,
		"draft-js: fix a crash": false, "Draft-js upgrade": false, "draftsman: put it": false,
		"wip-tools: fix": false, "Wipe the cache": false,
		"Drafts are kept": false, "draft release notes": false, "wipe: all": false, "Put a draft: into it": false,
	} {
		if unfinishedTitle.MatchString(title) != want {
			t.Errorf("%q: unfinished %v", title, !want)
		}
	}
}

// TestPost_ClosedMeanwhile_PostsNothing covers a pull request that is closed or merged while a
// worker reads it.
func TestPost_ClosedMeanwhile_PostsNothing(t *testing.T) {
	for why, end := range map[string]func(*githubtest.Repo, int){textClosedMeanwhile: (*githubtest.Repo).CloseIssue,
		textMergedMeanwhile: (*githubtest.Repo).MergePullRequest} {
		r := newRig(t, githubtest.Options{Strict: true})
		number := r.open(code)
		r.want(number, "")
		turn, _ := r.turn()
		card, err := r.reviews.RunTurn(t.Context(), turn, func(ctx context.Context,
			m protocol.ReviewMaterial) (protocol.ReviewReport, error) {
			end(r.repo, number)
			return r.reader(bug("main.go", 4, `m["a"] = 1`))(ctx, m)
		})
		r.must(err)
		r.wantParts(card, "`main.go:4`", "Not posted: "+why)
		r.same("posted", r.posted(number), []string(nil))
		r.same("mails", r.hub.CountMails("acme/widget", number), 0)
		// after the pull request was opened again, the next review posts the known findings
		if why == textClosedMeanwhile {
			r.repo.ReopenIssue(number)
			r.repo.AddCommit("put-it", githubtest.Commit{Message: "Docs",
				Files: map[string]string{"docs.md": "Words.\n"}})
			_, end := r.db.Turns().Finish(t.Context(), endOf(turn, card))
			r.must(end)
			r.want(number, "")
			r.run()
			r.same("posted later", r.posted(number), []string{"COMMENTED main.go:4"})
		}
	}
}

// TestPost_PushAfterLastCheck_ReviewsNewHead covers a push between the last check of the head and
// the post. GitHub then refuses the comments on the old head.
func TestPost_PushAfterLastCheck_ReviewsNewHead(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	r.want(number, "")
	r.sending = func(q *http.Request) {
		if q.Method == http.MethodPost && strings.HasSuffix(q.URL.Path, "/reviews") {
			r.sending = nil
			r.push("put-it", "package main\n\nfunc drop() { panic(1) }\n")
			r.hub.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 422,
				Text: "Unprocessable: Line could not be resolved", Times: 1,
				Route: "POST /repos/{owner}/{repo}/pulls/{number}/reviews"})
		}
	}
	turn, _ := r.turn()
	_, err := r.reviews.RunTurn(t.Context(), turn, func(ctx context.Context,
		m protocol.ReviewMaterial) (protocol.ReviewReport, error) {
		if r.read == 0 {
			return r.reader(bug("main.go", 4, `m["a"] = 1`))(ctx, m)
		}
		return r.reader(bug("main.go", 3, "panic(1)"))(ctx, m)
	})
	r.must(err)
	r.same("posted", r.posted(number), []string{"COMMENTED main.go:3"})
	r.wantParts(r.summary(number), "<summary>1 fixed finding</summary>", "<summary>1 open finding</summary>")
}

// TestPost_PushMeanwhile_ReadsOnlyTheRest covers a push during a review. The same change must not
// be paid for twice, and no finding of the first reading may be lost.
func TestPost_PushMeanwhile_ReadsOnlyTheRest(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	r.want(number, "")
	turn, _ := r.turn()
	var read []string
	_, err := r.reviews.RunTurn(t.Context(), turn, func(ctx context.Context,
		m protocol.ReviewMaterial) (protocol.ReviewReport, error) {
		for _, chunk := range m.Chunks {
			for _, f := range chunk.Files {
				read = append(read, f.Path)
			}
		}
		if r.read == 0 {
			r.repo.AddCommit("put-it", githubtest.Commit{Message: "Docs",
				Files: map[string]string{"docs.md": "Words.\n"}})
			return r.reader(bug("main.go", 4, `m["a"] = 1`))(ctx, m)
		}
		return r.reader()(ctx, m)
	})
	r.must(err)
	r.same("read", read, []string{"main.go", "docs.md"})
	r.same("posted", r.posted(number), []string{"COMMENTED main.go:4"})
	r.same("head", r.repo.Reviews(number)[0].Head, r.repo.CommitSHA("put-it"))
}

// TestReview_SameFaultOtherCategory_PostsOnce covers a model that gives the same fault another
// category at each head.
func TestReview_SameFaultOtherCategory_PostsOnce(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	for i, category := range []string{"bug", "error", "security"} {
		r.push("put-it", code+strings.Repeat("// more\n", i+1))
		r.want(number, "")
		again := bug("main.go", 4, `m["a"] = 1`)
		again.Category, again.Title = category, []string{"A nil map panics", "Panics on nil maps",
			"The map is nil: panic"}[i]
		r.run(again)
	}
	r.same("posted", r.posted(number), []string{"COMMENTED main.go:4"})
	r.wantParts(r.summary(number), "<summary>1 open finding</summary>")
}

// TestCard_OnlyFindingRefuted_HidesVerdict covers a second check that refutes the only finding.
func TestCard_OnlyFindingRefuted_HidesVerdict(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	r.want(number, "")
	no := bug("main.go", 4, `m["a"] = 1`)
	no.Refutation = "m is never nil"
	card := r.run(no)
	r.wantParts(card, "Found: no findings.", "A second check rejected 1 finding.")
	if strings.Contains(card, "It could be worse.") {
		t.Errorf("the verdict on a refuted finding is shown: %s", card)
	}
	r.same("posted", r.posted(number), []string(nil))
	r.push("put-it", code+"\nfunc get() {\n\tgo(1)\n}\n")
	r.want(number, "")
	r.run(bug("main.go", 8, "go(1)"))
	r.wantParts(r.summary(number), "<summary>1 refuted finding</summary>", "Refuted: m is never nil")
}

// TestSummary_SixtyFindings_ListsAll covers more findings than a review may have comments.
func TestSummary_SixtyFindings_ListsAll(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(putLines(60))
	r.want(number, "")
	r.run(putFaults(60)...)
	r.same("comments", len(r.repo.Reviews(number)[0].Comments), 10)
	text := r.summary(number)
	r.wantParts(text, "60 critical findings", "<summary>60 open findings</summary>")
	r.same("lines", strings.Count(text, "\n- `main.go:"), 60)
}

// TestSummary_OlderVersion_KeepsItsFindings covers a pull request that an older version of Mews
// reviewed.
func TestSummary_OlderVersion_KeepsItsFindings(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	number := r.open(code)
	id := r.repo.AddReview(number, "mews-bot", "COMMENTED", "old summary")
	r.want(number, "")
	turn, _ := r.turn()
	w, _, err := r.db.Reviews().FindByTurn(t.Context(), turn, "acme/widget", number)
	r.must(err)
	w.State, w.Turn = supervisor.ReviewRunning, turn.ID
	w.Posted = fmt.Sprintf(`{"review":%d,"summary":true,"round":1,"said":["0123456789abcdef"]}`, id)
	w.Result = `{"Inline":[{"path":"main.go","line":4,"side":"RIGHT","severity":"critical","category":"bug",` +
		`"title":"Nil map","detail":"Panics.","quote":"m[\"a\"] = 1","confidence":0.9,` +
		`"Placed":true,"Fingerprint":"0123456789abcdef"}],"Title":"Put it"}`
	r.must(r.db.Reviews().Update(t.Context(), w))
	w.State = supervisor.ReviewDone
	r.must(r.db.Reviews().Update(t.Context(), w))
	_, err = r.db.Turns().Finish(t.Context(), endOf(turn, "card"))
	r.must(err)
	r.repo.AddCommit("put-it", githubtest.Commit{Message: "Docs", Files: map[string]string{"docs.md": "Words.\n"}})
	r.want(number, "")
	r.run()
	r.wantParts(r.summary(number), "<summary>1 open finding</summary>", "Nil map", "`main.go:4`")
	r.same("posted", r.posted(number), []string{"COMMENTED"})
}
