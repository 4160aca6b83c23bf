// Package modeltest is a scripted server of models, for tests, scenarios and benchmarks. It
// implements OpenAI's chat completions, in several dialects, and Anthropic's messages. It is as
// strict about requests as the real servers, and answers by a script. It shares no code with the
// providers, so that the wire formats are written twice and independently.
//
// In a test, NewServer listens on loopback. In a program, New returns a plain http.Handler.
package modeltest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Script returns the model's answer to a request. Each request runs it in its own goroutine.
type Script func(Request) Answer

// Server is a fake model server. Set its fields before the first request.
type Server struct {
	// API key; "" accepts any key, and in OpenAI's format also no key
	Key     string
	Models  []string // names of the models; nil accepts any name
	Dialect Dialect  // the server that is imitated in chat completions
	Refuses []string // parameters of chat completions to refuse
	// allowed types of thinking in Anthropic's format; nil means all; without "disabled" the model
	// always thinks
	ThinkingTypes []string
	NoPictures    bool // the models can't see pictures
	// no model supports deferred tools, whatever its name
	NoDeferring bool
	Embedding   func(text string) []float32 // returns a vector for a text; nil means EmbeddingOf
	Limits      Limits
	Now         func() time.Time // returns the current time; nil means time.Now

	script Script
	ids    atomic.Int64
	cache  cache
	record record
}

// Limits are a server's limits. 0 means the default.
type Limits struct {
	Context  int   // maximum tokens of a request and its answer; no limit by default
	Output   int   // maximum tokens of an answer; no limit by default
	Body     int64 // maximum bytes of a request; default 32 MiB, like Anthropic
	CacheMin int   // smallest prefix to cache, in tokens; default 1024
}

const (
	defaultBody     = 32 << 20
	defaultCacheMin = 1024
)

// NewUnstartedServer returns a server, which is an http.Handler.
func NewUnstartedServer(script Script) *Server {
	return &Server{script: script}
}

func (s *Server) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// codec reads requests and writes answers in one format.
type codec struct {
	format  APIFormat
	decode  func(*Server, http.Header, []byte) (*exchange, *refusal)
	account func(*cache, prompt, time.Time, int) counts
	write   func(Answer, *stream, *exchange)
	refuse  func(*Server, http.ResponseWriter, *refusal, string)
}

// openaiCodec and anthropicCodec are functions because variables would refer to themselves.
func openaiCodec() codec {
	return codec{FormatOpenAI, (*Server).decodeChat, (*cache).usePrefixes, writeChat, (*Server).refuseChat}
}

func anthropicCodec() codec {
	return codec{FormatAnthropic, (*Server).decodeMessages, (*cache).useMarkers, writeMessages,
		(*Server).refuseMessages}
}

// ServeHTTP responds to requests of both APIs. It refuses all other requests as the real servers
// do.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := fmt.Sprintf("req_%012d", s.ids.Add(1))
	post := r.Method == http.MethodPost
	switch path := r.URL.Path; {
	case post && strings.HasSuffix(path, "/chat/completions"):
		s.answer(openaiCodec(), w, r, id)
	case post && strings.HasSuffix(path, "/v1/audio/speech"):
		s.speak(w, r, id)
	case post && strings.HasSuffix(path, "/v1/audio/transcriptions"):
		s.transcribe(w, r, id)
	case post && strings.HasSuffix(path, "/v1/embeddings"):
		s.embed(w, r, id)
	case post && strings.HasSuffix(path, "/v1/messages") && !strings.HasSuffix(path, "/v1/v1/messages"):
		s.answer(anthropicCodec(), w, r, id)
	case r.Method == http.MethodGet && s.list(w, r, id):
	case r.Header.Get("Anthropic-Version") != "" || strings.HasSuffix(path, "/messages"):
		s.refuseMessages(w, &refusal{status: http.StatusNotFound, text: "Not Found"}, id)
	default:
		s.refuseChat(w, &refusal{status: http.StatusNotFound, text: "Invalid URL (" + r.Method + " " + path + ")"}, id)
	}
}

// answer responds to a request in its format.
func (s *Server) answer(how codec, w http.ResponseWriter, r *http.Request, id string) {
	e, refused := s.readRequest(how, r)
	if refused != nil {
		how.refuse(s, w, refused, id)
		return
	}
	e.Format, e.ID, e.server = how.format, id, s
	s.record.keep(e.Request)
	answer := s.script(e.Request)
	if answer.Hang && answer.CutAfter == 0 {
		<-r.Context().Done()
		return
	}
	if refused := answer.refusal(e); refused != nil {
		how.refuse(s, w, refused, id)
		return
	}
	e.cost = how.account(&s.cache, e.prompt, s.now(), s.Limits.cacheMin()).withAnswer(answer)
	s.record.spend(e)
	for name, value := range idHeaders(how.format, id) {
		w.Header().Set(name, value)
	}
	how.write(answer, newStream(w, r, answer, e.Stream), e)
}

func idHeaders(f APIFormat, id string) map[string]string {
	if f == FormatAnthropic {
		return map[string]string{"Request-Id": id}
	}
	return map[string]string{"X-Request-Id": id}
}

// readRequest reads and checks a request.
func (s *Server) readRequest(how codec, r *http.Request) (*exchange, *refusal) {
	if refused := s.checkKey(how.format, r.Header); refused != nil {
		return nil, refused
	}
	raw, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, s.Limits.body()))
	if tooLong := new(http.MaxBytesError); errors.As(err, &tooLong) {
		return nil, &refusal{status: http.StatusRequestEntityTooLarge, text: "Request exceeds the maximum size"}
	}
	if err != nil {
		return nil, bad("the body broke off: %v", err)
	}
	e, refused := how.decode(s, r.Header, raw)
	if refused != nil {
		return nil, refused
	}
	e.Header, e.Raw = r.Header.Clone(), bytes.Clone(raw)
	return e, nil
}

func (l Limits) body() int64 {
	if l.Body > 0 {
		return l.Body
	}
	return defaultBody
}

func (l Limits) cacheMin() int {
	if l.CacheMin > 0 {
		return l.CacheMin
	}
	return defaultCacheMin
}

// checkKey checks the key, which each format has in its own header. Anthropic's format requires a
// key even if any key is accepted.
func (s *Server) checkKey(f APIFormat, h http.Header) *refusal {
	bearer, _ := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if f == FormatOpenAI {
		if s.Key != "" && bearer != s.Key {
			return Failure{Class: FailureWrongKey}.chatOf(s, &exchange{Request: Request{Header: h}, server: s})
		}
		return nil
	}
	key := h.Get("X-Api-Key")
	if key == "" {
		key = bearer
	}
	unauthorized := &refusal{status: http.StatusUnauthorized, text: "invalid x-api-key"}
	if key == "" {
		unauthorized.text = "x-api-key header is required"
	}
	if key == "" || s.Key != "" && key != s.Key {
		return unauthorized
	}
	version := h.Get("Anthropic-Version")
	return firstRefusal(
		badIf(version == "", "anthropic-version: header is required"),
		badIf(!slices.Contains(versions, version), "anthropic-version: %q is not a valid version", version))
}

// versions are all versions of the Messages API.
var versions = []string{"2023-01-01", "2023-06-01"}

func (s *Server) has(model string) bool { return s.Models == nil || slices.Contains(s.Models, model) }
