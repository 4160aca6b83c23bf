package main_test

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// modelScripts are the models of the scenarios, by name.
var modelScripts = map[string]modeltest.Script{
	"failing":  failing,
	"attached": repeatSent,
	"butler":   butler,
	"critic":   critic,
	"echo":     modeltest.EchoScript,
	"files":    modeltest.SlowScript(writeFiles, 8, time.Millisecond),
	"hearing":  transcriber,
	"looker":   looker,
	"notebook": notebook,
	"reader":   reader,
	"recall":   repeatAll,
	"reviewer": reviewer,
	"sorter":   sorter,
	"stubborn": stubborn,
}

// scriptModel is an endpoint that follows a script. A held request waits, and gets no answer until
// it is released.
type scriptModel struct {
	script modeltest.Script
	server *httptest.Server
	held   chan struct{} // a token for each held request

	mu     sync.Mutex // guards the fields below
	holdAt int        // a request with this number of tool results since its turn began is held; -1 holds no request
	// number of bytes of the answer after which a held request hangs; 0 means a wait before the
	// answer. If it is not 0, only one request is held.
	cutAfter int
	open     chan struct{} // closed to release held requests
}

// modelCommand makes a script command that acts on the model.
func modelCommand(usage string, do func(*scriptModel, *testscript.TestScript, []string)) scriptCommand {
	return command(usage, func(s *scriptEnv, ts *testscript.TestScript, args []string) {
		if s.model == nil {
			ts.Fatalf("there is no model")
		}
		do(s.model, ts, args)
	})
}

func (s *scriptEnv) startModel(ts *testscript.TestScript, args []string) {
	script, ok := modelScripts[args[0]]
	if !ok || s.model != nil {
		ts.Fatalf("one model at most, and one of %q", slices.Sorted(maps.Keys(modelScripts)))
	}
	m := &scriptModel{script: script, held: make(chan struct{}, 100), holdAt: -1, open: make(chan struct{})}
	m.server = httptest.NewServer(modeltest.NewUnstartedServer(m.answer))
	s.model = m
	ts.Setenv("MODEL_URL", m.server.URL+"/v1")
	ts.Setenv("MODEL_HOST", m.server.Listener.Addr().String())
}

func (s *scriptEnv) stopModel(ts *testscript.TestScript, _ []string) {
	if s.model == nil {
		ts.Fatalf("there is no model")
	}
	s.model.close()
	s.model = nil
}

func (m *scriptModel) close() {
	m.release(nil, nil)
	m.server.CloseClientConnections()
	m.server.Close()
}

// answer answers each request of the server.
func (m *scriptModel) answer(r modeltest.Request) modeltest.Answer {
	a := m.script(r)
	m.mu.Lock()
	hold, most, open := m.holdAt == len(r.AnsweredCalls()), m.cutAfter, m.open
	if hold && most > 0 {
		m.holdAt = -1
	}
	m.mu.Unlock()
	switch {
	case hold && most > 0:
		a.Chunk, a.CutAfter, a.Hang = 8, most, true
		m.held <- struct{}{}
	case hold:
		m.held <- struct{}{}
		<-open
	}
	return a
}

func (m *scriptModel) hold(ts *testscript.TestScript, args []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cutAfter = 0
	_, err := fmt.Sscan(args[0], &m.holdAt)
	ts.Check(err)
	if len(args) > 1 {
		_, err := fmt.Sscan(args[1], &m.cutAfter)
		ts.Check(err)
	}
}

func (m *scriptModel) awaitHeld(ts *testscript.TestScript, _ []string) {
	select {
	case <-m.held:
	case <-time.After(apptest.DefaultTestTimeout):
		ts.Fatalf("waited %s for the model to be asked what it is held at", apptest.DefaultTestTimeout)
	}
}

func (m *scriptModel) release(*testscript.TestScript, []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.open)
	m.holdAt, m.open = -1, make(chan struct{})
}

// writeFiles is modeltest.FileWriterScript with commands in one line, separated by semicolons.
func writeFiles(r modeltest.Request) modeltest.Answer {
	r.Messages = slices.Clone(r.Messages)
	for i, m := range r.Messages {
		if m.Role == "user" {
			r.Messages[i].Content = strings.ReplaceAll(m.Content, "; ", "\n")
		}
	}
	return modeltest.FileWriterScript(r)
}

// transcriber transcribes every recording as the same words. It refuses short recordings with an
// authentication error. Other requests go to repeatSent.
func transcriber(r modeltest.Request) modeltest.Answer {
	if len(r.Messages) == 0 && len(r.Raw) < 20_000 {
		return modeltest.Answer{Fail: &modeltest.Failure{Class: modeltest.FailureWrongKey}}
	}
	if len(r.Messages) == 0 {
		return modeltest.Answer{Text: "Buy milk."}
	}
	return repeatSent(r)
}

// repeatAll repeats all messages of the user that it sees.
func repeatAll(r modeltest.Request) modeltest.Answer {
	var said []string
	for _, m := range r.Messages {
		if m.Role == "user" {
			said = append(said, m.Content)
		}
	}
	return modeltest.Answer{Text: "You said: " + strings.Join(said, " | ")}
}

