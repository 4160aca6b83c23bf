package github_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite/sqlitetest"
)

// TestEventHandler_RequestsReviewsAndTriages checks which events request a review or a triage for
// which user.
func TestEventHandler_RequestsReviewsAndTriages(t *testing.T) {
	fork := pull("opened", 12)
	fork.Fork = true
	bot := pull("opened", 12)
	bot.SenderBot = true
	own := comment(12, "@mews review")
	own.Sender = "Mews-Bot"
	ownPull := pull("opened", 12)
	ownPull.Sender = "mews-bot"
	other := pull("opened", 12)
	other.Repo = "acme/other"
	stranger := comment(12, "@mews review")
	stranger.Association = "CONTRIBUTOR"
	strangerStop := comment(12, "@mews stop")
	strangerStop.Association = "NONE"
	below := comment(7, "@mews triage")
	below.IsPull = false
	issue := event{Event: "issues", Action: "opened", Number: 7, Title: "It"}
	review := comment(12, "Hm.\n@mews review")
	review.Event, review.Action = "pull_request_review", "submitted"
	cases := map[string]struct {
		event           event
		reviews, triage string
	}{
		"opened":              {pull("opened", 12), "acme/widget#12 fork=false", ""},
		"reopened":            {pull("reopened", 12), "acme/widget#12 fork=false", ""},
		"ready":               {pull("ready_for_review", 12), "acme/widget#12 fork=false", ""},
		"pushed to":           {pull("synchronize", 12), "acme/widget#12 fork=false", ""},
		"a fork":              {fork, "acme/widget#12 fork=true", ""},
		"closed":              {pull("closed", 12), "", ""},
		"labeled":             {pull("labeled", 12), "", ""},
		"unlabeled":           {pull("unlabeled", 12), "acme/widget#12 fork=false recheck", ""},
		"edited":              {pull("edited", 12), "acme/widget#12 fork=false recheck", ""},
		"a bot's":             {bot, "", ""},
		"the token owner's":   {ownPull, "acme/widget#12 fork=false", ""},
		"not served":          {other, "", ""},
		"asked":               {comment(12, "@mews review"), "acme/widget#12 dave fork=false", ""},
		"asked for something": {comment(12, "Thanks!\r\n@Mews, review the locks, please\r\n"), "acme/widget#12 dave the locks, please fork=false", ""},
		"asked of the app":    {comment(12, "@mews[bot] review"), "acme/widget#12 dave fork=false", ""},
		"asked in a review":   {review, "acme/widget#12 dave fork=false", ""},
		"asked by a stranger": {stranger, "", ""},
		"asked by ourselves":  {own, "", ""},
		"asked of another":    {comment(12, "@mewsy review"), "", ""},
		"quoted":              {comment(12, "> @mews review"), "", ""},
		"stop in a fence":     {comment(12, "So:\n```\n@mews stop\n```"), "", ""},
		"review in a fence":   {comment(12, "~~~\n@mews review\n~~~\nor `\n@mews review\n`"), "", ""},
		"in a quote's line":   {comment(12, "> So:\n@mews stop"), "", ""},
		"below a fence": {comment(12, "```\n@mews stop\n```\n@mews review"),
			"acme/widget#12 dave fork=false", ""},
		"talked of":          {comment(12, "I had @mews review it"), "", ""},
		"reviewing":          {comment(12, "@mews reviewing"), "", ""},
		"stopped":            {comment(12, "@mews stop"), "stop acme/widget#12 dave", ""},
		"stopped by a guest": {strangerStop, "stop acme/widget#12 dave", ""}, // authors may always stop reviews
		"an issue":           {issue, "", "acme/widget#7 fork=false"},
		"asked of an issue":  {below, "", "acme/widget#7 dave fork=false"},
		"review of an issue": {event{Event: "issue_comment", Action: "created", Number: 7, Text: "@mews review", Association: "OWNER"}, "", ""},
	}
	inBubble(t, func(t *testing.T) {
		r := newRig(t, widget())
		for name, c := range cases {
			r.reviews.asked, r.triages.asked = nil, nil
			r.put(name, c.event)
			r.live(time.Second)
			r.same("reviews after: "+name, r.reviews.asked, words(c.reviews))
			r.same("triages after: "+name, r.triages.asked, words(c.triage))
		}
	})
}

