package protocol

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// MethodChatSend sends a file to the chat that the turn belongs to. A call in turn, one at a time, at most MaxFiles times
// in a turn; made again for the same call of the model's it sends nothing a second time, and is answered as if it had, even
// where the file is another by now. It may take as long as the person needs to say whether they want it: its error is then
// why the file was not sent, in words for the model.
const MethodChatSend = "chat.send"

// What may be sent. The size and the caption are what Telegram takes of a bot (Bot API: sendDocument, "up to 50 MB";
// "0-1024 characters after entities parsing", which are UTF-16 units).
const (
	MaxFiles    = 20         // in one turn
	MaxFile     = 50_000_000 // bytes
	MaxFileName = 200        // bytes; the file systems of phones take 255
	MaxCaption  = 1024       // UTF-16 units
)

// ChatSend names a blob of the person's as the file. What sort of file it is the supervisor finds out by itself.
type ChatSend struct {
	Turn    int64   `json:"turn"`
	Call    string  `json:"call"` // the ToolCall's ID
	Blob    BlobRef `json:"blob"`
	Name    string  `json:"name"`              // what the person sees: as FileName makes it
	Caption string  `json:"caption,omitempty"` // plain text below the file; of control characters only tabs and line breaks
}

// ChatSent is the result of chat.send: the file is on disk with all that is to be delivered, and will be.
type ChatSent struct{}

// Check says what is wrong with a file that no honest side sends.
func (s ChatSend) Check() error {
	switch {
	case s.Blob.Size < 1 || s.Blob.Size > MaxFile:
		return fmt.Errorf("blob.size: %d bytes, want 1 to %d", s.Blob.Size, MaxFile)
	case s.Name != FileName(s.Name):
		return fmt.Errorf("name: %.80q", s.Name)
	}
	if err := CheckCaption(s.Caption); err != nil {
		return fmt.Errorf("caption: %w", err)
	}
	return nil
}

// CheckCaption says why a text can't stand below a file.
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

// FileName is the last name of a path as people may be shown it: no folder, at most MaxFileName bytes, and in place of
// what does not print, or hides what the name is (such as a mark that turns the direction of reading around), a _. It
// keeps the extension. A name that was made so stays as it is.
func FileName(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if r == '/' || r == utf8.RuneError || !unicode.IsPrint(r) {
			return '_'
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
