package telegramtest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxAlbum is the most files of an album. (Bot API, sendMediaGroup.)
const maxAlbum = 10

// albumKinds are the kinds of files in an album. An album with a document has only documents, and
// an album with audio has only audio.
var albumKinds = map[string]mediaKind{"photo": photos, "video": videos, "document": documents, "audio": audios}

// sendMediaGroup sends several files, all or none.
func sendMediaGroup(w *serverState, r *request) answer {
	c, a := w.chats.find(r.chat)
	if a.code != 0 {
		return a
	}
	var media []map[string]json.RawMessage
	if err := r.params.decode("media", &media); err != nil {
		return badRequest("can't parse media JSON object: %v", err)
	}
	switch {
	case len(media) == 0:
		return badRequest("there are no messages to send")
	case len(media) > maxAlbum:
		return badRequest("too many messages to send as an album")
	case len(media) == 1:
		w.log.violate("%s with one file: an album has 2 to %d", r.method, maxAlbum)
	case r.params.text("reply_markup") != "":
		w.log.violate("%s with buttons: an album has none", r.method)
	}
	var album []*Message
	for _, item := range media {
		m, a := w.albumMessage(c, r, item)
		if a.code != 0 {
			return a
		}
		if len(album) > 0 && exclusiveKind(album[0].Media) != exclusiveKind(m.Media) {
			return badRequest("%ss can't be mixed with other media types", strings.ToUpper(m.Media[:1])+m.Media[1:])
		}
		album = append(album, m)
	}
	if a := w.countSends(r, c, len(album)); a.code != 0 {
		return a
	}
	result := make([]any, len(album))
	for i, m := range album {
		w.putFile(c, m)
		m.Album = fmt.Sprint("album-", album[0].ID)
		result[i] = c.json(m, false)
	}
	return good(result)
}

// exclusiveKind returns the kind if its albums must have no other kind; otherwise "".
func exclusiveKind(media string) string {
	if media == "document" || media == "audio" {
		return media
	}
	return ""
}

// albumMessage returns the message of one file, whose fields are read like the fields of a request.
func (w *serverState) albumMessage(c *chat, r *request, item map[string]json.RawMessage) (*Message, answer) {
	p := params{}
	for name, raw := range item {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, badRequest("can't parse InputMedia: %v", err)
		}
		p[name] = v
	}
	kind, ok := albumKinds[p.text("type")]
	if !ok {
		return nil, badRequest("type %q of InputMedia is unallowed", p.text("type"))
	}
	part, attached := strings.CutPrefix(p.text("media"), "attach://")
	if !attached {
		return nil, badRequest("wrong file identifier/HTTP URL specified")
	}
	one := &request{method: r.method, params: p, chat: r.chat, files: map[string]File{}}
	if f, ok := r.files[part]; ok {
		one.files[kind.param] = f
	}
	p["disable_notification"] = r.params["disable_notification"]
	f, a := one.file(kind)
	if a.code != 0 {
		return nil, a
	}
	caption, a := w.log.readCaption(one)
	if a.code != 0 {
		return nil, a
	}
	m := w.fileMessage(one, kind, f, caption)
	return m, c.setThreadAndReply(m, r.params)
}
