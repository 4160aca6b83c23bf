package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/mdp/qrterminal/v3"

	"mews/supervisor/admin"
)

// printJSON writes a value for programs.
func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// printOutcome prints what a request came to.
func printOutcome(con console, done admin.Result, err error) error {
	if err == nil {
		_, err = fmt.Fprintln(con.out, done.Text)
	}
	return err
}

// orDash is a cell of a table, "-" where there is nothing to show.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
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
