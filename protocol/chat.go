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

// MethodChatSend sends one or several files to the turn's chat. It is a call during a turn, one at
// a time, at most MaxSendCallsPerTurn times in a turn. A repeated call sends nothing again and gets
// the same answer, even if the file has changed. The call may wait for the user's approval. Its
// error tells the model in words why the file was not sent.
const MethodChatSend = "chat.send"

// MethodChatMessage sends a text to the turn's chat, before the turn's answer. The text is an
// argument of the tool call that the parameters name. It is a call during a turn, one at a time, at
// most MaxMessagesPerTurn times in a turn. A repeated call sends nothing again.
//
//	{"turn":8,"call":"c5"}
//	{}
const MethodChatMessage = "chat.message"

// Limits of messages that are sent before an answer.
const (
	MaxMessagesPerTurn  = 10       // maximum of messages in one turn
	MaxSentMessageBytes = 16 << 10 // bytes of one sent message
)

// ChatMessageParams names the tool call whose text is sent.
type ChatMessageParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"` // ID of the ToolCall whose text is sent
}

// ChatMessageArguments are the arguments of the tool call that sends a text.
type ChatMessageArguments struct {
	Text string `json:"text"` // text to send, in Markdown
}

// Limits of files that are sent. The limits of size and caption are those of Telegram's Bot API
// (sendDocument, "up to 50 MB"; "0-1024 characters after entities parsing", which are UTF-16
// units).
const (
	MaxSendCallsPerTurn = 20         // calls of chat.send in one turn
	MaxFilesPerCall     = 10         // files in one call (Bot API, sendMediaGroup)
	MaxSentFileBytes    = 50_000_000 // bytes of one file
	MaxFileNameBytes    = 200        // bytes of a file's name; the file systems of phones take 255
	MaxCaptionUnits     = 1024       // UTF-16 units of a caption
)

// ChatSendParams names the files to send. The channel shows pictures of one call together.
type ChatSendParams struct {
	Turn int64  `json:"turn"`
	Call string `json:"call"` // ID of the ToolCall that sends the files
	ChatFile
	More []ChatFile `json:"more,omitempty"` // further files, at most MaxFilesPerCall-1
}

// Files returns all files of the call.
func (s ChatSendParams) Files() []ChatFile { return append([]ChatFile{s.ChatFile}, s.More...) }

// ChatFile names a blob of the user as a file. The supervisor itself finds out the type of the
// file.
type ChatFile struct {
	Blob BlobRef `json:"blob"`
	Name string  `json:"name"` // file name that the user sees, as SafeFileName makes it
	// caption: plain text below the file, without control characters except tabs and line breaks
	Caption string `json:"caption,omitempty"`
	// the file's path in the home, in the form of io/fs; "" if not known
	Path string `json:"path,omitempty"`

	Size MediaSize `json:"size,omitzero"`
}

// MediaSize holds the length of a recording or film, and a film's shown size. 0 means not known.
type MediaSize struct {
	Seconds int `json:"seconds,omitempty"`
	Width   int `json:"width,omitempty"` // width in pixels
	Height  int `json:"height,omitempty"`
}

const (
	maxMediaSeconds = 1e7
	maxMediaEdge    = 1 << 16 // largest width or height in pixels
)

// Validate returns an error for impossible sizes.
func (m MediaSize) Validate() error {
	if min(m.Seconds, m.Width, m.Height) < 0 || m.Seconds > maxMediaSeconds || max(m.Width, m.Height) > maxMediaEdge {
		return fmt.Errorf("a recording of %d seconds, %d x %d", m.Seconds, m.Width, m.Height)
	}
	return nil
}

// ChatSendResult is the result of chat.send. It means that the outbox has stored the file on disk.
type ChatSendResult struct{}

// Validate returns an error for files that no honest side sends.
func (s ChatSendParams) Validate() error {
	if len(s.More) >= MaxFilesPerCall {
		return fmt.Errorf("more: %d files, at most %d", len(s.More), MaxFilesPerCall-1)
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
	case s.Blob.Size < 1 || s.Blob.Size > MaxSentFileBytes:
		return fmt.Errorf("blob.size: %d bytes, want 1 to %d", s.Blob.Size, MaxSentFileBytes)
	case s.Name != SafeFileName(s.Name):
		return fmt.Errorf("name: %.80q", s.Name)
	case s.Path != "" && !fs.ValidPath(s.Path) || len(s.Path) > MaxReceivedPathBytes:
		return fmt.Errorf("path: %.80q", s.Path)
	}
	if err := ValidateCaption(s.Caption); err != nil {
		return fmt.Errorf("caption: %w", err)
	}
	return s.Size.Validate()
}

// ValidateCaption returns an error for a text that cannot be a caption.
func ValidateCaption(text string) error {
	if len(text) > 3*MaxCaptionUnits { // a UTF-16 unit is at most three bytes of UTF-8
		return fmt.Errorf("%d bytes, and at most %d characters fit", len(text), MaxCaptionUnits)
	}
	if n := len(utf16.Encode([]rune(text))); n > MaxCaptionUnits {
		return fmt.Errorf("%d characters, and at most %d fit", n, MaxCaptionUnits)
	}
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if strings.ContainsFunc(text, control) {
		return errors.New("it holds a control character")
	}
	return nil
}

// SafeFileName returns a path's last name in a form that is safe to show. It has at most
// MaxFileNameBytes bytes and keeps the extension. A _ replaces each character that does not print
// or could hide the true name, such as a mark that changes the direction of reading. Square
// brackets become round, because square brackets enclose notes to the model. A name made by
// SafeFileName does not change again.
func SafeFileName(name string) string {
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
	if over := len(name) - MaxFileNameBytes; over > 0 {
		extension := path.Ext(name)
		if len(extension) > 20 {
			extension = ""
		}
		stem := name[:MaxFileNameBytes-len(extension)]
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
