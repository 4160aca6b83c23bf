package telegramtest

import (
	"cmp"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// FaultKind is a way in which a request fails.
type FaultKind string

const (
	// ErrorFault is a refusal with Code, Text and RetryAfter, in Telegram's JSON.
	ErrorFault     FaultKind = "error"
	HTMLFault      FaultKind = "html"      // a web page with Code, as a proxy sends it
	ResetFault     FaultKind = "reset"     // the connection is reset
	TruncatedFault FaultKind = "truncated" // half of a correct answer; implies After
	// ShortBodyFault is half of a correct answer, which claims to be complete. It implies After.
	ShortBodyFault FaultKind = "short"
	SlowFault      FaultKind = "slow"     // a correct answer that takes the time Over; implies After
	HangFault      FaultKind = "hang"     // no answer until the client closes the connection
	BadJSONFault   FaultKind = "bad_json" // 200 with Text, or with invalid JSON
	// FloodFault is 429 with RetryAfter. Until the wait is over, every request to the chat is
	// refused with the rest of the time, and is a violation. Without a Chat, the flood is for all
	// chats, or for a method that has no chat.
	FloodFault FaultKind = "flood"

	noFault FaultKind = "" // noFault stands for no fault
)

// Fault makes requests fail.
type Fault struct {
	Kind   FaultKind
	Method string // method whose requests fail; "" means any method, and for a flood any method with a chat
	Chat   int64  // id of the chat whose requests fail; 0 means any chat
	After  bool   // whether the request is carried out before it fails

	// Times is how many requests fail. 0 means one, or any number if For or Rate is set. -1 means
	// any number.
	Times int
	For   time.Duration // duration of the fault; 0 means until Times are used up
	Rate  float64       // share of the requests that fail; 0 means all
	Seed  uint64        // seed of the random choice by Rate

	Code       int    // the HTTP status; 0 means 500 for an error, and 502 for a web page
	Text       string // the error's description, the web page, or the invalid JSON; "" means a default
	RetryAfter int    // seconds until the client may try again; 0 means none for an error, and 1 for a flood
	Over       time.Duration
}

// fault is an active fault.
type fault struct {
	Fault
	left  int       // number of requests that still fail; -1 means any number
	until time.Time // end of the fault; zero means none
	rng   *rand.Rand
}

// faults are the active faults, oldest first.
type faults struct{ active []*fault }

func (fs *faults) add(f Fault, now time.Time) *fault {
	added := &fault{Fault: f, left: f.Times}
	if f.Times == 0 {
		added.left = 1
		if f.For > 0 || f.Rate > 0 {
			added.left = -1
		}
	}
	if f.For > 0 {
		added.until = now.Add(f.For)
	}
	if f.Rate > 0 {
		added.rng = rand.New(rand.NewPCG(f.Seed, 0))
	}
	if f.Kind == TruncatedFault || f.Kind == SlowFault || f.Kind == ShortBodyFault {
		added.After = true
	}
	if f.Kind == FloodFault {
		added.RetryAfter, added.After = max(f.RetryAfter, 1), false
	}
	added.Method = strings.ToLower(f.Method)
	fs.active = append(fs.active, added)
	return added
}

// match returns the active fault for a request; nil if there is none.
func (fs *faults) match(r *request, now time.Time) *fault {
	for _, f := range fs.active {
		if f.left != 0 && (f.until.IsZero() || now.Before(f.until)) && f.isFor(r) {
			if f.rng != nil && f.rng.Float64() >= f.Rate {
				continue
			}
			if f.left > 0 {
				f.left--
			}
			return f
		}
	}
	return nil
}

func (f *fault) isFor(r *request) bool {
	if f.Kind == FloodFault && f.Method == "" && r.chat == 0 {
		return false
	}
	return (f.Method == "" || f.Method == r.method) && (f.Chat == 0 || f.Chat == r.chat)
}

// faultEffect makes an answer fail in the way of one kind.
type faultEffect struct {
	code  func(Fault, answer) int // the status that the client sees; 0 without a complete answer
	write func(http.ResponseWriter, *http.Request, Fault, answer)
}

var faultEffects = map[FaultKind]faultEffect{
	noFault:        {func(_ Fault, a answer) int { return a.code }, writePlainly},
	FloodFault:     {func(_ Fault, a answer) int { return a.code }, writePlainly},
	ShortBodyFault: {func(_ Fault, a answer) int { return a.code }, writeShort},
	SlowFault:      {func(_ Fault, a answer) int { return a.code }, writeSlowly},
	ErrorFault:     {func(f Fault, _ answer) int { return cmp.Or(f.Code, 500) }, writeError},
	HTMLFault:      {func(f Fault, _ answer) int { return cmp.Or(f.Code, 502) }, writeHTML},
	BadJSONFault:   {func(Fault, answer) int { return http.StatusOK }, writeBadJSON},
	TruncatedFault: {func(Fault, answer) int { return 0 }, writeHalf},
	ResetFault:     {func(Fault, answer) int { return 0 }, reset},
	HangFault:      {func(Fault, answer) int { return 0 }, hang},
}

func writePlainly(rw http.ResponseWriter, _ *http.Request, _ Fault, a answer) { a.write(rw) }

func writeError(rw http.ResponseWriter, _ *http.Request, f Fault, _ answer) {
	code := cmp.Or(f.Code, 500)
	a := refuse(code, "%s", cmp.Or(f.Text, http.StatusText(code)))
	a.retryAfter = f.RetryAfter
	a.write(rw)
}

func writeHTML(rw http.ResponseWriter, _ *http.Request, f Fault, _ answer) {
	code := cmp.Or(f.Code, 502)
	title := strconv.Itoa(code) + " " + http.StatusText(code)
	page := cmp.Or(f.Text, "<html>\r\n<head><title>"+title+"</title></head>\r\n<body>\r\n<center><h1>"+title+
		"</h1></center>\r\n<hr><center>nginx/1.18.0</center>\r\n</body>\r\n</html>\r\n")
	rw.Header().Set("Content-Type", "text/html")
	rw.WriteHeader(code)
	_, _ = rw.Write([]byte(page))
}

func writeBadJSON(rw http.ResponseWriter, _ *http.Request, f Fault, _ answer) {
	rw.Header().Set("Content-Type", "application/json")
	_, _ = rw.Write([]byte(cmp.Or(f.Text, `{"ok":true,"result":{"message_id":`)))
}

// writeHalf announces the whole body and closes the connection after half of it.
func writeHalf(rw http.ResponseWriter, _ *http.Request, _ Fault, a answer) {
	body := a.body()
	a.head(rw, len(body))
	_, _ = rw.Write(body[:len(body)/2])
	_ = http.NewResponseController(rw).Flush()
	panic(http.ErrAbortHandler)
}

// writeShort sends a complete answer whose body lacks its end.
func writeShort(rw http.ResponseWriter, _ *http.Request, _ Fault, a answer) {
	body := a.body()
	a.head(rw, len(body)/2)
	_, _ = rw.Write(body[:len(body)/2])
}

// writeSlowly sends the body in ten pieces, spread over the fault's time.
func writeSlowly(rw http.ResponseWriter, r *http.Request, f Fault, a answer) {
	body := a.body()
	a.head(rw, len(body))
	piece := max(len(body)/10, 1)
	for len(body) > 0 {
		n := min(piece, len(body))
		_, _ = rw.Write(body[:n])
		_ = http.NewResponseController(rw).Flush()
		if body = body[n:]; !sleep(r.Context(), cmp.Or(f.Over, time.Second)/10) {
			return
		}
	}
}

// reset ends the connection with a TCP reset, which loses bytes that were already sent.
func reset(rw http.ResponseWriter, _ *http.Request, _ Fault, _ answer) {
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func hang(_ http.ResponseWriter, r *http.Request, _ Fault, _ answer) { <-r.Context().Done() }
