package chat

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/control"
)

// localFile is a file of this machine that is to be sent.
type localFile struct {
	path  string // absolute
	label string // its name, size and pixels
}

// attachCommand is what has a terminal send a file.
const attachCommand = "/attach"

// findFile is the file at a path, which a person has written. Why it can't be sent is an error that
// they read.
func findFile(path string) (localFile, error) {
	absolute, err := filepath.Abs(expandHome(path))
	if err != nil {
		return localFile{}, notAttached(textFileFailed, path, err)
	}
	info, err := os.Stat(absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return localFile{}, notAttached(textNoFile, absolute)
	case err != nil:
		return localFile{}, notAttached(textFileFailed, absolute, err)
	case info.IsDir():
		return localFile{}, notAttached(textFileIsFolder, absolute, filepath.Base(absolute))
	case !info.Mode().IsRegular():
		return localFile{}, notAttached(textFileNotRegular, absolute)
	case info.Size() > control.MaxUploadFile:
		return localFile{}, notAttached(textFileTooLarge, absolute, amount.Bytes(info.Size()), control.MaxUploadFile>>20)
	}
	file, err := os.Open(absolute)
	if err != nil {
		return localFile{}, notAttached(textFileFailed, absolute, err)
	}
	defer file.Close()
	return localFile{absolute, describe(protocol.FileName(absolute), info.Size(), pixels(file))}, nil
}

// notAttached is an error for who wants to send a file.
func notAttached(format string, args ...any) error {
	return supervisor.Errorf(supervisor.CodeInvalid, format, args...)
}

// findFiles are the files at paths.
func findFiles(paths []string) (list []localFile, err error) {
	for _, path := range paths {
		f, err := findFile(path)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// expandHome is a path as a shell takes it that begins with ~.
func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// upload sends a file to the supervisor.
func (f localFile) upload(ctx context.Context, chat *control.Chat) (control.UploadedFile, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return control.UploadedFile{}, notAttached(textFileFailed, f.path, err)
	}
	defer file.Close()
	ref, err := chat.Upload(ctx, file)
	return control.UploadedFile{Blob: ref, Name: filepath.Base(f.path)}, err
}

// Transcribe has a file of this machine be heard by the service at a socket, for a user; "" is the
// user of this account.
func Transcribe(ctx context.Context, socket, user, path string) (heard control.Transcribed, err error) {
	f, err := findFile(path)
	if err != nil {
		return heard, err
	}
	file, err := os.Open(f.path)
	if err != nil {
		return heard, notAttached(textFileFailed, f.path, err)
	}
	defer file.Close() // it was only read
	return control.TranscribeFile(ctx, socket, user, filepath.Base(f.path), file)
}

// droppedFiles are the files that a text names, if it names nothing else: what a terminal writes
// where files are dropped on it. They are absolute paths or file URLs, with a shell's quotes and
// backslashes.
func droppedFiles(text string) (list []localFile) {
	for text = strings.TrimSpace(text); text != ""; {
		word, rest, ok := cutWord(text)
		path := fromURL(word)
		if !ok || !filepath.IsAbs(path) {
			return nil
		}
		f, err := findFile(path)
		if err != nil {
			return nil
		}
		list, text = append(list, f), strings.TrimSpace(rest)
	}
	return list
}

// fromURL is the path that a file URL names; what is none stays as it is.
func fromURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return text
	}
	return u.Path
}

// cutWord is a text's first word, as a POSIX shell reads it, and what is behind that. It is not ok
// where a quote is open.
func cutWord(text string) (word, rest string, ok bool) {
	var b strings.Builder
	quote := rune(0)
	escaped := false
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
			b.WriteRune(r)
		case r == '\\' && quote != '\'':
			escaped = true
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case quote == 0 && unicode.IsSpace(r):
			return b.String(), text[i:], true
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), "", quote == 0 && !escaped
}

// attachedBy is the file that an /attach names, and the words behind it. A path with spaces needs
// no quotes where nothing is behind it.
func attachedBy(arguments string) (f localFile, words string, err error) {
	if f, err := findFile(arguments); err == nil {
		return f, "", nil
	}
	word, words, _ := cutWord(arguments)
	f, err = findFile(fromURL(word))
	return f, strings.TrimSpace(words), err
}
