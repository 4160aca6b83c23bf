package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent is the maximum size in bytes of an event, and so of a line. It is large because Ollama
// sends a whole tool call in one event, even with the text of a file to write.
const maxEvent = 1 << 20

// ServerEvent is one server-sent event. Its Data is valid until the next event is read.
type ServerEvent struct {
	Name  string // name of the event; "" for most events
	Data  []byte
	Whole bool // the data is a whole answer, which did not come as a stream
}

// eventReader reads a stream of server-sent events (HTML standard). Lines end with LF or CRLF. The
// standard also allows a single CR, but no model server sends it.
type eventReader struct {
	r    *bufio.Reader
	line []byte
	data []byte
}

// newEventReader returns a reader of the events from r.
func newEventReader(r io.Reader) *eventReader {
	return &eventReader{r: bufio.NewReader(r)}
}

// next returns the next event with data. If the stream ends before an event's empty line, the event
// is dropped, as the standard requires.
func (e *eventReader) next() (ServerEvent, error) {
	var name string
	e.data = e.data[:0]
	for {
		line, err := e.readLine()
		if err != nil {
			return ServerEvent{}, err
		}
		if len(line) == 0 {
			if len(e.data) > 0 {
				return ServerEvent{Name: name, Data: e.data}, nil
			}
			name = "" // the standard drops an event without data
			continue
		}
		field, value := splitField(line)
		switch field {
		case "event":
			name = string(value)
		case "error": // old releases of llama.cpp send errors in this field
			name = "error"
			fallthrough
		case "data":
			if err := e.addData(value); err != nil {
				return ServerEvent{}, err
			}
		}
	}
}

func (e *eventReader) addData(value []byte) error {
	if len(e.data) > 0 {
		e.data = append(e.data, '\n')
	}
	e.data = append(e.data, value...)
	if len(e.data) > maxEvent {
		return ErrAnswerTooLong
	}
	return nil
}

// readLine returns a line without its end. If the stream ends within the line, the line is dropped.
func (e *eventReader) readLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		piece, err := e.r.ReadSlice('\n')
		if len(e.line)+len(piece) > maxEvent {
			return nil, ErrAnswerTooLong
		}
		if err == nil && len(e.line) == 0 {
			return trimEnd(piece), nil
		}
		e.line = append(e.line, piece...)
		if err == nil {
			return trimEnd(e.line), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

// splitField splits "name: value". A comment begins with a colon and has no name.
func splitField(line []byte) (string, []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	return string(name), bytes.TrimPrefix(value, []byte(" "))
}
