package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/protocol/amount"
	"mews/supervisor"
)

const (
	// maxDownload is the largest file that Telegram's own server returns to a bot. (Bot API,
	// getFile; Client.h, MAX_DOWNLOAD_FILE_SIZE.)
	maxDownload = 20 << 20
	// maxLocalFile is the largest file that anybody can send. A server with --local has it on its
	// disk. (Bot API, "Using a local Bot API server".)
	maxLocalFile = 2000 << 20
	// getFileTimeout is long, because your own server downloads a large file before it answers. The
	// caller of the download limits the time.
	getFileTimeout = time.Hour

	getFileMethod  = "getFile"
	downloadMethod = "download" // appears only in errors; the API has no method of this name
)

// MaxDownloadSize returns the size in bytes of the largest file that can be fetched.
func (c *Client) MaxDownloadSize() int64 {
	if c.files != "" {
		return maxLocalFile
	}
	return maxDownload
}

// FetchFile writes the bytes of a file to w as they come, once. The caller limits the time. A
// permanent failure is a *supervisor.Error with a text for users. Any other error may be temporary.
// After an error, w may have received a part of the file.
func (c *Client) FetchFile(ctx context.Context, file string, w io.Writer) error {
	result, err := c.do(ctx, apiCall{method: getFileMethod, params: map[string]any{"file_id": file}, timeout: getFileTimeout})
	if err != nil {
		return c.finalFetch(err)
	}
	var found gotgbot.File
	if err := json.Unmarshal(result, &found); err != nil || found.FilePath == "" {
		return errors.New("getFile: the answer has no path")
	}
	source, err := c.openFile(ctx, found.FilePath)
	if err != nil {
		return c.finalFetch(err)
	}
	defer source.Close() // the file was only read, so its error does not matter
	n, err := io.Copy(w, io.LimitReader(source, c.MaxDownloadSize()+1))
	switch {
	case err != nil:
		return fmt.Errorf("fetch a file: %w", err)
	case n > c.MaxDownloadSize():
		return c.tooLarge(errors.New("fetch a file: it does not end"))
	case found.FileSize != 0 && n != found.FileSize:
		return fmt.Errorf("fetch a file: %d bytes came, and getFile says that it has %d", n, found.FileSize)
	}
	return nil
}

// openFile opens a file of the server. An absolute path is a file on the server's disk. A server
// with such files does not return them over HTTP.
func (c *Client) openFile(ctx context.Context, path string) (io.ReadCloser, error) {
	if filepath.IsAbs(path) {
		return c.openLocal(ctx, path)
	}
	return c.download(ctx, path)
}

// download opens a file over HTTP. It calls RoundTrip without an http.Client, so it follows no
// redirect.
func (c *Client) download(ctx context.Context, path string) (io.ReadCloser, error) {
	ended := func(err error) error { return ending(ctx, ctx, 0, err) }
	fail := func(f *failure) error { return c.redacted(apiCall{method: downloadMethod}, f).sendError() }
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.fileURL((&url.URL{Path: path}).EscapedPath()), nil)
	if err != nil {
		return nil, fail(&failure{responder: responderSelf, err: err})
	}
	req.Header.Set("User-Agent", "mews")
	resp, err := c.fetches.RoundTrip(req)
	if err != nil {
		return nil, fail(&failure{err: ended(err)})
	}
	if resp.StatusCode == http.StatusOK {
		return fileReader{ctx, resp.Body, func(err error) error {
			return fail(&failure{responder: responderGateway, code: resp.StatusCode, err: ended(err)})
		}}, nil
	}
	defer resp.Body.Close() // the body was only read, so its error does not matter
	if _, f := readResult(resp, downloadMethod, ended); f != nil {
		return nil, fail(f)
	}
	return nil, errors.New("download: the answer is no file")
}

// fileReader reads a file until ctx ends.
type fileReader struct {
	ctx context.Context
	io.ReadCloser
	fail func(error) error // converts an error to one without the token
}

func (r fileReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = r.fail(err)
	}
	return n, err
}

// finalFetch returns an error for users if err would occur at every try.
func (c *Client) finalFetch(err error) error {
	f, ok := errors.AsType[*failure](err)
	switch {
	case !ok || f.said(unavailable) || f.said(loggedOut):
		return err
	case f.said(tooBig):
		return c.tooLarge(err)
	case f.responder == responderAPI && f.code == http.StatusBadRequest, f.method == downloadMethod && slices.Contains(noFile, f.code):
		return &supervisor.Error{Code: supervisor.CodeNotFound, Message: textFileGone, Err: err}
	}
	return err
}

// noFile are the status codes for a file that the server lacks, although the server has just named
// the file.
var noFile = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusGone}

func (c *Client) tooLarge(err error) error {
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(textFileTooBig,
		amount.BinarySize(c.MaxDownloadSize())), Err: err}
}
