package receive

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"mews/worker/parse"
)

// formatNames are the names of formats that parsers find. A format without a row keeps the name of
// the file's kind.
var formatNames = map[parse.Format]string{
	parse.FormatWord:         "a Word document",
	parse.FormatSheet:        "a spreadsheet, its sheets as CSV",
	parse.FormatSlides:       "a presentation",
	parse.FormatOpenDocument: "an OpenDocument file",
	parse.FormatEPUB:         "an EPUB book",
	parse.FormatHTML:         "a web page (HTML)",
	parse.FormatRTF:          "a rich text document (RTF)",
	parse.FormatNotebook:     "a Jupyter notebook",
	parse.FormatMail:         "a mail",
	parse.FormatCalendar:     "a calendar; /calendar import with its path, sent by the user, adds its events",
	parse.FormatZip:          "a ZIP archive",
	parse.FormatTarGzip:      "a compressed tar archive",
}

// mailStart matches the first line of a mail: a header field. (RFC 5322, 2.2)
var mailStart = regexp.MustCompile(`^[!-9;-~]+[ \t]*:`)

// parserOfText returns the parser for a file whose bytes look like text, but are markup; "" means
// that people read the bytes as they are.
func (f *reading) parserOfText() parse.Kind {
	if f.kind != "" || f.size == 0 {
		return ""
	}
	head := bytes.TrimSpace(bytes.TrimPrefix(f.head, []byte("\xef\xbb\xbf")))
	ending := strings.ToLower(path.Ext(f.path))
	is := func(mediaType string, endings ...string) bool {
		for _, e := range endings {
			if e == ending {
				return true
			}
		}
		return ending == "" && f.arrived.MediaType == mediaType
	}
	lower := bytes.ToLower(head[:min(len(head), 64)])
	page := bytes.HasPrefix(lower, []byte("<!doctype html")) || bytes.HasPrefix(lower, []byte("<html"))
	switch {
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return parse.KindRTF
	case is("message/rfc822", ".eml", ".mht", ".mhtml") && mailStart.Match(head):
		return parse.KindMail
	case is("application/x-ipynb+json", ".ipynb") && bytes.HasPrefix(head, []byte("{")):
		return parse.KindNotebook
	case is("text/calendar", ".ics", ".ical", ".ifb") && bytes.HasPrefix(lower, []byte("begin:vcalendar")):
		return parse.KindCalendar
	case is("text/html", ".html", ".htm", ".xhtml") || page && ending == "":
		return parse.KindHTML
	}
	return ""
}
