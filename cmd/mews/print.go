package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/mdp/qrterminal/v3"

	"mews/config"
)

// printJSON writes a value as JSON.
func printJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// show writes a report, as JSON or as text.
func show[R any](w io.Writer, report R, asJSON bool, text func(R) string) error {
	if asJSON {
		return printJSON(w, report)
	}
	_, err := io.WriteString(w, text(report))
	return err
}

// askAndShow asks the running service, and shows its report.
func askAndShow[R any](ctx context.Context, con console, cfg *config.Config, method string, params any, asJSON bool, text func(R) string) error {
	report, err := askFor[R](ctx, cfg, method, params)
	if err != nil {
		return err
	}
	return show(con.out, report, asJSON, text)
}

// drawCode draws a text as a QR code, with two rows of modules in each line.
func drawCode(w io.Writer, text string) {
	qrterminal.GenerateWithConfig(text, qrterminal.Config{Level: qrterminal.M, Writer: w, HalfBlocks: true,
		BlackChar: qrterminal.BLACK_BLACK, WhiteChar: qrterminal.WHITE_WHITE, BlackWhiteChar: qrterminal.BLACK_WHITE,
		WhiteBlackChar: qrterminal.WHITE_BLACK, QuietZone: qrterminal.QUIET_ZONE})
}
