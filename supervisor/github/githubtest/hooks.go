package githubtest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// hook is a webhook of a repository, or the App's own webhook, which has no repository.
type hook struct {
	id          int64
	repo        string
	url, secret string
	events      []string
	active      bool
	sent        []*delivery // attempted deliveries, newest last
}

// delivery is one attempt to deliver an event.
type delivery struct {
	id            int64
	hook          *hook
	guid          string
	event, action string
	repo          *Repo
	body          []byte
	again         bool
	at            time.Time
	took          time.Duration
	code          int // HTTP status of the receiver's answer; 0 means that no answer came
	status        string
}

// DeliveryAttempt is one attempt to deliver an event to a webhook.
type DeliveryAttempt struct {
	ID            int64
	GUID          string
	Event, Action string
	Again         bool
	At            time.Time
	Code          int // HTTP status of the receiver's answer; 0 means that no answer came
	Body          []byte
}

// DeliveryFaults are random faults of deliveries.
type DeliveryFaults struct {
	Lose    float64 // share of deliveries that are not sent, but listed as failed
	Double  float64 // share of deliveries that are sent twice
	Shuffle int     // the next delivery is a random one of this many waiting deliveries; 0 keeps the order
	Seed    uint64
}

// WebhookSender sends the webhooks' deliveries. As on GitHub, a failed delivery is repeated only on
// request.
type WebhookSender struct {
	server *Server

	hooks    []*hook // the server's mutex guards hooks and the fields below
	waiting  []*delivery
	sending  bool // a goroutine is sending deliveries
	held     bool
	wrong    DeliveryFaults
	rng      *rand.Rand
	client   *http.Client
	underway int
}

func newHooks(s *Server) WebhookSender {
	h := WebhookSender{server: s, client: &http.Client{Timeout: s.options.HookWait}, rng: rand.New(rand.NewPCG(0, 0))}
	if app := s.options.App; app != nil {
		h.hooks = append(h.hooks, &hook{url: app.Hook, secret: app.Secret, active: app.Hook != "", events: []string{"*"}})
	}
	return h
}

// CreateWebhook creates a webhook of the repository. The webhook gets the given events, or all
// events if none are given.
func (r *Repo) CreateWebhook(url, secret string, events ...string) (id int64) {
	if len(events) == 0 {
		events = []string{"*"}
	}
	r.s.change(func() {
		id = r.s.id()
		r.s.hooks = append(r.s.hooks, &hook{id: id, repo: r.name, url: url, secret: secret, events: events, active: true})
	})
	return id
}

// SetDeliveryFaults adds random faults to deliveries from now on.
func (h *WebhookSender) SetDeliveryFaults(u DeliveryFaults) {
	h.server.change(func() { h.wrong, h.rng = u, rand.New(rand.NewPCG(u.Seed, 1)) })
}

// HoldDeliveries holds back all deliveries until ReleaseDeliveries is called.
func (h *WebhookSender) HoldDeliveries() { h.server.change(func() { h.held = true }) }

// ReleaseDeliveries sends the deliveries that HoldDeliveries has held back.
func (h *WebhookSender) ReleaseDeliveries() {
	h.server.change(func() {
		h.held = false
		h.start()
	})
}

// IsIdle reports whether no delivery is waiting or being sent.
func (h *WebhookSender) IsIdle() bool {
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	return len(h.waiting) == 0 && h.underway == 0
}

// Attempts returns all attempts of all webhooks, in order.
func (h *WebhookSender) Attempts() []DeliveryAttempt {
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	var all []DeliveryAttempt
	for _, k := range h.hooks {
		for _, d := range k.sent {
			all = append(all, DeliveryAttempt{d.id, d.guid, d.event, d.action, d.again, d.at, d.code, d.body})
		}
	}
	slices.SortFunc(all, func(a, b DeliveryAttempt) int { return int(a.ID - b.ID) })
	return all
}

