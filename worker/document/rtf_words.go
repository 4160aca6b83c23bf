package document

// isLeftOutGroup reports whether the group of a control word has no text of the document.
func isLeftOutGroup(name string) bool {
	switch name {
	case "colortbl", "stylesheet", "info", "pict", "objdata", "objclass", "objname", "fldinst", "header", "headerl",
		"headerr", "headerf", "footer", "footerl", "footerr", "footerf", "nonshppict", "generator", "listtable",
		"revtbl", "themedata", "datastore", "filetbl":
		return true
	}
	return false
}

// textOfWord returns the text of a control word; "" if the word stands for no text.
func textOfWord(name string) string {
	switch name {
	case "par", "line", "sect", "page":
		return "\n"
	case "tab":
		return "\t"
	case "emdash":
		return "—"
	case "endash":
		return "–"
	case "bullet":
		return "•"
	case "lquote":
		return "‘"
	case "rquote":
		return "’"
	case "ldblquote":
		return "“"
	case "rdblquote":
		return "”"
	case "emspace", "enspace":
		return " "
	case "nestcell":
		return " / "
	}
	return ""
}

// word handles a control word and its number.
func (r *richText) word(name string, n int, numbered bool) error {
	if isLeftOutGroup(name) {
		r.group.leftOut = true
		return nil
	}
	if text := textOfWord(name); text != "" {
		r.write(text)
		return nil
	}
	switch name {
	case "u":
		r.unicode(n)
	case "uc":
		r.group.skipped = min(max(n, 0), 100)
	case "ansicpg":
		r.page = n
	case "mac":
		r.page = 10000
	case "fonttbl":
		r.group.fonts = true
	case "f":
		r.flush()
		r.group.font = n
	case "fcharset":
		if page := pageOfCharset(n); r.group.fonts && page != 0 && len(r.fonts) < maxGroups {
			r.fonts[r.group.font] = page
		}
	case "trowd", "intbl", "cell", "row":
		r.tableWord(name)
	case "bin":
		if numbered && n > 0 {
			_, err := r.in.Discard(n)
			return err
		}
	}
	return nil
}

// tableWord handles a control word of a table.
func (r *richText) tableWord(name string) {
	r.flush()
	if r.group.leftOut {
		return
	}
	if len(r.tables.open) == 0 {
		r.tables.beginTable()
		r.rowEnded = true
	}
	if r.rowEnded {
		r.rowEnded = false
		r.tables.begin(partCell)
	}
	switch name {
	case "cell":
		r.tables.end(partCell)
		r.tables.begin(partCell)
	case "row":
		r.tables.end(partRow)
		r.rowEnded = true
	}
}

// endTable ends an open table.
func (r *richText) endTable() {
	if len(r.tables.open) > 0 {
		r.tables.end(partTable)
	}
}
