// Package page finds the main part of a web page and writes it as Markdown. It runs in a parser's
// process, because pages are hostile.
//
//	page.go      Convert, which does everything
//	measure.go   counts of text, links and pictures for each element
//	names.go     what names of classes and elements say about a part of a page
//	finder.go    scores elements and returns the main part
//	cleaner.go   removes parts of the main part, such as lists of links to other articles
//	markdown.go  the Markdown of a part
package page

import (
	"io"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"mews/worker"
)

// Page is the readable part of a web page.
type Page struct {
	Title    string // one line; "" if the page has none
	Markdown []byte // the main part, with absolute links
}

// Convert reads a page in UTF-8 from an address. A page that nests elements too deeply is an error.
func Convert(from io.Reader, address *url.URL) (Page, error) {
	document, err := html.ParseWithOptions(from, html.ParseOptionEnableScripting(false))
	if err != nil {
		return Page{}, err
	}
	title := titleOf(document)
	base := baseOf(document, address)
	part := findMainPart(document, title)
	text, err := markdown(part, base)
	return Page{Title: title, Markdown: text}, err
}

// maxTitle bounds a title, in bytes.
const maxTitle = 300

// titleOf returns the title of a document, or else its first heading.
func titleOf(document *html.Node) string {
	for _, name := range []atom.Atom{atom.Title, atom.H1} {
		if n := first(document, name); n != nil {
			words := strings.FieldsFunc(textOf(n, 4*maxTitle), func(r rune) bool {
				return unicode.IsSpace(r) || unicode.IsControl(r)
			})
			title := strings.ToValidUTF8(strings.Join(words, " "), "")
			if title = worker.TrimPartialRune(title[:min(len(title), maxTitle)]); title != "" {
				return title
			}
		}
	}
	return ""
}

// baseOf returns the address to which the links of a document are relative.
func baseOf(document *html.Node, address *url.URL) *url.URL {
	n := first(document, atom.Base)
	if n == nil {
		return address
	}
	base, err := address.Parse(strings.TrimSpace(attribute(n, "href")))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" {
		return address
	}
	return base
}

// first returns the first element of a name in the order of the page; nil if there is none. It
// looks for HTML elements only, so the title of a drawing is not found.
func first(root *html.Node, name atom.Atom) *html.Node {
	for n := range root.Descendants() {
		if n.DataAtom == name && n.Type == html.ElementNode && n.Namespace == "" {
			return n
		}
	}
	return nil
}

// textOf returns the text below a node, and stops after most bytes.
func textOf(root *html.Node, most int) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
			if b.Len() >= most {
				break
			}
		}
	}
	return b.String()
}

// hasText reports whether there is text below a node.
func hasText(root *html.Node) bool {
	for n := range root.Descendants() {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" {
			return true
		}
	}
	return false
}

// attribute returns the value of an attribute; "" if the element has none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
