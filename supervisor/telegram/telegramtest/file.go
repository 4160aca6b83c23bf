package telegramtest

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxDownload is the largest file that the server returns. (Client.h: MAX_DOWNLOAD_FILE_SIZE.)
const maxDownload = 20 << 20

// DownloadMethod stands for a download in the list of calls and in a Fault.
const DownloadMethod = "file"

// files are the files of messages, by id.
type files map[string]File

func (fs files) add(f File) { fs[f.ID] = f }

// path returns the path of the file in the download URL.
func (f File) path() string {
	name := f.Name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	return "files/" + f.ID + "/" + name
}

func getFile(w *serverState, r *request) answer {
	f, ok := w.files[r.params.text("file_id")]
	local := w.options.Files != ""
	switch {
	case r.params.text("file_id") == "":
		return badRequest("file_id not specified")
	case !ok:
		return badRequest("invalid file_id")
	case f.Size > maxDownload && !local:
		return badRequest("file is too big")
	}
	path := f.path()
	if local {
		path = filepath.Join(w.options.Files, w.bot.token, path)
		if err := f.save(path); err != nil {
			return refuse(http.StatusInternalServerError, "Internal Server Error: %v", err)
		}
	}
	v := f.json(map[string]any{"file_path": path})
	delete(v, "mime_type")
	return good(v)
}

// save writes the file to the disk, as a server with --local does.
func (f File) save(path string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, f.Content, 0o644)
	}
	if err == nil {
		err = os.Truncate(path, f.Size)
	}
	return err
}

// download serves a file's content. If a test has given fewer bytes than Size, zeros follow.
func (s *Server) download(rw http.ResponseWriter, r *http.Request, token, path string) {
	w := s.state
	req := &request{method: DownloadMethod, params: params{"path": path}}
	var spoilt *fault
	var a answer
	w.change(func() {
		req.call = w.log.arrive(DownloadMethod, req, w.now())
		spoilt = w.faults.match(req, w.now())
		if a = w.bot.checkToken(token); a.code == 0 {
			a = w.findFile(path)
		}
	})
	s.answer(rw, r, req, a, spoilt)
}

// findFile returns the file at a path. A server with --local serves no file over HTTP.
func (w *serverState) findFile(path string) answer {
	id, _, _ := strings.Cut(strings.TrimPrefix(path, "files/"), "/")
	f, ok := w.files[id]
	if !ok || f.path() != path || f.Size > maxDownload || w.options.Files != "" {
		return notFound()
	}
	return answer{code: http.StatusOK, file: &f}
}

// content returns the file's content of Size bytes.
func (f File) content() []byte {
	return slices.Concat(f.Content[:min(int64(len(f.Content)), f.Size)], make([]byte, max(0, f.Size-int64(len(f.Content)))))
}

// write serves a file in pieces, so that it is never whole in memory.
func (f File) write(rw http.ResponseWriter) {
	rw.Header().Set("Content-Type", "application/octet-stream")
	rw.Header().Set("Content-Length", strconv.FormatInt(f.Size, 10))
	rw.WriteHeader(http.StatusOK)
	_, err := rw.Write(f.Content[:min(int64(len(f.Content)), f.Size)])
	for left := f.Size - int64(len(f.Content)); left > 0 && err == nil; left -= 1 << 16 {
		_, err = rw.Write(make([]byte, min(left, 1<<16)))
	}
}