// arrivedAt matches the time in the path of an upload. fence matches a line around quoted words.
var (
	arrivedAt = regexp.MustCompile(`uploads/\d{4}-\d\d-\d\d/\d{6}-`)
	fence     = regexp.MustCompile(`===== [A-Z2-7]{12} =====`)
)

// repeatSent repeats the messages and pictures of the user since the last answer. Times and random
// parts are replaced.
func repeatSent(r modeltest.Request) modeltest.Answer {
	var sent []string
	for _, m := range r.Messages {
		switch m.Role {
		case "assistant":
			sent = nil
		case "user":
			words := fence.ReplaceAllString(arrivedAt.ReplaceAllString(m.Content, "uploads/DAY/TIME-"), "(fence)")
			for _, picture := range m.Images {
				words += fmt.Sprintf(" (%s)", picture)
			}
			sent = append(sent, words)
		}
	}
	return modeltest.Answer{Text: "You sent: " + strings.Join(sent, " | ")}
}

// looker says a text, lists the folder, and says another text.
func looker(r modeltest.Request) modeltest.Answer {
	if len(r.AnsweredCalls()) == 0 {
		return modeltest.Answer{Text: "Let me look.", Calls: []modeltest.Call{{Name: "list_files", Args: `{}`}}}
	}
	return modeltest.Answer{Text: "I have looked."}
}

// notebook lists the folder, and repeats the user's messages since its last answer.
func notebook(r modeltest.Request) modeltest.Answer {
	if len(r.AnsweredCalls()) == 0 {
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_files", Args: `{}`}}}
	}
	r.Messages = slices.DeleteFunc(slices.Clone(r.Messages), func(m modeltest.Message) bool { return m.Role != "user" && len(m.Calls) > 0 })
	return repeatSent(r)
}

// cutPattern matches a cut output; its groups are head, number of bytes left out, arguments for
// read_output, and tail. readOutputPattern matches the output of read_output; its groups are from,
// to, of, and text.
var (
	cutPattern        = regexp.MustCompile(`(?s)^(.*)\n\[\.\.\. (\d+) bytes .* left out; read on with read_output (\{.*?\}) \.\.\.\]\n(.*)$`)
	readOutputPattern = regexp.MustCompile(`(?s)^\[bytes (\d+) to (\d+) of (\d+); [^\n]*\]\n(.*)$`)
)

// reader calls the tool that the user names ("TOOL ARGUMENTS"). If the output is cut, it calls
// read_output until it has the whole output. Then it describes the first output and the whole
// output.
func reader(r modeltest.Request) modeltest.Answer {
	done := r.AnsweredCalls()
	if len(done) == 0 {
		tool, arguments, _ := strings.Cut(r.NewestUserMessage(), " ")
		return modeltest.Answer{Calls: []modeltest.Call{{Name: tool, Args: arguments}}}
	}
	seen := done[0].Result
	cut := cutPattern.FindStringSubmatch(seen)
	if cut == nil {
		return modeltest.Answer{Text: fmt.Sprintf("I saw all %d bytes at once:\n%s", len(seen), seen)}
	}
	left, err := strconv.Atoi(cut[2])
	if err != nil {
		return modeltest.Answer{Text: err.Error()}
	}
	whole, err := joinOutput(cut[1], done[1:])
	if err != nil {
		return modeltest.Answer{Text: "I could not read on: " + err.Error()}
	}
	if missing := len(cut[1]) + left; len(whole) < missing {
		arguments := strings.Replace(cut[3], fmt.Sprintf(`"start": %d`, len(cut[1])), fmt.Sprintf(`"start": %d`, len(whole)), 1)
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "read_output", Args: arguments}}}
	} else {
		whole = whole[:missing] + cut[4]
	}
	return modeltest.Answer{Text: fmt.Sprintf("I saw at most 16 KiB of it: %t\nFrom: %s\nTo: %s\nThe whole has %d lines.",
		len(seen) <= 16<<10, firstLine(whole), lastLine(whole), strings.Count(whole, "\n"))}
}

// stubborn calls the tool that the user names ("TOOL ARGUMENTS"), and says the result. If the call
// was interrupted, it calls the tool again.
func stubborn(r modeltest.Request) modeltest.Answer {
	done := r.AnsweredCalls()
	if len(done) > 0 && !strings.HasPrefix(done[len(done)-1].Result, "error: interrupted") {
		return modeltest.Answer{Text: done[len(done)-1].Result}
	}
	tool, arguments, _ := strings.Cut(r.NewestUserMessage(), " ")
	return modeltest.Answer{Calls: []modeltest.Call{{Name: tool, Args: arguments}}}
}

