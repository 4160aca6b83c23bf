package model

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

const (
	// tokens of a window that are left free for the answer; at most a quarter of the window
	maxReserve = 4096
	askFrom    = 3_000 // a server is asked for its window only if a request has at least this many tokens
	// the highest and the lowest factor that a call can teach; a count beyond them is wrong
	maxFactor, minFactor = 4, 0.5
	leastGuess           = 2048 // the smallest guessed window, in tokens
	// how often a refused request is shortened; once is enough if the refusal tells the limit
	maxShrinks = 3
)

// learnt is the knowledge about a model from its earlier calls. The zero value means no knowledge.
type learnt struct {
	window int64   // window learnt from earlier calls, in tokens; 0 means unknown
	factor float64 // tokens that the model counted, divided by the estimated tokens
	// size of the context window that the newest count of tokens suggests, in tokens. 0 means no
	// sign that the server cut the request.
	suggested int64
	until     time.Time // the end of a window that counts have taught; zero means no end
}

// suggestionTTL is how long a window counts if token counts have suggested it and no server has
// told it. A server may get a longer window at any time.
const suggestionTTL = 6 * time.Hour

// lessons has the learnt knowledge about each model, by spec. The zero value is ready. It may be
// used from several goroutines.
type lessons struct {
	mu     sync.Mutex // guards the fields below
	bySpec map[string]learnt
}

// maxLessons is the maximum number of models in lessons, because users may name any model.
const maxLessons = 256

func (s *lessons) of(spec string) learnt {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.bySpec[spec]
	if !l.until.IsZero() && time.Now().After(l.until) {
		l.window, l.suggested, l.until = 0, 0, time.Time{}
		s.bySpec[spec] = l
	}
	return l
}

func (s *lessons) change(spec string, change func(learnt) learnt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bySpec == nil || len(s.bySpec) >= maxLessons {
		s.bySpec = map[string]learnt{}
	}
	s.bySpec[spec] = change(s.bySpec[spec])
}

// knownWindows has the windows of known models, by the beginning of their names, for each kind of
// provider. The first match counts. Source: the makers' pages on models, November 2026.
var knownWindows = map[string][]struct {
	prefix string
	tokens int64
}{
	"anthropic": {{"claude-", 200_000}},
	"openai": {{"gpt-4.1", 1_000_000}, {"gpt-4o", 128_000}, {"gpt-4-turbo", 128_000}, {"gpt-4", 8_192}, {"gpt-3.5", 16_385},
		{"gpt-5", 400_000}, {"gpt-6", 400_000}, {"o1", 200_000}, {"o3", 200_000}, {"o4", 200_000}},
}

// windowTeller is a provider that can tell its models' windows.
type windowTeller interface {
	// ContextWindows returns the windows in tokens by model. Models without a known window are
	// missing.
	ContextWindows(context.Context) (map[string]int64, error)
}

// window returns a model's limit in tokens for a request and its answer; 0 means unknown. It is the
// configured window, or the known window of that name, or the window that the server tells. Earlier
// calls may have taught a lower limit. A server is asked only for a long request.
func (c *Catalogue) window(ctx context.Context, m ResolvedModel, tokens int64) int64 {
	p := c.provider(m)
	window, taught := p.window, c.windows.of(m.Spec).window
	for _, known := range knownWindows[p.kind] {
		if window == 0 && strings.HasPrefix(m.Model, known.prefix) {
			window = known.tokens
		}
	}
	if window == 0 && taught == 0 && tokens >= askFrom {
		window = c.toldWindow(ctx, m)
	}
	if taught > 0 && (window == 0 || taught < window) {
		return taught
	}
	return window
}

// toldWindow returns the window that the server tells; 0 if the server tells none. The reply is
// cached for a while, even if it is empty.
func (c *Catalogue) toldWindow(ctx context.Context, m ResolvedModel) int64 {
	teller, can := m.Provider.(windowTeller)
	if !can {
		return 0
	}
	name, _, _ := strings.Cut(m.Spec, "/")
	kept, _ := c.told.Load(name)
	told, ok := kept.(toldWindows)
	if !ok || !time.Now().Before(told.until) {
		ctx, cancel := context.WithTimeout(ctx, listTimeout)
		defer cancel()
		windows, err := teller.ContextWindows(ctx)
		if err != nil {
			c.log.Info("model provider did not say how long requests may be", "provider", name, "error", err)
		}
		told = toldWindows{windows, time.Now().Add(listTTL)}
		c.told.Store(name, told)
	}
	return told.byModel[m.Model]
}

// toldWindows is a server's cached reply with its windows.
type toldWindows struct {
	byModel map[string]int64
	until   time.Time
}

// fit shortens a request to fit the model's window, and returns the window. An unknown window
// changes nothing.
func (c *call) fit(ctx context.Context, m ResolvedModel, req *modelcall.Request) (window int64) {
	if req.Fit == nil || req.Tokens <= 0 {
		return 0
	}
	window = c.window(ctx, m, req.Tokens)
	if c.guess.spec == m.Spec && (window == 0 || c.guess.window < window) {
		window = c.guess.window
	}
	if window == 0 {
		return 0
	}
	if room := c.room(m, window); req.Tokens > room {
		c.log.Debug("a request is made shorter", "model", m.Spec, "tokens", req.Tokens, "room", room, "window", window)
		*req = req.Fit(*req, room)
	}
	return window
}

