package githubtest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"mews/supervisor/github/githubtest"
)

// receiver is a server that receives webhooks.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	events []string // received events, each as "event action GUID"
	code   int
}

func newReceiver(t *testing.T, secret string) *receiver {
	v := &receiver{code: 200}
	v.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("X-Hub-Signature-256") != githubtest.SignatureOf(secret, body) {
			t.Errorf("a body that is not signed: %v", err)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		v.events = append(v.events, r.Header.Get("X-GitHub-Event")+" "+r.Header.Get("X-GitHub-Delivery"))
		rw.WriteHeader(v.code)
	}))
	t.Cleanup(v.Close)
	return v
}

func (v *receiver) got() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.events)
}

func (v *receiver) answer(code int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.code = code
}

func TestRedeliver_KeepsGUID(t *testing.T) {
	r := newRig(t, githubtest.Options{Login: "acme"})
	v := newReceiver(t, "s3")
	v.answer(500)
	hook := r.repo.CreateWebhook(v.URL, "s3", "issues")
	r.repo.OpenIssue(githubtest.NewIssue{Title: "x"})
	r.AwaitCondition(t, "the attempt", r.IsIdle)
	path := fmt.Sprintf("/repos/%s/hooks/%d/deliveries", widget, hook)
	g := r.ask("GET", path, nil)
	if g.at("0.status_code") != 500.0 || g.at("0.event") != "issues" || g.at("0.redelivery") != false || g.at("1") != nil {
		t.Fatalf("the list is %s", g.body)
	}
	if len(v.got()) != 1 {
		t.Errorf("GitHub sends once; it was sent %d times", len(v.got()))
	}
	v.answer(200)
	if again := r.ask("POST", fmt.Sprintf("%s/%.0f/attempts", path, g.at("0.id")), nil); again.code != 202 {
		t.Errorf("asked for it again: %d %s", again.code, again.body)
	}
	r.AwaitCondition(t, "the second attempt", r.IsIdle)
	if all := v.got(); len(all) != 2 || all[0] != all[1] {
		t.Errorf("it got %q", all)
	}
	if g := r.ask("GET", path, nil); g.at("0.redelivery") != true || g.at("0.status_code") != 200.0 || g.at("1.status_code") != 500.0 {
		t.Errorf("the list is %s", g.body)
	}
	r.AdvanceClock(73 * time.Hour)
	if g := r.ask("GET", path, nil); g.body != "[]" {
		t.Error("what is older than three days is still there")
	}
}

func TestDeliveryFaults_LoseRepeatAndReorder(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	v := newReceiver(t, "")
	_ = r.repo.CreateWebhook(v.URL, "") // the receiver expects a signature with the secret ""
	v.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, q *http.Request) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.events = append(v.events, q.Header.Get("X-GitHub-Delivery"))
	})
	r.SetDeliveryFaults(githubtest.DeliveryFaults{Lose: 0.05, Double: 0.1, Shuffle: 20, Seed: 3})
	r.HoldDeliveries()
	for i := range 400 {
		r.repo.EmitEvent("issues", fmt.Appendf(nil, `{"action":"opened","issue":{"number":%d}}`, i+1))
	}
	r.ReleaseDeliveries()
	r.AwaitCondition(t, "all of it", r.IsIdle)
	all, sent := v.got(), r.Attempts()
	different := slices.Compact(slices.Sorted(slices.Values(all)))
	failed := 0
	for _, d := range sent {
		if d.Code != 200 {
			failed++
		}
	}
	if len(sent) < 420 || len(sent) > 460 || failed < 10 || failed > 35 || len(all) != len(sent)-failed || len(different) == len(all) || slices.IsSorted(all) {
		t.Errorf("%d sent, %d failed, %d came, %d of them different", len(sent), failed, len(all), len(different))
	}
}

// TestWebhook_SlowReceiver_TimesOut has a receiver that answers too late.
func TestWebhook_SlowReceiver_TimesOut(t *testing.T) {
	r := newRig(t, githubtest.Options{HookWait: 50 * time.Millisecond})
	ended := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ended }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(ended) })
	r.repo.CreateWebhook(slow.URL, "")
	r.repo.OpenIssue(githubtest.NewIssue{Title: "x"})
	r.AwaitCondition(t, "the end of the wait", r.IsIdle)
	if sent := r.Attempts(); len(sent) != 1 || sent[0].Code != 0 {
		t.Errorf("it says %+v", sent)
	}
}

// TestPullRequest_EachChange_SendsEvent makes every change to a pull request, and checks the
// events.
func TestPullRequest_EachChange_SendsEvent(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	v := newReceiver(t, "s")
	r.repo.CreateWebhook(v.URL, "s")
	r.repo.AddCommit("topic", githubtest.Commit{Message: "b", Files: map[string]string{"a": "b\n"}})
	n := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "t", Head: "topic", Draft: true})
	r.repo.MarkDraftReady(n)
	r.repo.RequestReview(n, "bob")
	r.repo.AddLabel(n, "bug", "bob")
	r.repo.AddCommit("topic", githubtest.Commit{Message: "c", Files: map[string]string{"a": "c\n"}})
	r.repo.AddComment(n, "bob", "hm")
	first := r.repo.AddReview(n, "bob", "CHANGES_REQUESTED", "no", githubtest.DiffComment{Path: "a", Side: "RIGHT", Line: 1, Body: "why"})
	r.repo.ReplyInThread(n, r.repo.Reviews(n)[0].Comments[0].ID, "alice", "because")
	r.repo.CompleteCheckRun("test", "topic", "failure")
	r.repo.PublishRelease("v1", "One", "Notes")
	r.repo.MergePullRequest(n)
	r.AwaitCondition(t, "all of it", r.IsIdle)
	var events []string
	for _, d := range r.Attempts() {
		events = append(events, d.Event+" "+d.Action)
	}
	want := []string{"push ", "pull_request opened", "pull_request ready_for_review", "pull_request review_requested", "pull_request labeled",
		"pull_request synchronize", "push ", "issue_comment created", "pull_request_review submitted", "pull_request_review_comment created", "check_run completed",
		"release published", "pull_request closed", "push "}
	if !slices.Equal(events, want) || first == 0 {
		t.Errorf("sent %q\nwant %q", events, want)
	}
	r.repo.ResetBranch("topic", "main~1")
	r.AwaitCondition(t, "the push", r.IsIdle)
	sent := r.Attempts()
	if last := (response{body: string(sent[len(sent)-1].Body)}); last.at("forced") != true || last.at("ref") != "refs/heads/topic" {
		t.Errorf("a push by force: %s", last.body)
	}
	if r.repo.CommitSHA("main") == r.repo.CommitSHA("topic") || r.repo.Issue(n).State != "closed" {
		t.Error("it was not merged")
	}
}
