package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestCheckBackup_WrongValues_AreProblems(t *testing.T) {
	const recipient = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
	for name, c := range map[string]struct {
		backup Backup
		want   string // "" means no problem
	}{
		"none":            {Backup{}, ""},
		"relative folder": {Backup{Dir: "backups"}, "backup.dir"},
		"root":            {Backup{To: "/", Plain: true}, "backup.to"},
		"no recipient":    {Backup{To: "/mnt"}, "backup.to"},
		"plain":           {Backup{To: "/mnt", Plain: true}, ""},
		"sealed":          {Backup{To: "/mnt", Recipient: recipient}, ""},
		"other key":       {Backup{To: "/mnt", Recipient: "ssh-rsa AAAA"}, "backup.recipient"},
		"identity": {Backup{Recipient: "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"},
			"backup.recipient"},
	} {
		t.Run(name, func(t *testing.T) {
			checker := &checker{cfg: &Config{}, hasProblem: map[string]bool{}}
			checker.checkBackup("backup", c.backup)
			var got []string
			for _, p := range checker.problems {
				got = append(got, fmt.Sprint(p))
			}
			text := strings.Join(got, "\n")
			if (c.want == "") != (text == "") || !strings.Contains(text, c.want) {
				t.Errorf("problems %q, want %q", text, c.want)
			}
		})
	}
}
