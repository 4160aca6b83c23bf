package main

import (
	"bytes"
	"strings"
	"testing"

	"mews/supervisor/admin"
)

func TestPrintInvite_ShowsLinkAndQRCode(t *testing.T) {
	made := admin.InviteResult{Code: "abc", Link: "https://t.me/mews_bot?start=abc"}
	var b bytes.Buffer
	if err := printInvite(&b, "ann", made); err != nil || !strings.Contains(b.String(), made.Link) || !strings.Contains(b.String(), "▀") {
		t.Errorf("printed %q, %v", b.String(), err)
	}
}
