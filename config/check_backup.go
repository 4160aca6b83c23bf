package config

import (
	"path/filepath"
	"strings"

	"filippo.io/age"
)

// checkBackup checks the section of backups, and notes whether the file has it.
func (c *checker) checkBackup(path string, b Backup) {
	c.cfg.Backup.On = c.isSet(path)
	for key, dir := range map[string]string{".dir": b.Dir, ".to": b.To} {
		if dir != "" && (!filepath.IsAbs(dir) || dir == "/") {
			c.wrong(path+key, quote(dir), wantBackupDir)
		}
	}
	if _, err := age.ParseRecipients(strings.NewReader(b.Recipient)); b.Recipient != "" && err != nil {
		c.wrong(path+".recipient", quote(b.Recipient), wantAgeRecipient)
	}
	if b.To != "" && b.Recipient == "" && !b.Plain {
		c.wrong(path+".to", quote(b.To), wantSealedBackup)
	}
}
