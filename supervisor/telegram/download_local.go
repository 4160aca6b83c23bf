package telegram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"mews/supervisor"
)

// openLocal opens a file that the Bot API server has on its disk. The file's path may contain the
// token, as the name of a folder.
func (c *Client) openLocal(ctx context.Context, path string) (io.ReadCloser, error) {
	file, err := openBeneath(c.files, path)
	if err != nil {
		err = fmt.Errorf("read the file %s of the Bot API server: %w", path, err)
		return nil, &supervisor.Error{Code: supervisor.CodeUnavailable, Message: textFileOutOfReach, Err: errors.New(c.redact(err.Error()))}
	}
	return fileReader{ctx, file, func(err error) error { return errors.New(c.redact(err.Error())) }}, nil
}

// openBeneath opens a file beneath a folder, and no file outside the folder.
func openBeneath(folder, path string) (*os.File, error) {
	if folder == "" {
		return nil, errors.New("it was started with --local, and telegram.files does not say which folder it works in")
	}
	below, err := filepath.Rel(folder, path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open telegram.files: %w", err)
	}
	defer root.Close()
	// without O_NONBLOCK, the opening of a pipe would block
	file, err := root.OpenFile(below, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open it beneath telegram.files, %s: %w", folder, err)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errors.New("it is no file"), err, file.Close())
	}
	return file, nil
}
