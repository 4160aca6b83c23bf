package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// wireMessage is one received line: a call (method and id), a notification (only method) or a
// response (id, and either result or failure).
type wireMessage struct {
	id      int64
	method  string
	params  json.RawMessage
	result  json.RawMessage
	failure *Error
}

const longestMethod = 64 // bytes of the longest method's name

// The members of an envelope, as indexes of memberNames and envelope.
const (
	memberVersion = iota
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
	memberCount
)

var memberNames = [memberCount]string{"jsonrpc", "id", "method", "params", "result", "error"}

// envelope holds the value of each member as in the line; nil if the member is missing.
type envelope [memberCount][]byte

// decodeLine checks a whole line as strictly as DecodeStrict, and splits its envelope. The result
// does not point into the line.
func decodeLine(line []byte) (*wireMessage, error) {
	var e envelope
	if err := e.scan(line); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocolBroken, err)
	}
	m, err := e.message()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocolBroken, err)
	}
	return m, nil
}

func (e *envelope) scan(line []byte) error {
	s := scanner{data: line}
	s.skipSpace()
	if s.kind() != kindObject {
		return decodeErrorf("want an object on a line, got %s", quote(line))
	}
	f := s.members(1, func(key []byte) *decodeError { return e.member(&s, key) })
	if f != nil {
		return f
	}
	s.skipSpace()
	if s.pos < len(line) {
		return decodeErrorf("%s after the end", quote(line[s.pos:]))
	}
	return nil
}

func (e *envelope) member(s *scanner, key []byte) *decodeError {
	for i, name := range memberNames {
		if string(key) != name {
			continue
		}
		from := s.pos
		if f := s.value(nil, 2); f != nil {
			return f.within(name)
		}
		e[i] = s.data[from:s.pos]
		return nil
	}
	return decodeErrorf("unknown key %s", quote(key))
}

// message checks that the members are those of a call, a notification or a response.
func (e *envelope) message() (*wireMessage, error) {
	if string(e[memberVersion]) != `"2.0"` {
		return nil, fmt.Errorf("jsonrpc: want \"2.0\", got %s", quote(e[memberVersion]))
	}
	id, err := parseID(e[memberID])
	if err != nil {
		return nil, err
	}
	if e[memberMethod] != nil {
		return e.request(id)
	}
	return e.response(id)
}

func (e *envelope) request(id int64) (*wireMessage, error) {
	if e[memberResult] != nil || e[memberError] != nil {
		return nil, errors.New("method and an answer in one message")
	}
	m := &wireMessage{id: id}
	if err := DecodeStrict(e[memberMethod], &m.method); err != nil {
		return nil, fmt.Errorf("method: %w", err)
	}
	if m.method == "" || len(m.method) > longestMethod {
		return nil, fmt.Errorf("method: want 1 to %d bytes, got %d", longestMethod, len(m.method))
	}
	if p := e[memberParams]; p != nil {
		if p[0] != '{' {
			return nil, fmt.Errorf("params: want an object, got %s", quote(p))
		}
		m.params = bytes.Clone(p)
	}
	return m, nil
}

func (e *envelope) response(id int64) (*wireMessage, error) {
	if id == 0 || e[memberParams] != nil || (e[memberResult] == nil) == (e[memberError] == nil) {
		return nil, errors.New("neither a call, a notification nor a response")
	}
	m := &wireMessage{id: id, result: bytes.Clone(e[memberResult])}
	if e[memberError] != nil {
		m.failure = new(Error)
		if err := DecodeStrict(e[memberError], m.failure); err != nil {
			return nil, fmt.Errorf("error: %w", err)
		}
	}
	return m, nil
}

// parseID reads a positive integer. It returns 0 if there is no id.
func parseID(b []byte) (int64, error) {
	if b == nil {
		return 0, nil
	}
	id, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("id: want a positive integer, got %s", quote(b))
	}
	return id, nil
}

// maxHead is the length of the longest head of a call: everything before its parameters.
const maxHead = len(`{"jsonrpc":"2.0","id":9223372036854775807,"method":"","params":`) + longestMethod

// outgoingLine is a line to send. Its head is written last, because a call gets its id when its
// line is queued: so ids rise in the order of the queue.
type outgoingLine struct {
	bytes []byte // room for the longest head, the encoded value, }\n
}

// encodeLine encodes value after room for a head. It refuses values that the other side would
// refuse: a value that is not strict JSON, and a line over limit.
func encodeLine(value any, limit int) (outgoingLine, error) {
	var b bytes.Buffer
	b.Write(make([]byte, maxHead))
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return outgoingLine{}, err
	}
	buf := b.Bytes()
	s := scanner{data: buf[maxHead:]}
	if f := s.document(nil, 2); f != nil {
		return outgoingLine{}, f
	}
	if len(buf) > limit { // the buffer has room for the longest head
		return outgoingLine{}, fmt.Errorf("%w: %d bytes, at most %d", ErrLineTooLong, len(buf)-maxHead, limit-maxHead)
	}
	buf[len(buf)-1] = '}' // the brace replaces the newline that Encode appends
	return outgoingLine{bytes: append(buf, '\n')}, nil
}

// encodeText is encodeLine for a JSON text that is known to be valid.
func encodeText(value string) outgoingLine {
	return outgoingLine{bytes: append(make([]byte, maxHead), value+"}\n"...)}
}

// size returns an upper bound for the bytes of the line.
func (p outgoingLine) size() int { return len(p.bytes) }

// line puts head before the value. It may be called once.
func (p outgoingLine) line(head []byte) []byte {
	from := maxHead - len(head)
	copy(p.bytes[from:], head)
	return p.bytes[from:]
}

// encodeRequest encodes a call or a notification. nil params are sent as {}.
func encodeRequest(method string, params any, limit int) (outgoingLine, error) {
	if method == "" || len(method) > longestMethod || strconv.Quote(method) != `"`+method+`"` {
		return outgoingLine{}, fmt.Errorf("method %q: want 1 to %d plain bytes", method, longestMethod)
	}
	if params == nil {
		return encodeText("{}"), nil
	}
	p, err := encodeLine(params, limit)
	if err == nil && p.bytes[maxHead] != '{' {
		err = errors.New("parameters are not an object")
	}
	return p, err
}

// requestHead returns the head of a call, or of a notification if id is 0.
func requestHead(id int64, method string) []byte {
	if id == 0 {
		return []byte(`{"jsonrpc":"2.0","method":"` + method + `","params":`)
	}
	return []byte(`{"jsonrpc":"2.0","id":` + strconv.FormatInt(id, 10) + `,"method":"` + method + `","params":`)
}

// answerHead returns the head of a response; member is result or error.
func answerHead(id int64, member string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + strconv.FormatInt(id, 10) + `,"` + member + `":`)
}
