package protocoltest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Side is the sender of a line in a transcript.
type Side string

const (
	SideSupervisor Side = "S" // the side that starts the worker and calls hello
	SideWorker     Side = "W" // the side that runs a user's turns
)

// TranscriptLine is one line of a transcript, with its sender and without the newline.
type TranscriptLine struct {
	From Side
	Text string
}

// ParseTranscript reads a transcript. Each line is an object: its one key is the Side, its value
// the message.
func ParseTranscript(data []byte) ([]TranscriptLine, error) {
	var lines []TranscriptLine
	for i, text := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var said map[Side]json.RawMessage
		if err := json.Unmarshal(text, &said); err != nil {
			return nil, fmt.Errorf("transcript line %d: %w", i+1, err)
		}
		for from, message := range said {
			lines = append(lines, TranscriptLine{From: from, Text: string(message)})
		}
		if len(lines) != i+1 || lines[i].From != SideSupervisor && lines[i].From != SideWorker {
			return nil, fmt.Errorf("transcript line %d: want one of S and W", i+1)
		}
	}
	return lines, nil
}

// Script is a peer that plays one side of a transcript. It sends its own lines, and expects the
// other side's lines, byte for byte and in order.
type Script struct {
	As      Side
	Lines   []TranscriptLine
	OnLine  func(i int)   // hook after each sent or received line; may be nil
	Timeout time.Duration // limit for one line if the connection has deadlines; 0 means 10 s
}

// Play plays until the last line, or until the first unexpected line.
func (s *Script) Play(rw io.ReadWriter) error {
	in := bufio.NewReader(rw)
	for i, line := range s.Lines {
		if err := s.play(rw, in, line); err != nil {
			return fmt.Errorf("transcript line %d: %w", i+1, err)
		}
		if s.OnLine != nil {
			s.OnLine(i)
		}
	}
	return nil
}

func (s *Script) play(rw io.ReadWriter, in *bufio.Reader, line TranscriptLine) error {
	wait := s.Timeout
	if wait == 0 {
		wait = 10 * time.Second
	}
	if d, ok := rw.(interface{ SetDeadline(time.Time) error }); ok {
		if err := d.SetDeadline(time.Now().Add(wait)); err != nil {
			return err
		}
	}
	if line.From == s.As {
		_, err := io.WriteString(rw, line.Text+"\n")
		return err
	}
	got, err := in.ReadString('\n')
	if err != nil {
		return fmt.Errorf("got %q and %w, want %s", got, err, line.Text)
	}
	if got != line.Text+"\n" {
		return fmt.Errorf("got %s, want %s", got, line.Text)
	}
	return nil
}
