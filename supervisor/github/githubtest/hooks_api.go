package githubtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// hookIn returns the webhook that a request is about. It belongs to a repository or to the App.
func hookIn(s *Server, r *request) *hook {
	for _, h := range s.hooks {
		if r.repo == nil && h.repo == "" || r.repo != nil && h.repo == r.repo.name && h.id == r.id("hook") {
			return h
		}
	}
	return nil
}

func (h *hook) json() any {
	config := map[string]any{"url": h.url, "content_type": "json", "insecure_ssl": "0"}
	if h.secret != "" {
		config["secret"] = "********"
	}
	last := map[string]any{"code": nil, "status": "unused"}
	if n := len(h.sent); n > 0 {
		last = map[string]any{"code": h.sent[n-1].code, "status": h.sent[n-1].status}
	}
	return map[string]any{"id": h.id, "type": "Repository", "name": "web", "active": h.active, "events": h.events,
		"config": config, "last_response": last}
}

// admin reports whether the client may manage webhooks. That needs an admin of the repository, or
// an App with that permission.
func (r *request) admin() bool {
	return r.repo == nil || r.grant.app || r.repo.people[strings.ToLower(r.grant.login)] == "admin"
}

func listHooks(s *Server, r *request) answer {
	if !r.admin() {
		return notFound() // GitHub does not reveal that webhooks exist
	}
	var list []*hook
	for _, h := range s.hooks {
		if h.repo == r.repo.name {
			list = append(list, h)
		}
	}
	return paged(r, list, (*hook).json)
}

// hookConfig is the config of a webhook in a request.
type hookConfig struct {
	URL, Secret string
	ContentType string `json:"content_type"`
}

// hookFields are the fields of a webhook in a request.
type hookFields struct {
	Config *hookConfig
	Events []string
	Active *bool
}

// refused returns GitHub's refusal of a webhook's config; ok is false if GitHub accepts it. but is
// the webhook that the request changes, or nil.
func (c *hookConfig) refused(s *Server, r *request, but *hook) (refusal answer, ok bool) {
	if c == nil || c.URL == "" {
		return invalid("Hook", "url", "missing_field"), true
	}
	for _, h := range s.hooks {
		if h != but && h.repo == r.repo.name && h.url == c.URL {
			return refuse(http.StatusUnprocessableEntity, "Validation Failed",
				map[string]any{"resource": "Hook", "code": "custom",
					"message": "Hook already exists on this repository"}), true
		}
	}
	return answer{}, false
}

func createHook(s *Server, r *request) answer {
	var asked hookFields
	if !r.admin() {
		return notFound()
	}
	if !r.into(&asked) {
		return invalid("Hook", "url", "missing_field")
	}
	if refusal, refused := asked.Config.refused(s, r, nil); refused {
		return refusal
	}
	h := &hook{id: s.id(), repo: r.repo.name, url: asked.Config.URL, secret: asked.Config.Secret, events: asked.Events,
		active: asked.Active == nil || *asked.Active}
	s.hooks = append(s.hooks, h)
	s.ping(r.repo, h)
	return created(h.json())
}

// editHook changes a webhook. Like GitHub, it replaces the whole config: a secret that the request
// leaves out is removed.
func editHook(s *Server, r *request) answer {
	var asked hookFields
	h := hookIn(s, r)
	if h == nil || !r.admin() {
		return notFound()
	}
	if !r.into(&asked) {
		return invalid("Hook", "config", "invalid")
	}
	if asked.Config != nil {
		if refusal, refused := asked.Config.refused(s, r, h); refused {
			return refusal
		}
		h.url, h.secret = asked.Config.URL, asked.Config.Secret
	}
	if asked.Events != nil {
		h.events = asked.Events
	}
	if asked.Active != nil {
		h.active = *asked.Active
	}
	return good(h.json())
}

func (s *Server) ping(r *Repo, h *hook) {
	body, _ := json.Marshal(map[string]any{"zen": "Keep it logically awesome.", "hook_id": h.id, "hook": h.json(),
		"repository": r.json(), "sender": user("alice")})
	s.waiting = append(s.waiting, &delivery{hook: h, guid: fmt.Sprintf("%08x-0000-4000-8000-%012x", s.id(), r.id),
		event: "ping", repo: r, body: body})
	s.start()
}

func getAppHook(s *Server, _ *request) answer {
	h := s.hooks[0]
	config := map[string]any{"url": h.url, "content_type": "json", "insecure_ssl": "0"}
	if h.secret != "" {
		config["secret"] = "********"
	}
	return good(config)
}

// editAppHook changes the App's webhook. Fields that the request leaves out stay unchanged.
func editAppHook(s *Server, r *request) answer {
	var asked hookConfig
	if !r.into(&asked) {
		return invalid("Hook", "url", "missing_field")
	}
	h := s.hooks[0]
	h.url, h.secret = cmp.Or(asked.URL, h.url), cmp.Or(asked.Secret, h.secret)
	return getAppHook(s, r)
}

// keptFor is how long after an attempt GitHub can repeat the delivery. (docs.github.com,
// redelivering webhooks)
const keptFor = 3 * 24 * time.Hour

func listDeliveries(s *Server, r *request) answer {
	h := hookIn(s, r)
	if h == nil || !r.admin() {
		return notFound()
	}
	var list []*delivery
	for _, d := range slices.Backward(h.sent) {
		if cursor := r.number("cursor", 0); s.now().Sub(d.at) <= keptFor && (cursor == 0 || d.id < int64(cursor)) {
			list = append(list, d)
		}
	}
	per := min(max(r.number("per_page", 30), 1), 100)
	part := []any{}
	for _, d := range list[:min(per, len(list))] {
		part = append(part, d.json())
	}
	a := good(part)
	if len(list) > per {
		a.header = map[string]string{"Link": fmt.Sprintf(`<http://%s%s?per_page=%d&cursor=%d>; rel="next"`, r.Host,
			r.URL.Path, per, list[per-1].id)}
	}
	return a
}

func (d *delivery) json() any {
	var action any
	if d.action != "" {
		action = d.action
	}
	return map[string]any{"id": d.id, "guid": d.guid, "delivered_at": stamp(d.at), "redelivery": d.again,
		"duration": d.took.Seconds(), "status": d.status,
		"status_code": d.code, "event": d.event, "action": action, "repository_id": d.repo.id}
}

// redeliver repeats a delivery. It keeps the GUID.
func redeliver(s *Server, r *request) answer {
	h := hookIn(s, r)
	if h == nil || !r.admin() {
		return notFound()
	}
	for _, d := range h.sent {
		if d.id == r.id("delivery") && s.now().Sub(d.at) <= keptFor {
			s.waiting = append(s.waiting, &delivery{hook: h, guid: d.guid, event: d.event, action: d.action,
				repo: d.repo, body: d.body, again: true})
			s.start()
			return answer{code: http.StatusAccepted, body: map[string]any{}}
		}
	}
	return notFound()
}