func words(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// TestNotices_GoToConfiguredReaders checks that users, groups and topics get the same notices.
// Without configured readers, the admins get the notices.
func TestNotices_GoToConfiguredReaders(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		quiet := supervisor.GitHubRepo{Name: "acme/quiet", User: "bob"}
		r := newRig(t, widget(), quiet)
		r.put("1", pull("opened", 12))
		r.put("2", event{Repo: "ACME/quiet", Event: "issues", Action: "opened", Number: 3, Title: "It"})
		asked := pull("review_requested", 12)
		asked.Labels = []string{"Carol", "nobody"}
		r.put("3", asked)
		r.put("4", event{Repo: "acme/unknown", Event: "issues", Action: "opened", Number: 3, Title: "It"})
		r.live(20 * time.Second)
		r.same("told before the burst is over", r.told(), nil)
		r.live(time.Minute)
		r.same("told", r.told(), []string{
			"alice -100123 45: PR #12 opened in `Acme/Widget` by dave",
			"alice 42: PR #12 opened in `Acme/Widget` by dave",
			"alice 42: Issue #3 opened in `ACME/quiet` by dave",
			"bob 43: You were asked to review #12 in `Acme/Widget` by dave",
		})
	})
}

// TestNotices_ManyAtOnce_SendOneMessage checks that events of one kind share a message if they come
// within 30 seconds.
func TestNotices_ManyAtOnce_SendOneMessage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		repo := widget()
		repo.Notify = repo.Notify[:1]
		r := newRig(t, repo)
		for i := range 3 {
			r.put(fmt.Sprint("c", i), comment(12, "Hm."))
			r.live(8 * time.Second)
		}
		r.put("other", comment(13, "Hm."))
		r.live(20 * time.Second)
		r.put("late", comment(12, "Hm."))
		r.live(time.Minute)
		r.same("told", r.told(), []string{"alice 42: 3 comments on #12 in `Acme/Widget`", "alice 42: dave commented on #13 in `Acme/Widget`",
			"alice 42: dave commented on #12 in `Acme/Widget`"})
	})
}

// TestCheckRun_PassAfterFailure_IsReported checks that a passed check is reported only after a
// failure. A failure is reported once for each commit.
func TestCheckRun_PassAfterFailure_IsReported(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		repo := widget()
		repo.Notify = repo.Notify[:1]
		r := newRig(t, repo)
		for i, e := range []event{
			check("test", "success", "a1"), check("test", "failure", "a2"), check("test", "failure", "a2"), check("lint", "success", "a2"),
			check("test", "neutral", "a3"), check("test", "failure", "a3"), check("test", "success", "a4"), check("test", "success", "a5"),
		} {
			e.At = time.Now()
			r.put(fmt.Sprint(i), e)
			r.live(time.Minute)
		}
		r.same("told", r.told(), []string{"alice 42: 1 check failed on `Acme/Widget:main`", "alice 42: 1 check failed on `Acme/Widget:main`",
			"alice 42: 1 check recovered on `Acme/Widget:main`"})
		r.put("red", check("test", "failure", "a6"))
		r.put("gone", event{Event: "push", Ref: "main", Before: "a6", Deleted: true})
		r.put("green", check("test", "success", "a7"))
		r.live(time.Minute)
		r.same("told of a branch that is gone", r.told()[3:], []string{"alice 42: 1 check failed on `Acme/Widget:main`",
			"alice 42: Branch deleted: `Acme/Widget:main` by dave"})
	})
}

// TestNotice_OneChatFails_OtherChatsGetTheirs checks that one notice that can't be stored does not
// stop the notices of other conversations.
func TestNotice_OneChatFails_OtherChatsGetTheirs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, widget())
		sqlitetest.ExecStatements(t, r.db, `CREATE TRIGGER refuse BEFORE INSERT ON outbox WHEN new.conversation = 1 BEGIN SELECT raise(ABORT, 'no'); END`)
		r.put("1", pull("opened", 12))
		r.live(time.Minute)
		r.same("told", r.told(), []string{"alice 42: PR #12 opened in `Acme/Widget` by dave"})
		sqlitetest.ExecStatements(t, r.db, `DROP TRIGGER refuse`)
		r.live(time.Minute)
		r.same("told later", r.told()[1:], []string{"alice -100123 45: PR #12 opened in `Acme/Widget` by dave"})
	})
}

