package api_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"mews/supervisor/github/api"
	"mews/supervisor/github/githubtest"
	"mews/supervisor/problem"
)

// TestWrites_StayWithinLimits writes as fast as allowed for two hours, with restarts. The fake
// GitHub must never get more writes than its limits allow.
func TestWrites_StayWithinLimits(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	n := r.open()
	done, refused := 0, 0
	for done < 1040 {
		_, err := r.CreateComment(t.Context(), widget, n, "again")
		if err == nil {
			done++
			if done%170 == 0 {
				r.Client = r.client(t)
			}
			continue
		}
		e := failure(t, err, api.RateLimited)
		if e.Status != 0 || e.Until.Sub(r.Now()) > time.Hour+time.Minute {
			t.Fatalf("refused until %v: %v", e.Until.Sub(r.Now()), err)
		}
		refused++
		r.AdvanceClock(max(e.Until.Sub(r.Now()), 0))
	}
	if asked := len(r.Requests("POST /repos/{owner}/{repo}/issues/{number}/comments")); asked != done {
		t.Errorf("%d requests for %d comments", asked, done)
	}
	if refused < 8 {
		t.Errorf("it waited %d times alone", refused)
	}
}

func TestRetryAfter_SurvivesRestart(t *testing.T) {
	for _, code := range []int{403, 429} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			r := newRig(t, githubtest.Options{Strict: true})
			ctx := t.Context()
			n := r.open()
			r.InjectFault(githubtest.Fault{Kind: githubtest.FaultSecondaryLimit, Code: code, RetryAfter: 90})
			_, err := r.CreateComment(ctx, widget, n, "x")
			e := failure(t, err, api.RateLimited)
			if e.Status != code || e.Unknown {
				t.Errorf("got %+v", e)
			}
			asked := len(r.Requests())
			r.Client = r.client(t)
			r.AdvanceClock(89 * time.Second)
			if _, err = r.PullRequest(ctx, widget, n); len(r.Requests()) != asked {
				t.Errorf("it asked before 90 s were over: %v", err)
			}
			failure(t, err, api.RateLimited)
			r.AdvanceClock(2 * time.Second)
			must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
		})
	}
}

func TestPause_WithoutRetryAfter_Doubles(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	ctx := t.Context()
	r.InjectFault(githubtest.Fault{Kind: githubtest.FaultSecondaryLimit, Wordless: true, Times: 4})
	for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute} {
		_, err := r.Repository(ctx, widget)
		e := failure(t, err, api.RateLimited)
		if wait := e.Until.Sub(r.Now()).Round(time.Second); wait != want {
			t.Errorf("it waits %v, want %v", wait, want)
		}
		r.AdvanceClock(want)
	}
	must[api.Repository](t)(r.Repository(ctx, widget))
	r.InjectFault(githubtest.Fault{Kind: githubtest.FaultSecondaryLimit, Wordless: true})
	_, err := r.Repository(ctx, widget)
	if wait := failure(t, err, api.RateLimited).Until.Sub(r.Now()).Round(time.Second); wait != time.Minute {
		t.Errorf("after one that went well it waits %v", wait)
	}
}

func TestLimitReset_UsesGitHubsClock(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	n := r.open()
	r.AdvanceClock(3 * time.Hour)
	// this client uses the machine's clock, not the rig's
	c, err := api.New(api.Options{URL: r.URL(), Token: r.Token})
	if err != nil {
		t.Fatal(err)
	}
	r.SetRateLimit("core", 1)
	must[api.PullRequest](t)(c.PullRequest(t.Context(), widget, n))
	_, err = c.PullRequest(t.Context(), widget, n)
	if wait := time.Until(failure(t, err, api.RateLimited).Until); wait > time.Hour+2*time.Second {
		t.Errorf("it waits %v", wait)
	}
}

// brokenStore is a LimitStore that can't store anything.
type brokenStore struct{ api.LimitStore }

func (brokenStore) SaveLimit(context.Context, string, []byte) error { return errDisk }

var errDisk = problem.New(problem.DiskFull, nil)

func TestWrite_LimitStoreFails_IsRefused(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	n := r.open()
	c, err := api.New(api.Options{URL: r.URL(), Token: r.Token, Store: brokenStore{r.store}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.CreateComment(t.Context(), widget, n, "x")
	if !errors.Is(err, errDisk) || problem.UserText(err) != problem.UserText(errDisk) {
		t.Errorf("got %v", err)
	}
	if len(r.repo.Issue(n).Comments) != 0 {
		t.Error("it was written")
	}
}

func TestPrimaryLimit_UsedUp_SendsNothing(t *testing.T) {
	r := newRig(t, githubtest.Options{Strict: true})
	ctx := t.Context()
	n := r.open()
	page := must[api.Page[api.PullRequest]](t)(r.PullRequests(ctx, widget, "open", 10, ""))
	r.SetRateLimit("core", 3)
	for range 10 { // unchanged answers do not count against the limit
		page = must[api.Page[api.PullRequest]](t)(r.PullRequests(ctx, widget, "open", 10, page.ETag))
	}
	must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
	must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
	limits := must[api.RateLimits](t)(r.RateLimits(ctx, widget))
	if limits.Core.Left != 0 || limits.Core.Most != 3 || limits.GraphQL.Left != 5000 {
		t.Errorf("the limits are %+v", limits)
	}
	asked := len(r.Requests())
	_, err := r.PullRequest(ctx, widget, n)
	e := failure(t, err, api.RateLimited)
	if len(r.Requests()) != asked || e.Until.Sub(r.Now()) > time.Hour+2*time.Second {
		t.Errorf("it asked, or waits until %v", e.Until)
	}
	if _, _, err := r.ReviewThreads(ctx, widget, n); err != nil {
		t.Errorf("GraphQL has a limit of its own: %v", err)
	}
	r.AdvanceClock(e.Until.Sub(r.Now()))
	must[api.PullRequest](t)(r.PullRequest(ctx, widget, n))
}
