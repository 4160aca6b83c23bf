package githubtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mews/supervisor/github/githubtest"
)

func TestLimit_ViolationIsRecorded(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	n := r.repo.OpenIssue(githubtest.NewIssue{Title: "x"})
	comment := func() response {
		return r.ask("POST", fmt.Sprintf("/repos/%s/issues/%d/comments", widget, n), object{"body": "x"})
	}
	violations := func(want int, when string) {
		t.Helper()
		if v := r.LimitViolations(); len(v) != want {
			t.Errorf("%s: %d violations: %q", when, len(v), v)
		}
	}
	for range 80 {
		comment()
	}
	violations(0, "80 writes within a minute")
	if g := comment(); g.code != 403 || g.header.Get("Retry-After") != "60" || !strings.Contains(g.body, "secondary rate limit") {
		t.Errorf("the 81st: %d %v", g.code, g.header)
	}
	violations(1, "the 81st")
	comment()
	violations(1, "what was on its way")
	r.AdvanceClock(10 * time.Second)
	if g := comment(); g.code != 403 || g.header.Get("Retry-After") != "50" {
		t.Errorf("after 10 s: %d %v", g.code, g.header)
	}
	violations(2, "before the end of Retry-After")
	r.AdvanceClock(51 * time.Second)
	if g := comment(); g.code != 201 {
		t.Errorf("after its end: %d", g.code)
	}
	r.InjectFault(githubtest.Fault{Kind: githubtest.FaultSecondaryLimit, Code: 429, RetryAfter: 30})
	if g := comment(); g.code != 429 {
		t.Errorf("got %d", g.code)
	}
	r.RecordClientCrash()
	r.AdvanceClock(5 * time.Second)
	comment()
	violations(2, "a client that was killed may know nothing")
	r.AdvanceClock(5 * time.Second)
	comment()
	violations(3, "it was told again")

	r.AdvanceClock(time.Hour)
	r.SetRateLimit("core", 2)
	list := r.ask("GET", "/repos/"+widget+"/issues", nil)
	if list.header.Get("X-RateLimit-Remaining") != "1" {
		t.Errorf("%v", list.header)
	}
	for range 5 {
		if g := r.ask("GET", "/repos/"+widget+"/issues", nil, "If-None-Match", list.header.Get("ETag")); g.code != http.StatusNotModified || g.header.Get("X-RateLimit-Remaining") != "1" {
			t.Errorf("what is still so: %d %v", g.code, g.header)
		}
	}
	r.ask("GET", "/repos/"+widget, nil)
	r.AdvanceClock(time.Second)
	if g := r.ask("GET", "/repos/"+widget, nil); g.code != 403 || g.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("beyond the limit: %d %v", g.code, g.header)
	}
	violations(4, "X-RateLimit-Remaining was 0")
}

func TestFault_FailsSelectedRequests(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	n := r.repo.OpenIssue(githubtest.NewIssue{Title: "x"})
	path := fmt.Sprintf("/repos/%s/issues/%d/comments", widget, n)
	r.InjectFault(githubtest.Fault{Kind: githubtest.FaultErrorStatus, Code: 503, Route: "POST ", Skip: 1, Times: 2})
	var codes []int
	for range 4 {
		codes = append(codes, r.ask("POST", path, object{"body": "x"}).code, r.ask("GET", path, nil).code)
	}
	if fmt.Sprint(codes) != "[201 200 503 200 503 200 201 200]" {
		t.Errorf("got %v", codes)
	}
	r.InjectFault(githubtest.Fault{Kind: githubtest.FaultConnReset, After: true, Route: "POST "})
	if g, err := r.try("POST", path, object{"body": "lost"}); err == nil {
		t.Errorf("it was answered: %d", g.code)
	}
	if all := r.repo.Issue(n).Comments; len(all) != 3 || all[2].Body != "lost" {
		t.Errorf("there are %+v", all)
	}
	last := r.Requests()[len(r.Requests())-1]
	if !last.Done || last.Code != 0 || !last.Write || last.Route != "POST /repos/{owner}/{repo}/issues/{number}/comments" {
		t.Errorf("it was seen as %+v", last)
	}
}
