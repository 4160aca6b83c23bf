package github_test

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/github"
)

// A muted finding is named by its title, its file and its pull request.
func TestMuteList_Finding_HasTitlePathAndPull(t *testing.T) {
	at := time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)
	text := github.MuteList{Mutes: []github.Mute{
		{ID: 1, Repo: "acme/widget", Kind: supervisor.MuteKindFinding, Of: "0123456789abcdef",
			Title: "A nil\nmap \x1b[31mpanics", Path: "main.go", Pull: 12, By: "bob", At: at},
		{ID: 2, Repo: "acme/widget", Kind: supervisor.MuteKindFinding, Of: "fedcba9876543210", By: "bob", At: at},
		{ID: 3, Repo: "acme/widget", Kind: supervisor.MuteKindPullRequest, Of: "7", At: at},
	}}.Text()
	var lines [][]string
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		lines = append(lines, strings.Fields(line))
	}
	for i, want := range []string{"NUMBER REPOSITORY KIND OF BY",
		"1 acme/widget finding A nil map [31mpanics (main.go, #12) bob",
		"2 acme/widget finding fedcba9876543210 bob", "3 acme/widget pull 7 -"} {
		if got := strings.Join(lines[i], " "); !strings.HasPrefix(got, want) {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
}