// MaxRequestTokens returns the maximum length of a request to a model. It is in estimated tokens; 0
// means unknown. tokens is the expected length of the request.
func (c *Catalogue) MaxRequestTokens(ctx context.Context, spec string, tokens int64) int64 {
	m, err := c.Resolve(spec)
	if err != nil {
		return 0
	}
	return c.room(m, c.window(ctx, m, tokens))
}

// room returns the part of a window for a request, without its answer, in estimated tokens.
func (c *Catalogue) room(m ResolvedModel, window int64) int64 {
	return int64(float64(window-min(window/4, maxReserve)) / c.factor(m))
}

// factor returns how many tokens a model counts for one estimated token. It is at least 1.
func (c *Catalogue) factor(m ResolvedModel) float64 { return max(1, c.windows.of(m.Spec).factor) }

// limitOutput lowers the output limit so that request and answer fit the window. Some servers
// refuse a higher limit.
func (c *call) limitOutput(m ResolvedModel, req *modelcall.Request, window int64) {
	limit := cmp.Or(req.Output, defaultOutputs[c.provider(m).kind])
	left := max(window-int64(float64(req.Tokens)*c.factor(m)), min(window/4, maxReserve)/2)
	if window > 0 && limit > left && (req.Output > 0 || c.provider(m).kind == "anthropic") {
		req.Output = left
	}
}

// guess is the guessed window of a model that refused a request without telling its limit. It holds
// for this call. If the model then answers a request of that size, later calls use the guess too.
type guess struct {
	spec   string
	window int64
}

// shorten reports whether a request that was refused as too long can be shortened. It learns the
// limit from the refusal. If the refusal tells no limit, the limit is two thirds of the sent
// request.
func (c *call) shorten(m ResolvedModel, failed *modelcall.Error, sent int64) bool {
	if c.req.Fit == nil || sent <= 0 {
		return false
	}
	// If the refusal tells no plausible window, told is false: the refusal is about something else.
	told := failed.Window > 0 && (failed.Counted == 0 || failed.Counted >= failed.Window/2)
	c.windows.change(m.Spec, func(l learnt) learnt {
		switch window := failed.Window; {
		case window > 0 && failed.Counted > 0:
			l.factor = min(max(l.factor, float64(failed.Counted)/float64(sent)), maxFactor)
		case window > 0:
			l.factor = max(l.factor, 1.2*float64(window)/float64(sent))
		}
		if told {
			l.window = failed.Window
		}
		return l
	})
	if !told {
		window := int64(float64(sent) * c.factor(m) / 2)
		c.guess = guess{m.Spec, max(window+min(window/3, maxReserve), leastGuess)}
	}
	c.log.Info("a model takes no request this long; it gets a shorter one", "model", m.Spec, "tokens", sent, "window", failed.Window)
	req := c.req
	c.fit(context.Background(), m, &req)
	return req.Tokens < sent
}

// learn corrects the knowledge about a model by the tokens that it counted for a request. sent is
// our own estimate. A self-hosted server that counts less than half of sent may have silently cut
// the request, as Ollama does. If two counts in a row suggest the same window, learn believes them,
// and tells the admins.
func (c *call) learn(m ResolvedModel, sent int64, u protocol.Usage) {
	if u.Input <= 0 || sent < 1_000 {
		return
	}
	factor := float64(u.Input) / float64(sent)
	suggested := c.suggestedWindow(m, sent, u.Input)
	cut := false
	c.windows.change(m.Spec, func(l learnt) learnt {
		cut = suggested > 0 && suggested == l.suggested && u.Input < sent/2 && (l.window == 0 || suggested < l.window)
		l.suggested = suggested
		if factor >= minFactor && factor <= maxFactor {
			l.factor = factor
		}
		if cut {
			l.window, l.until = suggested, time.Now().Add(suggestionTTL)
		}
		if c.guess.spec == m.Spec && (l.window == 0 || c.guess.window < l.window) {
			l.window = c.guess.window
		}
		return l
	})
	if cut {
		c.log.Warn("a model's server has cut requests without saying so; shorter ones are sent for some hours. Set the provider's "+
			"window, or have the server take more", "model", m.Spec, "tokens", sent, "counted", u.Input, "window", suggested)
		c.faults.tellOnce(fmt.Sprintf(textCutsRequests, m.Spec, suggested))
	}
}

// suggestedWindow returns the window of a server that has counted less than a long request has; 0
// means none. It is the next power of two. A lower count than half of leastGuess is wrong, because
// no server has such a window.
func (c *call) suggestedWindow(m ResolvedModel, sent, counted int64) int64 {
	p := c.provider(m)
	if counted <= leastGuess/2 || sent < askFrom || p.kind != "openai" || p.locality == localityInternet {
		return 0
	}
	window := int64(leastGuess)
	for window < counted {
		window *= 2
	}
	if window >= sent {
		return 0
	}
	return window
}
