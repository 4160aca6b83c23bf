package webhook_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
	"mews/supervisor/webhook"
)

func bearer(body string) *http.Request {
	req := httptest.NewRequest(http.MethodPost, "/webhook/ci", strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+secret)
	return req
}

// outbox lists the deliveries of the user alice.
func (r *rig) outbox() (list []supervisor.Delivery) {
	r.Helper()
	c, err := r.db.Conversations().FindOrCreate(r.Context(), "alice", supervisor.ChannelTelegram, "42", "")
	if err != nil {
		r.Fatal(err)
	}
	list, err = r.db.Outbox().ListPending(r.Context(), c.ID, 0, 100)
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// inBubble runs a test with a running Receiver.
func inBubble(t *testing.T, hooks []webhook.Hook, test func(t *testing.T, r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, hooks...)
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		ran := make(chan error, 1)
		go func() { ran <- r.receiver.Run(ctx) }()
		test(t, r)
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	})
}

// settle waits until a burst is over and its messages are in the outbox.
func settle() {
	time.Sleep(6 * time.Second)
	synctest.Wait()
}

func TestHook_Message_FollowsTemplate(t *testing.T) {
	made := parse(t, "{{.host}} is {{.state}}{{if .deep}}{{.deep.er}}{{end}}")
	// indented, this JSON has 4 MB
	deep := strings.Repeat("[", 1000) + strings.Repeat("1,", 1000) + "1" + strings.Repeat("]", 1000)
	hooks := []webhook.Hook{{Name: "ci", Sign: webhook.AuthBearer, Template: made}, {Name: "plain",
		Sign: webhook.AuthBearer}}
	inBubble(t, hooks, func(t *testing.T, r *rig) {
		for _, c := range []struct{ hook, body, want string }{
			{"ci", `{"message":"Done, *really*","host":"a"}`, "**ci**\n\nDone, *really*"},
			{"ci", `{"host":"a","state":"full"}`, "**ci**\n\na is full"},
			{"ci", `{"host":1000000,"state":1e999}`, "**ci**\n\n1000000 is 1e999"},
			{"ci", `{"deep":7,"x":"` + "```" + `"}`, "**ci**\n\n````json\n{\n  \"deep\": 7,\n  \"x\": \"```\"\n}\n````"},
			{"plain", deep, "**plain**\n\n```json\n" + deep + "\n```"},
			{"plain", `["\"` + "`````" + `{"]`, "**plain**\n\n``````json\n[\n  \"\\\"`````{\"\n]\n``````"},
			{"plain", `[1]`, "**plain**\n\n```json\n[\n  1\n]\n```"},
			{"plain", `{"message":7}`, "**plain**\n\n```json\n{\n  \"message\": 7\n}\n```"},
		} {
			r.same(c.body, answerTo(r.hooks[c.hook], bearer(c.body)), "200 taken")
			settle()
			all := r.outbox()
			r.same(c.body, all[len(all)-1].Text, c.want)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		r.same("files", len(r.files()), 0)
	})
}

func TestHook_ManyCalls_SendOneMessage(t *testing.T) {
	inBubble(t, []webhook.Hook{{Name: "ci", Sign: webhook.AuthBearer}}, func(t *testing.T, r *rig) {
		for i := range 3 {
			r.same("taken", answerTo(r.hooks["ci"], bearer(fmt.Sprintf(`{"message":"no %d"}`, i))), "200 taken")
			time.Sleep(time.Second)
		}
		settle()
		r.same("a burst", r.outbox()[0].Text, "**ci**\n\nno 0\n\nno 1\n\nno 2")
		long := strings.Repeat("é", 20<<10)
		r.same("taken", answerTo(r.hooks["ci"], bearer(`{"message":"`+long+`"}`)), "200 taken")
		settle()
		all := r.outbox()
		r.same("messages", len(all), 2)
		d := all[1]
		r.same("shown", len(d.Text) <= 16<<10 && strings.HasPrefix(d.Text, "**ci**\n\néé") && strings.HasSuffix(d.Text, "é"), true)
		r.same("the rest", fmt.Sprint(len(d.Files), d.Files[0].Name, d.Files[0].Size), fmt.Sprint(1, "ci.md", len("**ci**\n\n"+long)))
	})
}

func TestHook_RepeatedCall_SendsOneMessage(t *testing.T) {
	inBubble(t, []webhook.Hook{{Name: "ci", Sign: webhook.AuthBearer}}, func(t *testing.T, r *rig) {
		keyed := func(key, body string) string {
			req := bearer(body)
			req.Header.Set("Idempotency-Key", key)
			return answerTo(r.hooks["ci"], req)
		}
		r.same("the first", answerTo(r.hooks["ci"], bearer(`{"message":"a"}`)), "200 taken")
		r.same("the same", answerTo(r.hooks["ci"], bearer(`{"message":"a"}`)), "200 taken before")
		r.same("a key", keyed("k", `{"message":"b"}`), "200 taken")
		r.same("the same key", keyed("k", `{"message":"c"}`), "200 taken before")
		settle()
		time.Sleep(50 * time.Second)
		r.same("almost a minute later", answerTo(r.hooks["ci"], bearer(`{"message":"a"}`)), "200 taken before")
		time.Sleep(5 * time.Second)
		r.same("a minute later", answerTo(r.hooks["ci"], bearer(`{"message":"a"}`)), "200 taken")
		settle()
		time.Sleep(23 * time.Hour)
		r.same("the key, almost a day later", keyed("k", `{"message":"d"}`), "200 taken before")
		time.Sleep(time.Hour)
		r.same("the key, a day later", keyed("k", `{"message":"d"}`), "200 taken")
		settle()
		r.same("messages", len(r.outbox()), 3) // the first two calls share a message
	})
}

// hmac signs the body alone. So a copied call is known by its body, whatever its key is.
func TestHook_ReplayWithHMAC_IsOneMessage(t *testing.T) {
	hooks := []webhook.Hook{{Name: "ci", Sign: webhook.AuthHMAC, Header: "X-Signature"}}
	inBubble(t, hooks, func(t *testing.T, r *rig) {
		call := func(key, body string) string {
			req := httptest.NewRequest(http.MethodPost, "/webhook/ci", strings.NewReader(body))
			req.Header.Set("X-Signature", sign(body))
			if key != "" {
				req.Header.Set("Idempotency-Key", key)
			}
			return answerTo(r.hooks["ci"], req)
		}
		for _, c := range []struct {
			name, key, body string
			pause           time.Duration
			want            string
		}{
			{"the first", "k", `{"message":"a"}`, 0, "200 taken"},
			{"again", "k", `{"message":"a"}`, time.Second, "200 taken before"},
			{"another key", "l", `{"message":"a"}`, time.Second, "200 taken before"},
			{"no key", "", `{"message":"a"}`, time.Second, "200 taken before"},
			{"another body", "m", `{"message":"b"}`, time.Second, "200 taken"},
			{"its key", "m", `{"message":"c"}`, time.Second, "200 taken before"},
			{"without a key", "", `{"message":"d"}`, time.Second, "200 taken"},
			{"two minutes later", "", `{"message":"d"}`, 2 * time.Minute, "200 taken before"},
			{"two minutes later with a key", "n", `{"message":"d"}`, time.Second, "200 taken before"},
			{"almost a day later", "o", `{"message":"a"}`, 23 * time.Hour, "200 taken before"},
			{"a day later", "p", `{"message":"a"}`, 2 * time.Hour, "200 taken"},
		} {
			time.Sleep(c.pause)
			r.same(c.name, call(c.key, c.body), c.want)
			settle()
		}
		r.same("messages", len(r.outbox()), 4)
	})
}

func TestHook_31stMessageInMinute_IsRefused(t *testing.T) {
	inBubble(t, []webhook.Hook{{Name: "ci", Sign: webhook.AuthBearer}, {Name: "cd", Sign: webhook.AuthBearer}},
		func(t *testing.T, r *rig) {
			for i := range 30 {
				r.same("one of 30", answerTo(r.hooks["ci"], bearer(fmt.Sprint(i))), "200 taken")
			}
			w := httptest.NewRecorder()
			r.hooks["ci"].ServeHTTP(w, bearer("30"))
			r.same("one more", fmt.Sprint(w.Code, w.Header()["Retry-After"]), "429 [2]")
			r.same("another hook's", answerTo(r.hooks["cd"], bearer("30")), "200 taken")
			time.Sleep(2 * time.Second)
			r.same("later", answerTo(r.hooks["ci"], bearer("30")), "200 taken")
		})
}

func TestHook_WrongSecret_IsRefused(t *testing.T) {
	r := newRig(t, webhook.Hook{Name: "bearer", Sign: webhook.AuthBearer}, webhook.Hook{Name: "header",
		Sign: webhook.AuthSecretHeader, Header: "X-Token"},
		webhook.Hook{Name: "hmac", Sign: webhook.AuthHMAC, Header: "X-Signature"})
	const body = `{"message":"hello"}`
	for _, c := range []struct{ hook, header, value, want string }{
		{"bearer", "Authorization", "Bearer " + secret, "200"},
		{"bearer", "Authorization", "Bearer " + secret + "x", "401"},
		{"bearer", "Authorization", "Bearer ", "401"},
		{"bearer", "Authorization", "bearer " + secret, "200"},
		{"bearer", "Authorization", "BEARER  " + secret, "200"},
		{"bearer", "Authorization", secret, "401"},
		{"bearer", "Authorization", "Bearer" + secret, "401"},
		{"bearer", "Authorization", "Bearer", "401"},
		{"bearer", "Authorization", "", "401"},
		{"bearer", "Authorization", "Basic " + secret, "401"},
		{"bearer", "Authorization", "Bearer Bearer " + secret, "401"},
		{"bearer", "X-Token", secret, "401"},
		{"header", "X-Token", secret, "200"},
		{"header", "X-Token", "", "401"},
		{"hmac", "X-Signature", sign(body), "200"},
		{"hmac", "X-Signature", strings.TrimPrefix(sign(body), "sha256="), "200"},
		{"hmac", "X-Signature", sign("x"), "401"},
		{"hmac", "X-Signature", secret, "401"},
	} {
		req := httptest.NewRequest(http.MethodPost, "/webhook/"+c.hook, strings.NewReader(body))
		if c.value != sign("x") && c.want == "401" {
			req.Body = io.NopCloser(unreadableBody{t})
		}
		req.Header.Set(c.header, c.value)
		if got := answerTo(r.hooks[c.hook], req); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: %s is answered %s, want %s", c.hook, c.header, c.value, got, c.want)
		}
	}
}

