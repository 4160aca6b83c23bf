package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Parts of class names and ids. (Mozilla, Readability: REGEXPS)
var (
	unlikelyNames = []string{"-ad-", "ai2html", "banner", "breadcrumbs", "combx", "comment", "community",
		"cover-wrap", "disqus", "extra", "footer", "gdpr", "header", "legends", "menu", "related", "remark", "replies",
		"rss", "shoutbox", "sidebar", "skyscraper", "social", "sponsor", "supplemental", "ad-break", "agegate",
		"pagination", "pager", "popup", "yom-remote"}
	likelyNames = []string{"and", "article", "body", "column", "content", "main", "mathjax", "shadow"}
	goodNames   = []string{"article", "body", "content", "entry", "main", "page", "pagination", "post", "text", "blog",
		"story"}
	badNames = []string{"-ad-", "hidden", "banner", "combx", "comment", "com-", "contact", "footer", "gdpr",
		"masthead", "media", "meta", "outbrain", "promo", "related", "scroll", "share", "shoutbox", "sidebar",
		"skyscraper", "sponsor", "shopping", "tags", "widget"}
	authorNames   = []string{"byline", "author", "dateline", "writtenby", "p-author"}
	unlikelyRoles = []string{"menu", "menubar", "complementary", "navigation", "alert", "alertdialog", "dialog"}
)

// has reports whether a name has one of these parts.
func has(name string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// namesOf returns the class and the id of an element in lower case.
func namesOf(n *html.Node) (class, id string) {
	return strings.ToLower(attribute(n, "class")), strings.ToLower(attribute(n, "id"))
}

// weightOf returns how much the names of an element speak for it: from -50 to 50.
func weightOf(n *html.Node) int {
	class, id := namesOf(n)
	return nameWeight(class) + nameWeight(id)
}

func nameWeight(name string) (weight int) {
	if name == "" {
		return 0
	}
	if has(name, badNames) {
		weight -= 25
	}
	if has(name, goodNames) {
		weight += 25
	}
	return weight
}

// isUnlikely reports whether the names of an element say that it is not in the main part.
func isUnlikely(n *html.Node) bool {
	for _, role := range unlikelyRoles {
		if attribute(n, "role") == role {
			return true
		}
	}
	if n.DataAtom == atom.Body || n.DataAtom == atom.A {
		return false
	}
	class, id := namesOf(n)
	if class == "" && id == "" {
		return false
	}
	names := class + " " + id
	return has(names, unlikelyNames) && !has(names, likelyNames) && !isIn(n, atom.Table, atom.Code)
}

// isHidden reports whether browsers do not show an element.
func isHidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			return a.Val == "true" && !strings.Contains(attribute(n, "class"), "fallback-image")
		case "style":
			style := strings.ToLower(strings.ReplaceAll(a.Val, " ", ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return n.DataAtom == atom.Dialog
}

// isIn reports whether an element is in one of these elements.
func isIn(n *html.Node, names ...atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		for _, name := range names {
			if p.DataAtom == name {
				return true
			}
		}
	}
	return false
}