// TestDelivery_Refused_LaterOnesAreHandled checks that a delivery that can never be handled counts
// as failed. Later deliveries are handled.
func TestDelivery_Refused_LaterOnesAreHandled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, widget())
		r.reviews.err = supervisor.Errorf(supervisor.CodeInvalid, "no")
		r.put("1", pull("opened", 12))
		r.put("2", comment(12, "Hm."))
		r.live(time.Minute)
		r.same("states", sqlitetest.QueryColumn(t, r.db, `SELECT state || why FROM webhook_delivery ORDER BY id`),
			[]string{"failed" + "no", "done"})
		r.reviews.err = errors.New("not now")
		r.put("3", pull("opened", 13))
		r.live(time.Minute)
		r.reviews.err = nil
		r.live(time.Minute)
		r.same("reviews", r.reviews.asked, []string{"acme/widget#13 fork=false"})
	})
}

// TestReviewProgress_IsAddedToLastNotice checks that the state of a review is added to the last
// message about its pull request, in each chat.
func TestReviewProgress_IsAddedToLastNotice(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, widget())
		r.put("1", pull("opened", 12))
		r.live(time.Minute)
		sqlitetest.ExecStatements(t, r.db, `INSERT INTO post (user, conversation, delivery, part, state, message, content, changed_at)
			SELECT user, conversation, id, 0, 'sent', '7' || id, '{}', 1 FROM outbox WHERE conversation = 2`)
		for _, line := range []string{"Reviewed: 1 critical finding", "Reviewed: nothing found"} {
			if err := r.events.AddLineToNotices(t.Context(), "Acme/Widget", 12, line); err != nil {
				t.Fatal(err)
			}
		}
		edits := sqlitetest.QueryColumn(t, r.db, `SELECT message || what || (content ->> 'text') FROM cleaning ORDER BY id`)
		r.same("edits", edits, []string{
			"72editPR #12 opened in Acme/Widget by dave\nCount\ncounting into main\n\nReviewed: 1 critical finding",
			"72editPR #12 opened in Acme/Widget by dave\nCount\ncounting into main\n\nReviewed: nothing found"})
	})
}

// TestDeliveries_CrashAnywhere_AreReportedOnce repeats and reorders deliveries, and stops the
// service after each commit. Each chat must get each event's notice once, and each request must be
// made.
func TestDeliveries_CrashAnywhere_AreReportedOnce(t *testing.T) {
	for seed := range uint64(6) {
		inBubble(t, func(t *testing.T) {
			r := newRig(t, widget())
			for _, n := range rand.New(rand.NewPCG(seed, 0)).Perm(9) {
				r.put(fmt.Sprint(n%6), event{Event: "issues", Action: "opened", Number: n%6 + 1, Title: "It"})
			}
			lives := 0
			for left := "1"; left != "0"; lives++ {
				r.begin()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				r.committed = cancel
				if err := r.events.Run(ctx); err != nil {
					t.Error(err)
				}
				left = sqlitetest.QueryColumn(t, r.db,
					`SELECT (SELECT count(*) FROM webhook_delivery WHERE state = 'new') + (SELECT count(*) FROM repository_notice)`)[0]
			}
			if lives < 18 {
				t.Errorf("it had %d lives, and 18 things to keep", lives)
			}
			seen := map[string]int{}
			for _, line := range r.told() {
				seen[line]++
			}
			for n := range 6 {
				for _, chat := range []string{"alice 42", "alice -100123 45"} {
					if line := fmt.Sprintf("%s: Issue #%d opened in `Acme/Widget` by dave", chat, n+1); seen[line] != 1 || len(seen) != 12 {
						t.Errorf("%q was told %d times of %v", line, seen[line], seen)
					}
				}
				if heard := fmt.Sprintf("acme/widget#%d fork=false", n+1); !slices.Contains(r.triages.asked, heard) {
					t.Errorf("%q was not heard", heard)
				}
			}
		})
	}
}
