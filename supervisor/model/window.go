package model

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

const (
	maxReserve = 4096  // tokens of a window that are left for the answer; a quarter of a small one
	askFrom    = 3_000 // tokens of a request from which a server is asked for its window
	maxFactor  = 4     // that a refusal can teach: no text has a token for each byte
	leastGuess = 2048  // tokens of a window that no refusal has told
	// times that a request is made shorter after a refusal; one is enough where the refusal says by
	// how much
	maxShrinks = 3
)

// learnt is what calls have taught about a model. Its zero value is nothing.
type learnt struct {
	window int64   // tokens; 0 is not known
	factor float64 // of the tokens that it counts to those that were estimated
}

// lessons are what was learnt, by spec. The zero value is ready. It may be used from several
// goroutines at once.
type lessons struct {
	mu     sync.Mutex // guards what follows
	bySpec map[string]learnt
}

// maxLessons bounds the models of lessons. Their names come from people.
const maxLessons = 256

func (s *lessons) of(spec string) learnt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bySpec[spec]
}

func (s *lessons) change(spec string, change func(learnt) learnt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bySpec == nil || len(s.bySpec) >= maxLessons {
		s.bySpec = map[string]learnt{}
	}
	s.bySpec[spec] = change(s.bySpec[spec])
}

// knownWindows are the windows of models by how their names begin, by the kind of provider: the
// makers' own pages on models, in November 2026. The first that fits counts.
var knownWindows = map[string][]struct {
	prefix string
	tokens int64
}{
	"anthropic": {{"claude-", 200_000}},
	"openai": {{"gpt-4.1", 1_000_000}, {"gpt-4o", 128_000}, {"gpt-4-turbo", 128_000}, {"gpt-4", 8_192}, {"gpt-3.5", 16_385},
		{"gpt-5", 400_000}, {"gpt-6", 400_000}, {"o1", 200_000}, {"o3", 200_000}, {"o4", 200_000}},
}

// windowTeller is a provider that can say how many tokens its models take.
type windowTeller interface {
	// Windows are the tokens by model, of those of which it is known.
	Windows(context.Context) (map[string]int64, error)
}

// window is how many tokens a model takes, the answer with them: as configured, as known by its
// name, or as the server says; and never more than calls have taught. 0 is not known. A server is
// asked only for a long request.
func (c *Catalogue) window(ctx context.Context, m Choice, tokens int64) int64 {
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

// toldWindow is what the server says; 0 where it does not. What it says is kept for a while, and
// that it says nothing too.
func (c *Catalogue) toldWindow(ctx context.Context, m Choice) int64 {
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
		windows, err := teller.Windows(ctx)
		if err != nil {
			c.log.Info("model provider did not say how long requests may be", "provider", name, "error", err)
		}
		told = toldWindows{windows, time.Now().Add(listTTL)}
		c.told.Store(name, told)
	}
	return told.byModel[m.Model]
}

// toldWindows are the windows that a server has told.
type toldWindows struct {
	byModel map[string]int64
	until   time.Time
}

// fit makes the request short enough for a model's window, if that is known, and gives the window.
func (c *call) fit(ctx context.Context, m Choice, req *modelcall.Request) (window int64) {
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

// Room is how many tokens a request to a model may have, as they are estimated; 0 where that is not
// known. tokens is about how many it will have.
func (c *Catalogue) Room(ctx context.Context, spec string, tokens int64) int64 {
	m, err := c.Resolve(spec)
	if err != nil {
		return 0
	}
	return c.room(m, c.window(ctx, m, tokens))
}

// room is what a window leaves for a request beside the answer, in tokens as they are estimated.
func (c *Catalogue) room(m Choice, window int64) int64 {
	return int64(float64(window-min(window/4, maxReserve)) / c.factor(m))
}

// factor is how many tokens a model counts for one that was estimated; 1 at least.
func (c *Catalogue) factor(m Choice) float64 { return max(1, c.windows.of(m.Spec).factor) }

// limitOutput has the answer fit a window beside the request: some servers refuse one whose limit
// does not.
func (c *call) limitOutput(m Choice, req *modelcall.Request, window int64) {
	limit := cmp.Or(req.Output, defaultOutputs[c.provider(m).kind])
	left := max(window-int64(float64(req.Tokens)*c.factor(m)), min(window/4, maxReserve)/2)
	if window > 0 && limit > left && (req.Output > 0 || c.provider(m).kind == "anthropic") {
		req.Output = left
	}
}

// guess is the window of a model that refused a request and did not say how long one may be. It
// holds for the call, and from then on where the model has answered a request that fits it.
type guess struct {
	spec   string
	window int64
}

// shorten says whether a request of so many tokens that was too long can be made shorter. It learns
// from the refusal how long one may be: what that says, or else two thirds of what was sent.
func (c *call) shorten(m Choice, failed *modelcall.Error, sent int64) bool {
	if c.req.Fit == nil || sent <= 0 {
		return false
	}
	// else it is about something else
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

// learn learns from what a model has counted of a request of so many tokens. A server of one's own
// that counts less than half of them has cut the request without a word, as Ollama does: its window
// is the power of two above the count.
func (c *call) learn(m Choice, sent int64, u protocol.Usage) {
	if u.Input <= 0 || sent < 1_000 {
		return
	}
	cut := u.Input < sent/2 && sent >= askFrom && c.provider(m).kind == "openai" && c.provider(m).locality != localityInternet
	window := int64(2048)
	for window < u.Input {
		window *= 2
	}
	if cut {
		c.log.Warn("a model's server has cut a request without saying so; shorter ones are sent from now on. Set the provider's "+
			"window, or have the server take more", "model", m.Spec, "tokens", sent, "counted", u.Input, "window", window)
	}
	c.windows.change(m.Spec, func(l learnt) learnt {
		switch {
		case !cut:
			l.factor = float64(u.Input) / float64(sent)
		case l.window == 0 || window < l.window:
			l.window = window
		}
		if c.guess.spec == m.Spec && (l.window == 0 || c.guess.window < l.window) {
			l.window = c.guess.window
		}
		return l
	})
}
