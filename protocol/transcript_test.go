package protocol_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"mews/protocol"
	"mews/protocol/protocoltest"
)

// methods maps every method of the wire to its parameters and its result. nil means none.
var methods = map[string]struct{ params, result func() any }{
	protocol.MethodHello:             {of[protocol.Hello], of[protocol.HelloResult]},
	protocol.MethodPing:              {},
	protocol.MethodStop:              {},
	protocol.MethodCancel:            {of[protocol.CancelParams], nil},
	protocol.MethodTerminalsList:     {nil, of[protocol.TerminalList]},
	protocol.MethodDiskGrowth:        {nil, of[protocol.DiskGrowth]},
	protocol.MethodDiskThin:          {},
	protocol.MethodDiskHold:          {},
	protocol.MethodTryWalls:          {of[protocol.TryWallsParams], of[protocol.TryWallsResult]},
	protocol.MethodTurnStart:         {of[protocol.TurnStart], of[protocol.TurnEnd]},
	protocol.MethodTurnEvent:         {of[protocol.TurnEvent], nil},
	protocol.MethodModelStream:       {of[protocol.ModelStreamParams], of[protocol.ModelStreamResult]},
	protocol.MethodStepCommit:        {of[protocol.StepCommitParams], of[protocol.StepCommitResult]},
	protocol.MethodBlobBegin:         {of[protocol.BlobBeginParams], of[protocol.BlobBeginResult]},
	protocol.MethodBlobWrite:         {of[protocol.BlobWriteParams], nil},
	protocol.MethodBlobCommit:        {of[protocol.BlobCommitParams], of[protocol.BlobRef]},
	protocol.MethodBlobRead:          {of[protocol.BlobReadParams], of[protocol.BlobReadResult]},
	protocol.MethodChatSend:          {of[protocol.ChatSendParams], of[protocol.ChatSendResult]},
	protocol.MethodOperationStart:    {of[protocol.OperationStart], of[protocol.OperationEnd]},
	protocol.MethodOperationPiece:    {of[protocol.OperationPiece], nil},
	protocol.MethodOperationProgress: {of[protocol.OperationProgress], nil},
	protocol.MethodToolsChanged:      {of[protocol.ToolsChangedParams], nil},
}

func of[T any]() any { return new(T) }