// EmitEvent sends an event with any payload to the webhooks that subscribe to it.
func (r *Repo) EmitEvent(event string, payload []byte) {
	r.s.change(func() {
		var head struct{ Action string }
		_ = json.Unmarshal(payload, &head) // a payload may lack an action, or be invalid JSON
		r.s.queue(r, event, head.Action, payload)
	})
}

// emit sends an event. Call it only within Server.change.
func (r *Repo) emit(event, action, by string, more map[string]any) {
	payload := map[string]any{"repository": r.json(), "sender": user(by)}
	if action != "" {
		payload["action"] = action
	}
	if r.s.options.App != nil {
		owner, _, _ := strings.Cut(r.name, "/")
		payload["installation"] = map[string]any{"id": idOf(owner)}
	}
	maps.Copy(payload, more)
	body, err := json.Marshal(payload)
	if err != nil {
		r.s.fail("write a payload: %v", err)
	}
	r.s.queue(r, event, action, body)
}

// queue queues an event for each webhook that subscribes to it. All deliveries have the same GUID.
func (s *Server) queue(r *Repo, event, action string, body []byte) {
	guid := ""
	for _, h := range s.hooks {
		if !h.active || h.repo != "" && h.repo != r.name || !slices.Contains(h.events, "*") && !slices.Contains(h.events, event) {
			continue
		}
		if guid == "" {
			guid = fmt.Sprintf("%08x-0000-4000-8000-%012x", s.id(), r.id)
		}
		s.waiting = append(s.waiting, &delivery{hook: h, guid: guid, event: event, action: action, repo: r, body: body})
		if s.rng.Float64() < s.wrong.Double {
			s.waiting = append(s.waiting, &delivery{hook: h, guid: guid, event: event, action: action, repo: r, body: body})
		}
	}
	s.start()
}

// start starts to send the queued deliveries. Call it only within Server.change.
func (h *WebhookSender) start() {
	if !h.sending && !h.held && !h.server.closing && len(h.waiting) > 0 {
		h.sending = true
		h.server.work.Go(h.send)
	}
}

// send sends the queued deliveries, one after another.
func (h *WebhookSender) send() {
	for {
		var d *delivery
		lost := false
		h.server.change(func() {
			if h.held || h.server.closing || len(h.waiting) == 0 {
				h.sending = false
				return
			}
			n := h.rng.IntN(max(min(h.wrong.Shuffle, len(h.waiting)), 1))
			d = h.waiting[n]
			h.waiting = slices.Delete(h.waiting, n, n+1)
			lost = !d.again && h.rng.Float64() < h.wrong.Lose
			d.id, d.at = h.server.id(), h.server.now()
			h.underway++
		})
		if d == nil {
			return
		}
		code, status := 0, "failed to connect to host"
		began := time.Now()
		if !lost {
			code, status = h.post(d)
		}
		h.server.change(func() {
			d.code, d.status, d.took = code, status, time.Since(began)
			d.hook.sent = append(d.hook.sent, d)
			h.underway--
		})
	}
}

// post sends one delivery, like GitHub.
func (h *WebhookSender) post(d *delivery) (code int, status string) {
	req, err := http.NewRequestWithContext(h.server.ctx, http.MethodPost, d.hook.url, bytes.NewReader(d.body))
	if err != nil {
		return 0, "invalid url"
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"GitHub-Hookshot/test"}, "X-Github-Event": {d.event},
		"X-Github-Delivery": {d.guid}, "X-Github-Hook-Id": {fmt.Sprint(d.hook.id)}, "X-Github-Hook-Installation-Target-Type": {"repository"},
		"X-Github-Hook-Installation-Target-Id": {fmt.Sprint(d.repo.id)}}
	if d.hook.secret != "" {
		req.Header.Set("X-Hub-Signature-256", SignatureOf(d.hook.secret, d.body))
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return 0, "timed out"
	}
	_ = resp.Body.Close() // GitHub only uses the status
	return resp.StatusCode, http.StatusText(resp.StatusCode)
}

// SignatureOf returns the value of the header X-Hub-Signature-256 for a body.
func SignatureOf(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