func TestHook_InvalidRequest_IsRefused(t *testing.T) {
	r := newRig(t, webhook.Hook{Name: "ci", Sign: webhook.AuthBearer})
	r.same("no JSON", answerTo(r.hooks["ci"], bearer("hello")), "400 the body is no JSON")
	req := bearer("1")
	req.ContentLength, req.Body = -1, io.NopCloser(&repeatingBody{" ", webhook.MaxHookBodyBytes + 1})
	r.same("too long", answerTo(r.hooks["ci"], req), "413 the body is too long")
	r.gone.Store(true)
	r.same("nobody", answerTo(r.hooks["ci"], bearer("1")), "503 Mews has no user who can read the message")
	r.same("files", len(r.files()), 0)
}

// TestHook_FormerUser_GetsNoMessage checks that messages for a locked-out user are dropped.
func TestHook_FormerUser_GetsNoMessage(t *testing.T) {
	inBubble(t, []webhook.Hook{{Name: "ci", Sign: webhook.AuthBearer}}, func(t *testing.T, r *rig) {
		r.same("taken", answerTo(r.hooks["ci"], bearer(`{"message":"a"}`)), "200 taken")
		r.gone.Store(true)
		settle()
		r.same("messages", len(r.outbox()), 0)
		r.same("left", len(r.newDeliveries(supervisor.WebhookSourceHookPrefix+"ci")), 0)
	})
}

