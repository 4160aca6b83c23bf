// Package modeltest is a scripted server of OpenAI's chat completions API, for tests, scenarios and benches. It is as
// strict as the real one about what it is sent, and answers what a script says. It imports nothing of Mews, so that the
// wire format is written down twice and independently.
//
// In a test, NewServer listens on loopback. In a program, New is a plain http.Handler.
package modeltest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Script decides what the model answers. It is called from a goroutine of each request.
type Script func(Request) Answer

// maxKept is how many requests are kept for assertions; older ones are forgotten.
const maxKept = 1000

// maxBody bounds a request, in bytes.
const maxBody = 32 << 20

// Server is the API. Its fields are set before its first request.
type Server struct {
	Key    string   // the API key it wants; "" takes any and none
	Models []string // the models it has; nil for any

	script Script
	mu     sync.Mutex
	count  int
	kept   []Request
}

// New makes a server that nothing listens for yet.
func New(script Script) *Server {
	return &Server{script: script}
}

// Requests are the newest requests that passed the checks, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.kept)
}

// Count is how many requests passed the checks since the start.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

func (s *Server) keep(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if s.kept = append(s.kept, r); len(s.kept) > maxKept {
		s.kept = slices.Clone(s.kept[len(s.kept)-maxKept/2:]) // a copy now and then, not with each request
	}
}

// ServeHTTP answers POST */chat/completions and refuses all else as OpenAI does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		refuse(w, &refusal{http.StatusNotFound, "", "Invalid URL (" + r.Method + " " + r.URL.Path + ")"})
		return
	}
	req, refused := s.admit(r)
	if refused != nil {
		refuse(w, refused)
		return
	}
	s.keep(req)
	s.script(req).serve(w, r, req)
}

// admit decodes a request and checks all of it.
func (s *Server) admit(r *http.Request) (Request, *refusal) {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.Key != "" && key != s.Key {
		return Request{}, &refusal{http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: " + key}
	}
	req, refused := decode(http.MaxBytesReader(nil, r.Body, maxBody))
	if refused != nil {
		return Request{}, refused
	}
	if s.Models != nil && !slices.Contains(s.Models, req.Model) {
		return Request{}, &refusal{http.StatusNotFound, "model_not_found",
			"The model `" + req.Model + "` does not exist or you do not have access to it."}
	}
	return req, nil
}

// refusal is an error as OpenAI writes it.
type refusal struct {
	status int
	code   string
	text   string
}

func refuse(w http.ResponseWriter, r *refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.status)
	if err := json.NewEncoder(w).Encode(r.object()); err != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
}

// object is the error's JSON, the same in a response of its own and within a stream.
func (r *refusal) object() any {
	kind := "invalid_request_error"
	if r.status >= 500 {
		kind = "server_error"
	}
	var code any
	if r.code != "" {
		code = r.code
	}
	return map[string]any{"error": map[string]any{"message": r.text, "type": kind, "param": nil, "code": code}}
}