// transcriptLine is a decoded line of the transcript.
type transcriptLine struct {
	ID     int64           `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *protocol.Error `json:"error"`
}

func transcript(t *testing.T) ([]protocoltest.TranscriptLine, []transcriptLine) {
	t.Helper()
	data, err := os.ReadFile("testdata/transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := protocoltest.ParseTranscript(data)
	if err != nil {
		t.Fatal(err)
	}
	messages := make([]transcriptLine, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line.Text), &messages[i]); err != nil {
			t.Fatal(err)
		}
	}
	return lines, messages
}

func TestTranscript_EqualsDocComment(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, page, found := strings.Cut(string(doc), "// # A transcript\n")
	if !found {
		t.Fatal("doc.go has no transcript")
	}
	var b strings.Builder
	for line := range strings.Lines(page) {
		line, within := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "//\t")
		more, continued := strings.CutPrefix(line, "    ")
		switch {
		case !within:
		case continued:
			b.WriteString(more)
		default:
			b.WriteString("\n" + line)
		}
	}
	want, err := os.ReadFile("testdata/transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimPrefix(b.String(), "\n") + "\n"; got != string(want) {
		t.Errorf("doc.go has\n%s\ntestdata/transcript.jsonl has\n%s", got, want)
	}
}

func TestTranscript_EachLine_DecodesIntoItsType(t *testing.T) {
	lines, messages := transcript(t)
	asked := make(map[protocoltest.Side]map[int64]string)
	asked[protocoltest.SideSupervisor], asked[protocoltest.SideWorker] = map[int64]string{}, map[int64]string{}
	used := make(map[string]bool)
	for i, m := range messages {
		from := lines[i].From
		row, known := methods[m.Method]
		switch {
		case m.Method != "" && known:
			used[m.Method] = true
			wantRoundTrip(t, m.Params, row.params)
		case m.Method == "" && m.Error == nil:
			wantRoundTrip(t, m.Result, methods[asked[other(from)][m.ID]].result)
		}
		if m.Method != "" && m.ID > 0 {
			asked[from][m.ID] = m.Method
		}
	}
	for name := range methods {
		if !used[name] {
			t.Errorf("the transcript has no %s", name)
		}
	}
}

// wantRoundTrip decodes text into a value made by the function of. Encoding the value must give the
// same text.
func wantRoundTrip(t *testing.T, text json.RawMessage, of func() any) {
	t.Helper()
	if of == nil {
		if s := string(text); s != "{}" && s != "null" {
			t.Errorf("got %s, want nothing", s)
		}
		return
	}
	v := of()
	if err := protocol.DecodeStrict(text, v); err != nil {
		t.Errorf("%s into %T: %v", text, v, err)
		return
	}
	if again, err := json.Marshal(v); err != nil || string(again) != string(text) {
		t.Errorf("%s became %s (%v)", text, again, err)
	}
}

func other(s protocoltest.Side) protocoltest.Side {
	if s == protocoltest.SideWorker {
		return protocoltest.SideSupervisor
	}
	return protocoltest.SideWorker
}

func TestTranscript_ToolsAndOperations_AreValid(t *testing.T) {
	_, messages := transcript(t)
	checked, pieces := 0, 1 // the transcript's recording has one piece from before the crash
	for _, m := range messages {
		var end protocol.OperationEnd
		switch {
		case m.Method == protocol.MethodToolsChanged:
			var changed protocol.ToolsChangedParams
			if err := errors.Join(protocol.DecodeStrict(m.Params, &changed), changed.Validate()); err != nil {
				t.Error(err)
			}
			checked++
		case protocol.DecodeStrict(m.Result, &end) == nil && end.Result != nil:
			var archive protocol.ArchiveResult
			var transcribed protocol.TranscribeResult
			if err := errors.Join(protocol.DecodeStrict(end.Result, &archive), archive.Validate()); err != nil {
				if other := errors.Join(protocol.DecodeStrict(end.Result, &transcribed),
					transcribed.Validate()); other != nil {
					t.Error(err, other)
				}
			}
			checked++
		case m.Method == protocol.MethodOperationPiece:
			var piece protocol.OperationPiece
			if err := errors.Join(protocol.DecodeStrict(m.Params, &piece), piece.Validate(pieces, pieces > 1,
				200)); err != nil {
				t.Error(err)
			}
			pieces++
			checked++
		}
	}
	if checked != 6 {
		t.Errorf("%d messages were checked, want 6", checked)
	}
}

// TestMethods_EachOne_IsDocumented reads the Method constants from the source. A method is in
// doc.go's table and in the transcript, or its constant's comment has an example.
func TestMethods_EachOne_IsDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "// # Methods\n")
	table, _, _ = strings.Cut(table, "// # A transcript\n")
	constants := protocoltest.ReadMethodConstants(t, ".")
	for value, example := range constants {
		_, known := methods[value]
		if inTable := strings.Contains(table, "//\t  "+value+" "); inTable != known || !known && len(example) == 0 {
			t.Errorf("%s is in this test's table: %t, in doc.go's table: %t, and its constant has an example: %t",
				value, known, inTable, len(example) > 0)
		}
	}
	for name := range methods {
		if _, declared := constants[name]; !declared {
			t.Errorf("no constant has the method %s of this test's table", name)
		}
	}
}

// TestTranscript_EachSide_IsPlayable plays the transcript with a connection as each side. The
// connection's lines must go over the wire byte for byte, and the script's lines must reach its
// handler or its caller.
func TestTranscript_EachSide_IsPlayable(t *testing.T) {
	for _, side := range []protocoltest.Side{protocoltest.SideSupervisor, protocoltest.SideWorker} {
		t.Run("as "+string(side), func(t *testing.T) {
			lines, messages := transcript(t)
			a := &transcriptPeer{t: t, calls: map[int64]context.CancelFunc{}, answers: map[int64]chan transcriptLine{}}
			ours, theirs := protocoltest.NewSocketPair(t)
			a.conn = protocol.NewConn(ours, a, protocol.Options{})
			result := protocoltest.RunConn(t, a.conn)
			steps := make(chan int)
			script := &protocoltest.Script{As: other(side), Lines: lines, OnLine: func(i int) { steps <- i }}
			played := runLater(func() error { defer close(steps); return script.Play(theirs) })
			for i, m := range messages {
				if lines[i].From == side {
					a.say(m)
				}
				if _, ok := <-steps; !ok {
					break
				}
			}
			if err := <-played; err != nil {
				t.Error(err)
			}
			theirs.Close()
			<-result
			a.talk.Wait()
			a.compare(lines, messages, side)
		})
	}
}

// transcriptPeer sends the lines of one side through a connection.
type transcriptPeer struct {
	t     *testing.T
	conn  *protocol.Conn
	talk  sync.WaitGroup
	calls map[int64]context.CancelFunc // cancel function of each call, by the id that the call will get

	mu      sync.Mutex
	answers map[int64]chan transcriptLine // answers that the handler of a call must give
	heard   []string                      // notifications that have arrived, in order
	called  []string                      // methods of the calls that arrived, in any order
	results []int64                       // ids of answered calls
}

func (a *transcriptPeer) say(m transcriptLine) {
	switch {
	case m.Method == protocol.MethodCancel:
		var c protocol.CancelParams
		if err := protocol.DecodeStrict(m.Params, &c); err != nil {
			a.t.Fatal(err)
		}
		a.calls[c.ID]()
	case m.Method != "" && m.ID > 0:
		ctx, cancel := context.WithCancel(background)
		a.calls[m.ID] = cancel
		a.talk.Go(func() { a.call(ctx, m) })
	case m.Method != "":
		if err := a.conn.Notify(background, m.Method, m.Params); err != nil {
			a.t.Error(err)
		}
	default:
		a.answer(m.ID) <- m
	}
}

func (a *transcriptPeer) call(ctx context.Context, m transcriptLine) {
	err := a.conn.Call(ctx, m.Method, m.Params, nil)
	if err != nil && !strings.Contains(err.Error(), "(-32") {
		a.t.Errorf("call %d: %v", m.ID, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.results = append(a.results, m.ID)
}

// answer returns the channel for the answer to a call. For a ping it stays unused, because the
// connection answers.
func (a *transcriptPeer) answer(id int64) chan transcriptLine {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answers[id] == nil {
		a.answers[id] = make(chan transcriptLine, 1)
	}
	return a.answers[id]
}

func (a *transcriptPeer) HandleCall(_ context.Context, req *protocol.Request) (any, error) {
	a.mu.Lock()
	a.called = append(a.called, req.Method+string(req.Params))
	a.mu.Unlock()
	m := <-a.answer(req.ID)
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

func (a *transcriptPeer) HandleNotification(req *protocol.Request) {
	a.heard = append(a.heard, req.Method+string(req.Params))
}

// compare checks that every line of the other side arrived.
func (a *transcriptPeer) compare(lines []protocoltest.TranscriptLine, messages []transcriptLine,
	side protocoltest.Side) {
	var notifications, calls []string
	answers := 0
	for i, m := range messages {
		switch {
		case lines[i].From == side || m.Method == protocol.MethodPing || m.Method == protocol.MethodCancel:
		case m.Method == "":
			answers++
		case m.ID == 0:
			notifications = append(notifications, m.Method+string(m.Params))
		default:
			calls = append(calls, m.Method+string(m.Params))
		}
	}
	slices.Sort(a.called)
	slices.Sort(calls)
	if !slices.Equal(a.heard, notifications) {
		a.t.Errorf("heard %q, want %q", a.heard, notifications)
	}
	if !slices.Equal(a.called, calls) {
		a.t.Errorf("was called for %q, want %q", a.called, calls)
	}
	if len(a.results) != answers {
		a.t.Errorf("%d calls were answered, want %d", len(a.results), answers)
	}
}
