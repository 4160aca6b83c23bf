package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markdown writes a part of a page, whose links are relative to an address. It changes the part.
func markdown(part *html.Node, address *url.URL) ([]byte, error) {
	simplify(part, address, false)
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
			table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal),
				table.WithNewlineBehavior(table.NewlineBehaviorPreserve))))
	return c.ConvertNode(part)
}

// simplify makes all addresses absolute, and drops what is slow to convert or says nothing:
// pictures without a description, other attributes, and tables that are not of data.
func simplify(n *html.Node, address *url.URL, inTable bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		isTable := c.DataAtom == atom.Table
		if isTable && (inTable || !isDataTable(c)) {
			flatten(c)
			isTable = false
		}
		c.Attr = keptAttributes(c, address)
		switch {
		case c.DataAtom == atom.A && c.Attr == nil:
			rename(c, atom.Span)
		case c.DataAtom == atom.Img && attribute(c, "src") == "", c.Type == html.CommentNode:
			n.RemoveChild(c)
		}
		simplify(c, address, inTable || isTable)
		c = next
	}
}

// flatten makes divisions of a table's parts. The parts of tables in it stay.
func flatten(n *html.Node) {
	rename(n, atom.Div)
	for c := range n.ChildNodes() {
		switch c.DataAtom {
		case atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption:
			flatten(c)
		}
	}
}

// keptAttributes returns the attributes that Markdown needs.
func keptAttributes(n *html.Node, address *url.URL) (kept []html.Attribute) {
	for _, a := range n.Attr {
		keep := false
		switch {
		case n.DataAtom == atom.A && a.Key == "href":
			a.Val = absolute(a.Val, address, "http", "https", "mailto")
			keep = a.Val != ""
		case n.DataAtom == atom.Img && a.Key == "src":
			a.Val = absolute(a.Val, address, "http", "https")
			keep = a.Val != "" && strings.TrimSpace(attribute(n, "alt")) != ""
		case n.DataAtom == atom.Img && a.Key == "alt":
			keep = true
		case a.Key == "colspan" || a.Key == "rowspan":
			span, err := strconv.Atoi(a.Val)
			keep = err == nil && span > 1 && span <= maxSpan
		case a.Key == "class":
			keep = (n.DataAtom == atom.Code || n.DataAtom == atom.Pre) && strings.Contains(a.Val, "language-")
		case a.Key == "start":
			keep = n.DataAtom == atom.Ol
		}
		if keep {
			kept = append(kept, a)
		}
	}
	return kept
}

const (
	maxSpan    = 20      // most columns or rows of a table's cell
	maxAddress = 8 << 10 // bytes of the longest address of a link
)

// absolute returns the absolute address of a link; "" if its scheme is no allowed one.
func absolute(reference string, address *url.URL, schemes ...string) string {
	reference = strings.TrimSpace(reference)
	if reference == "" || reference[0] == '#' || len(reference) > maxAddress {
		return "" // a link within the page leads to nothing that is not here
	}
	u, err := address.Parse(reference)
	if err != nil || !slices.Contains(schemes, u.Scheme) {
		return ""
	}
	return u.String()
}
