package telegramtest

import (
	"net/http"
	"strconv"
	"strings"
)

// maxDownload is how large a file may be that the server hands out. (Client.h: MAX_DOWNLOAD_FILE_SIZE.)
const maxDownload = 20 << 20

// files are those that came with messages, by id.
type files map[string]File

func (fs files) add(f File) { fs[f.ID] = f }

// path is where a file is served.
func (f File) path() string {
	name := f.Name
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	return "files/" + f.ID + "/" + name
}

func getFile(w *serverState, r *request) answer {
	f, ok := w.files[r.params.text("file_id")]
	switch {
	case r.params.text("file_id") == "":
		return bad("file_id not specified")
	case !ok:
		return bad("wrong file_id or the file is temporarily unavailable")
	case f.Size > maxDownload:
		return bad("file is too big")
	}
	v := f.json(map[string]any{"file_path": f.path()})
	delete(v, "mime_type")
	return good(v)
}

// download serves a file's content; what a test has not given of it is zeroes.
func (s *Server) download(rw http.ResponseWriter, token, path string) {
	var f File
	var refused answer
	s.state.read(func() {
		refused = s.state.bot.admit(token)
		id, _, _ := strings.Cut(strings.TrimPrefix(path, "files/"), "/")
		f = s.state.files[id]
	})
	switch {
	case refused.code != 0:
		refused.write(rw)
	case f.ID == "" || f.path() != path || f.Size > maxDownload:
		notFound().write(rw)
	default:
		rw.Header().Set("Content-Type", "application/octet-stream")
		rw.Header().Set("Content-Length", strconv.FormatInt(f.Size, 10))
		rw.WriteHeader(http.StatusOK)
		_, _ = rw.Write(f.Content[:min(int64(len(f.Content)), f.Size)])
		for left := f.Size - int64(len(f.Content)); left > 0; left -= 1 << 16 {
			_, _ = rw.Write(make([]byte, min(left, 1<<16)))
		}
	}
}
