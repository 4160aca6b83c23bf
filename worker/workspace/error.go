package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

// Reasons why the workspace itself refuses an operation. They are wrapped: test for them with
// errors.Is. A missing or hidden file is fs.ErrNotExist. A file that must not exist is fs.ErrExist.
var (
	ErrEmptyPath           = errors.New("the path is empty")
	ErrPathHasNUL          = errors.New("the path holds a NUL byte")
	ErrPathOutside         = errors.New("it leads out of the folder, and only what is inside can be used")
	ErrTildePath           = errors.New("a name ~ at its front means the folder itself, and cannot be a name in it")
	ErrSpecialFile         = errors.New("it is neither a file nor a folder but a pipe, socket, device or link")
	ErrForbiddenByRules    = errors.New("the rules of this folder do not allow this path")
	ErrAppendOnly          = errors.New("by the rules of this folder it can only be appended to")
	ErrHoldsProtectedFiles = errors.New("it holds files that the rules of this folder keep as they are")
	ErrReadOnly            = errors.New("it is marked read-only")
	ErrInTrash             = errors.New("the trash is changed by deleting and by moving things out of it alone")
	ErrReservedName        = errors.New("names from .mews- to .tmp are kept for files that are being written")
	ErrPathIsRoot          = errors.New("it is the folder itself")
	ErrChanged             = errors.New("another program changed it at the same moment; try again")
	ErrTooManyEntries      = errors.New("it holds too many entries, and only the first of them were looked at")
)

// Error tells the model and the user which operation failed on which path, and why.
type Error struct {
	Op   string // attempted operation: read, write, append to, move, delete
	Path string // path as given by the caller
	Err  error
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %s", e.Op, QuotePath(e.Path), reason(e.Err))
}

func (e *Error) Unwrap() error { return e.Err }

// wrapError makes an Error of err. If err is nil or already an Error, wrapError returns err
// unchanged.
func wrapError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return &Error{Op: op, Path: path, Err: err}
}

// reasons translate the system's errors into sentences. The first match counts.
var reasons = []struct {
	is   error
	text string
}{
	{syscall.ENOSPC, "the disk is full; make room and try again"},
	{syscall.EDQUOT, "the disk quota is used up; make room and try again"},
	{syscall.EROFS, "the disk can only be read, not written"},
	{syscall.ENAMETOOLONG, "the path is too long: a name has at most 255 bytes, a path 4,096"},
	{syscall.EISDIR, "it is a folder, not a file"},
	{syscall.ENOTDIR, "a name on the way to it is a file, not a folder"},
	{syscall.ELOOP, "its symbolic links go round in a circle"},
	{syscall.EXDEV, "it is on another disk than the place it should go to"},
	{syscall.EINVAL, "the system does not allow it, as for a folder that is to go into itself"},
	{syscall.EMFILE, "too many files are open at once; try again"},
	{syscall.EIO, "the disk reported an error"},
	{fs.ErrNotExist, "there is no such file or folder"},
	{fs.ErrExist, "there is something with this name already"},
	{fs.ErrPermission, "the system does not allow it: its permissions are for another account"},
}

// reason returns err in words for people.
func reason(err error) string {
	for _, r := range reasons {
		if errors.Is(err, r.is) {
			return r.text
		}
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // leaves out the name of the system call and a second path
	}
	return err.Error()
}

// QuotePath returns a path for a line of text. It quotes unprintable characters and cuts very long
// paths.
func QuotePath(path string) string {
	const longest = 300
	if len(path) > longest {
		path = strings.ToValidUTF8(path[:longest], "") + "..."
	}
	strange := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
	if path == "" || strings.ContainsFunc(path, strange) {
		return strconv.Quote(path)
	}
	return path
}