// joinOutput appends the outputs of read_output to the head of an output.
func joinOutput(whole string, more []modeltest.AnsweredCall) (string, error) {
	for _, d := range more {
		part := readOutputPattern.FindStringSubmatch(d.Result)
		if part == nil || part[1] != strconv.Itoa(len(whole)) {
			return "", fmt.Errorf("after %d bytes came %.200q", len(whole), d.Result)
		}
		whole += part[4]
	}
	return whole, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// faults are the ways to fail that a user can ask the failing model for.
var faults = map[string]modeltest.Fault{
	"limited":   nil, // one of limiters
	"cut":       modeltest.FaultCutStream(30),
	"length":    modeltest.FaultStopReason(modeltest.StopReasonLength),
	"empty":     modeltest.FaultEmptyAnswer,
	"malformed": modeltest.FaultMalformedCall,
	"unknown":   modeltest.FaultUnknownTool,
	"stalled":   modeltest.FaultStalledStream(700),
	"tomorrow":  rateLimited(time.Hour),
}

// rateLimited is a refusal with the time to wait.
func rateLimited(wait time.Duration) modeltest.Fault {
	return modeltest.FaultFromFailure(modeltest.Failure{Class: modeltest.FailureRateLimited, Header: map[string]string{
		"Retry-After": fmt.Sprint(wait.Seconds()), "Retry-After-Ms": fmt.Sprint(wait.Milliseconds()),
	}})
}

// limiter refuses requests for a while, and tells the time to wait. A retry before that time is
// refused too.
type limiter struct {
	mu      sync.Mutex // guards the fields below
	refused int        // number of refused requests since the last answer
	open    time.Time
}

// limiters has a limiter for each API, whose clients may ask at the same time.
var limiters = map[modeltest.APIFormat]*limiter{modeltest.FormatOpenAI: {}, modeltest.FormatAnthropic: {}}

// limiterWait is longer than the wait of a caller that ignores the refusal's time.
const limiterWait = 3 * time.Second

func (l *limiter) answer(a modeltest.Answer) modeltest.Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == 0 {
		l.open = time.Now().Add(limiterWait)
	}
	if time.Now().Before(l.open) {
		l.refused++
		return rateLimited(limiterWait)(a)
	}
	a.Text = fmt.Sprintf("You came back in time. Refused before: %d.", l.refused)
	l.refused = 0
	return a
}

// failing fails in the way that the message names: a key of faults, or a class of failures of
// modeltest. It echoes any other message.
func failing(r modeltest.Request) modeltest.Answer {
	asked := r.NewestUserMessage()
	// in Anthropic's format, unanswered messages precede the text in the same message
	for word := range faults {
		if strings.HasSuffix(asked, word) {
			asked = word
		}
	}
	asked = asked[max(0, strings.LastIndex(asked, "fail: ")):]
	if strings.HasPrefix(asked, "Go on exactly") {
		return modeltest.Answer{Text: " This is its end."}
	}
	if fault, ok := faults[asked]; ok {
		if fault == nil {
			fault = limiters[r.Format].answer
		}
		return modeltest.ScriptWithFaults(answerTo(asked), fault)(r)
	}
	if class, ok := strings.CutPrefix(asked, "fail: "); ok {
		return modeltest.ScriptWithFaults(modeltest.EchoScript,
			modeltest.FaultFromFailureClass(modeltest.FailureClass(class)))(r)
	}
	return modeltest.EchoScript(r)
}

// answerTo is a model that answers in a sentence. If the fault is about tool calls, it calls a tool
// first.
func answerTo(asked string) modeltest.Script {
	return func(r modeltest.Request) modeltest.Answer {
		if (asked == "malformed" || asked == "unknown") && len(r.AnsweredCalls()) == 0 {
			return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_files", Args: `{}`}}}
		}
		if n := len(r.AnsweredCalls()); n > 0 {
			return modeltest.Answer{Text: "The tool said: " + firstLineOf(r.AnsweredCalls()[n-1].Result)}
		}
		return modeltest.Answer{Text: "This is an answer of some length to the word " + asked + ".", Chunk: 4}
	}
}

func firstLineOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// butler writes the user's wanted style into AGENTS.md. It speaks in that style once its
// instructions contain it.
func butler(r modeltest.Request) modeltest.Answer {
	switch asked := r.NewestUserMessage(); {
	case strings.Contains(asked, "eak") && len(r.AnsweredCalls()) == 0:
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "write_file", Args: fmt.Sprintf(`{"path":"AGENTS.md","content":%q,"overwrite":true}`, asked+"\n")}}}
	case strings.HasPrefix(asked, "run ") && len(r.AnsweredCalls()) == 0:
		return modeltest.Answer{Calls: []modeltest.Call{{Name: "run_command", Args: fmt.Sprintf(`{"command":%q}`, asked[4:])}}}
	case len(r.AnsweredCalls()) > 0:
		return modeltest.Answer{Text: "It says: " + r.AnsweredCalls()[0].Result}
	}
	for _, manner := range []string{"butler", "pirate"} {
		if strings.Contains(r.System, manner) {
			return modeltest.Answer{Text: "I am a " + manner + "."}
		}
	}
	return modeltest.Answer{Text: "I am nobody."}
}