// TestReceiver_NinthRequestAtOnce_IsRefused checks that a ninth body at the same time waits for one
// second. Then its caller is told when to try again.
func TestReceiver_NinthRequestAtOnce_IsRefused(t *testing.T) {
	r := newRig(t)
	var ends []*io.PipeWriter
	ended := make(chan string, 8)
	for i := range 8 {
		body, end := io.Pipe()
		ends = append(ends, end)
		req := delivery("push", fmt.Sprint(i), push("Fix it"))
		req.Body, req.ContentLength = body, 1000
		go func() { ended <- answerTo(r.gitHub, req) }()
		io.WriteString(end, " ") // wait until the Receiver reads this body
	}
	w := httptest.NewRecorder()
	req := delivery("push", "9", push("Fix it"))
	req.Body = io.NopCloser(unreadableBody{t})
	r.gitHub.ServeHTTP(w, req)
	r.same("ninth body", fmt.Sprint(w.Code, w.Header()["Retry-After"], w.Header()["Connection"]), "503 [5] [close]")
	ends[0].CloseWithError(io.ErrUnexpectedEOF)
	r.same("cut off", <-ended, "408 the body did not come in time")
	r.same("later", answerTo(r.gitHub, delivery("push", "9", push("Fix it"))), "200 taken")
	for _, end := range ends[1:] {
		end.CloseWithError(io.ErrUnexpectedEOF)
		<-ended
	}
	r.same("files", len(r.files()), 1)
}
