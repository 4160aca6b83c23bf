package main

import (
	"cmp"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/mdp/qrterminal/v3"
)

// printJSON writes a value for programs.
func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// show writes a report: as JSON, or as print writes it for people.
func show[R any](w io.Writer, report R, asJSON bool, print func(io.Writer, R) error) error {
	if asJSON {
		return printJSON(w, report)
	}
	return print(w, report)
}

// orDash is a cell of a table, "-" where there is nothing to show.
func orDash(text string) string {
	return cmp.Or(text, "-")
}

// escapeControls writes what a terminal would obey, or would not show, as Go does.
func escapeControls(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// drawCode draws a text as a QR code, two rows of modules in a line.
func drawCode(w io.Writer, text string) {
	qrterminal.GenerateWithConfig(text, qrterminal.Config{Level: qrterminal.M, Writer: w, HalfBlocks: true,
		BlackChar: qrterminal.BLACK_BLACK, WhiteChar: qrterminal.WHITE_WHITE, BlackWhiteChar: qrterminal.BLACK_WHITE,
		WhiteBlackChar: qrterminal.WHITE_BLACK, QuietZone: qrterminal.QUIET_ZONE})
}
