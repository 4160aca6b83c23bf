package document

import (
	"encoding/xml"
	"io"
	"net/url"
	"path"
	"strings"
)

// maxChapters bounds the files of a book that are read.
const maxChapters = 5000

// book is the package document of an EPUB. (EPUB 3.3, Package document)
type book struct {
	folder   string            // folder of the package document, to which paths are relative
	title    string            // title and authors, one line for each
	files    map[string]string // files of the manifest by their id
	chapters []string          // ids of the files in reading order
}

// writeBook writes the title of a book and the text of its files, in reading order.
func writeBook(z *zipFile, out *lines) error {
	b, err := z.readBook()
	if err != nil {
		return err
	}
	out.add(b.title)
	for _, id := range b.chapters {
		err := z.unpack(b.files[id], func(from io.Reader) error {
			out.add("\n")
			defer out.add("\n")
			return writeHTML(from, "utf-8", out)
		})
		if err != nil {
			return err
		}
	}
	return out.err
}

// readBook reads the package document.
func (z *zipFile) readBook() (*book, error) {
	at := ""
	err := z.eachStart("META-INF/container.xml", func(e xml.StartElement) error {
		if e.Name.Local == "rootfile" && at == "" {
			at = attribute(e, "full-path")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	b := &book{folder: path.Dir(at), files: map[string]string{}}
	return b, z.unpack(at, func(from io.Reader) error {
		open := false
		return eachToken(from, func(token xml.Token) error {
			switch t := token.(type) {
			case xml.StartElement:
				open = t.Name.Local == "title" || t.Name.Local == "creator"
				b.take(t)
			case xml.CharData:
				if text := strings.TrimSpace(string(t)); open && text != "" && len(b.title) < 4<<10 {
					b.title += text + "\n"
				}
			case xml.EndElement:
				open = false
			}
			return nil
		})
	})
}

// take reads an element of the package document.
func (b *book) take(e xml.StartElement) {
	switch e.Name.Local {
	case "item":
		address, err := url.PathUnescape(attribute(e, "href"))
		if err == nil && len(b.files) < maxChapters {
			b.files[attribute(e, "id")] = path.Join(b.folder, address)
		}
	case "itemref":
		if len(b.chapters) < maxChapters {
			b.chapters = append(b.chapters, attribute(e, "idref"))
		}
	}
}
