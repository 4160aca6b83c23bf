package history

import (
	"fmt"
	"slices"
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// What is told at most: of one message in characters, and of all in bytes, so that a request in
// which all is full stays below 40 KiB.
const (
	maxRecapLine = 500
	maxRecap     = 7 << 10
)

// Recap tells a model what was said elsewhere, as material; "" where nothing was. For want of room
// it leaves out what is oldest.
func Recap(lines []supervisor.RecapLine) string {
	told := ""
	for _, line := range slices.Backward(lines) {
		text := strings.TrimSpace(line.Text)
		if text == "" {
			continue
		}
		if runes := []rune(text); len(runes) > maxRecapLine {
			text = string(runes[:maxRecapLine]) + "…"
		}
		who := recapThey
		if line.Role == protocol.RoleAssistant {
			who = recapYou
		}
		next := fmt.Sprintf("[%s] %s: %s\n", line.At, who, text)
		if len(next)+len(told) > maxRecap {
			break
		}
		told = next + told
	}
	if told == "" {
		return ""
	}
	fence := "========"
	for strings.Contains(told, fence) {
		fence += "="
	}
	return fmt.Sprintf(recapHead, fence, told, fence)
}
