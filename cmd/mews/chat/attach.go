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

// localFile is a file on this machine that the user wants to send.
type localFile struct {
	path  string // absolute path of the file
	label string // description for the user: the file's name, size and pixels
}

// attachCommand is the terminal's command that attaches a file.
const attachCommand = "/attach"

// findFile finds the file at a path that a user typed. Its error is for the user.
func findFile(path string) (localFile, error) {
	absolute, err := filepath.Abs(expandHome(path))
	if err != nil {
		return localFile{}, attachError(textFileFailed, path, err)
	}
	info, err := os.Stat(absolute)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return localFile{}, supervisor.Errorf(supervisor.CodeNotFound, textNoFile, absolute)
	case err != nil:
		return localFile{}, attachError(textFileFailed, absolute, err)
	case info.IsDir():
		return localFile{}, attachError(textFileIsFolder, absolute, filepath.Base(absolute))
	case !info.Mode().IsRegular():
		return localFile{}, attachError(textFileNotRegular, absolute)
	case info.Size() > control.MaxUploadFileBytes:
		return localFile{}, attachError(textFileTooLarge, absolute, amount.FormatBytes(info.Size()),
			control.MaxUploadFileBytes>>20)
	}
	file, err := os.Open(absolute)
	if err != nil {
		return localFile{}, attachError(textFileFailed, absolute, err)
	}
	defer file.Close()
	return localFile{absolute, describe(protocol.SafeFileName(absolute), info.Size(), pixels(file))}, nil
}

// attachError returns an error for a user about a file.
func attachError(format string, args ...any) error {
	return supervisor.Errorf(supervisor.CodeInvalid, format, args...)
}

// findFiles finds the files at paths.
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

// expandHome replaces ~ at the beginning of a path, like a shell.
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
		return control.UploadedFile{}, attachError(textFileFailed, f.path, err)
	}
	defer file.Close()
	ref, err := chat.UploadFile(ctx, file)
	return control.UploadedFile{Blob: ref, Name: filepath.Base(f.path)}, err
}

// Transcribe lets the service at a socket transcribe a file of this machine. user is the user of
// the transcription; "" means the user of this account.
func Transcribe(ctx context.Context, socket, user, path string) (heard control.TranscribeResult, err error) {
	f, err := findFile(path)
	if err != nil {
		return heard, err
	}
	file, err := os.Open(f.path)
	if err != nil {
		return heard, attachError(textFileFailed, f.path, err)
	}
	defer file.Close() // an error of Close does not matter: the file was only read
	return control.TranscribeFile(ctx, socket, user, filepath.Base(f.path), file)
}

// droppedFiles returns the files that a text names, if the text names nothing else. When files are
// dropped on a terminal, it writes their absolute paths or file URLs, with a shell's quotes and
// backslashes.
func droppedFiles(text string) (list []localFile) {
	for text = strings.TrimSpace(text); text != ""; {
		word, rest, ok := cutWord(text)
		path := pathFromURL(word)
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

// pathFromURL returns the path of a file URL. Any other text stays as it is.
func pathFromURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return text
	}
	return u.Path
}

// cutWord splits a text after its first word, like a POSIX shell. ok is false if a quote is open.
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

// parseAttach returns the file that an /attach names, and the words after it. If no words follow, a
// path with spaces needs no quotes.
func parseAttach(arguments string) (f localFile, words string, err error) {
	if f, err := findFile(arguments); err == nil {
		return f, "", nil
	}
	word, words, _ := cutWord(arguments)
	f, err = findFile(pathFromURL(word))
	return f, strings.TrimSpace(words), err
}
