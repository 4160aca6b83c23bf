package protocol

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// MethodChatSend sends one or several files to the turn's chat. It is a call in turn, one at a
// time, at most MaxFiles times in a turn. Repeated for the same tool call it sends nothing again
// and is answered as if it had, even if the file has changed. It may have to wait for the user's
// approval. Its error tells the model in words why the file was not sent.
const MethodChatSend = "chat.send"

// MethodChatMessage sends a text to the turn's chat, before the turn's answer: the argument text of
// the named tool call. It is a call in turn, one at a time, at most MaxMessages times in a turn.
// Repeated, it sends nothing again.
//
//	{"turn":8,"call":"c5"}
//	{}
const MethodChatMessage = "chat.message"

// Limits of messages that are sent before an answer.
const (
	MaxMessages = 10       // in one turn
	MaxMessage  = 16 << 10 // bytes of each
)

// ChatMessage names the tool call.
type ChatMessage struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"` // the ToolCall's ID
}

// ChatMessageArguments are the arguments of such a tool call.
type ChatMessageArguments struct {
	Text string `json:"text"` // Markdown
}

// Limits of files that are sent. Size and caption are the limits of Telegram's Bot API
// (sendDocument, "up to 50 MB"; "0-1024 characters after entities parsing", which are UTF-16
// units).
const (
	MaxFiles         = 20         // calls in one turn
	MaxFilesTogether = 10         // files in one call (Bot API, sendMediaGroup)
	MaxFile          = 50_000_000 // bytes
	MaxFileName      = 200        // bytes; the file systems of phones take 255
	MaxCaption       = 1024       // UTF-16 units
)

// ChatSend names the files to send. Pictures of one call are shown together.
type ChatSend struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"` // the ToolCall's ID
	ChatFile
	More []ChatFile `json:"more,omitempty"` // at most MaxFilesTogether-1
}

// Files returns all files of the call.
func (s ChatSend) Files() []ChatFile { return append([]ChatFile{s.ChatFile}, s.More...) }

// ChatFile names a blob of the user as a file. The supervisor itself finds out the type of the
// file.
type ChatFile struct {
	Blob BlobRef `json:"blob"`
	Name string  `json:"name"` // for the user, as FileName makes it
	// plain text below the file, without control characters except tabs and line breaks
	Caption string `json:"caption,omitempty"`
	// its path in the home, in the form of io/fs; "" if not known
	Path string `json:"path,omitempty"`

	Size MediaSize `json:"size,omitzero"`
}

// MediaSize holds the length of a recording or film, and the shown size of a film; 0 if not known.
type MediaSize struct {
	Seconds int `json:"seconds,omitempty"`
	Width   int `json:"width,omitempty"` // pixels
	Height  int `json:"height,omitempty"`
}

const (
	maxMediaSeconds = 1e7
	maxMediaEdge    = 1 << 16 // pixels
)

// Check refuses impossible sizes.
func (m MediaSize) Check() error {
	if min(m.Seconds, m.Width, m.Height) < 0 || m.Seconds > maxMediaSeconds || max(m.Width, m.Height) > maxMediaEdge {
		return fmt.Errorf("a recording of %d seconds, %d x %d", m.Seconds, m.Width, m.Height)
	}
	return nil
}

// ChatSent is the result of chat.send. The file is then on disk in the outbox.
type ChatSent struct{}

// Check refuses files that no honest side sends.
func (s ChatSend) Check() error {
	if len(s.More) >= MaxFilesTogether {
		return fmt.Errorf("more: %d files, at most %d", len(s.More), MaxFilesTogether-1)
	}
	for _, f := range s.Files() {
		if err := f.check(); err != nil {
			return err
		}
	}
	return nil
}

func (s ChatFile) check() error {
	switch {
	case s.Blob.Size < 1 || s.Blob.Size > MaxFile:
		return fmt.Errorf("blob.size: %d bytes, want 1 to %d", s.Blob.Size, MaxFile)
	case s.Name != FileName(s.Name):
		return fmt.Errorf("name: %.80q", s.Name)
	case s.Path != "" && !fs.ValidPath(s.Path) || len(s.Path) > MaxReceivedPath:
		return fmt.Errorf("path: %.80q", s.Path)
	}
	if err := CheckCaption(s.Caption); err != nil {
		return fmt.Errorf("caption: %w", err)
	}
	return s.Size.Check()
}

// CheckCaption refuses a text that cannot be a caption.
func CheckCaption(text string) error {
	if len(text) > 3*MaxCaption { // a UTF-16 unit is at most three bytes of UTF-8
		return fmt.Errorf("%d bytes, and at most %d characters fit", len(text), MaxCaption)
	}
	if n := len(utf16.Encode([]rune(text))); n > MaxCaption {
		return fmt.Errorf("%d characters, and at most %d fit", n, MaxCaption)
	}
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if strings.ContainsFunc(text, control) {
		return errors.New("it holds a control character")
	}
	return nil
}

// FileName returns a path's last name in a form that is safe to show. It has at most MaxFileName
// bytes and keeps the extension. A _ replaces each character that does not print or could hide the
// true name, such as a mark that changes the direction of reading. Square brackets become round,
// because square ones enclose notes to the model. A name made by FileName does not change again.
func FileName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == utf8.RuneError || !unicode.IsPrint(r):
			return '_'
		case r == '[':
			return '('
		case r == ']':
			return ')'
		}
		return r
	}, name)
	name = strings.Trim(name, " ")
	if over := len(name) - MaxFileName; over > 0 {
		extension := path.Ext(name)
		if len(extension) > 20 {
			extension = ""
		}
		stem := name[:MaxFileName-len(extension)]
		for !utf8.ValidString(stem) {
			stem = stem[:len(stem)-1]
		}
		name = strings.TrimRight(stem, " ") + extension
	}
	if strings.Trim(name, "._/") == "" {
		return "file"
	}
	return name
}
