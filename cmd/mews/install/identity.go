package install

import (
	"context"
	"fmt"
	"strings"

	"filippo.io/age"
)

// checkRecipient refuses an invalid age recipient. "" means that the installer makes a key.
func checkRecipient(recipient string) error {
	if recipient == "" {
		return nil
	}
	if _, err := age.ParseRecipients(strings.NewReader(recipient)); err != nil || !isOneLine(recipient) {
		return fmt.Errorf(textBadRecipient, recipient)
	}
	return nil
}

// wantsBackups reports whether Mews makes backups by itself.
func (a Answers) wantsBackups() bool { return a.Backups == nil || *a.Backups }

// identityStep makes the key that opens the homes in backups, because the service can't read these
// homes and only saves them sealed. The key is shown and never stored; the record keeps the recipient.
// A kill between the two leaves no recipient, and the next run makes another key.
func (in *Installer) identityStep() step {
	return step{name: "identity", about: textIdentityStep,
		state: func() (state, error) {
			if a := in.record.Answers; a.Recipient != "" || !a.wantsBackups() {
				return state{done: true}, nil
			}
			// an edited configuration stays, so it would not get the recipient
			have, err := in.machine.read(in.layout.Config())
			return state{done: have != nil && !in.record.isOurs(in.layout.Config(), have)}, err
		},
		do: func(context.Context) error {
			identity, err := age.GenerateX25519Identity()
			if err != nil {
				return err
			}
			recipient := identity.Recipient().String()
			if _, err := fmt.Fprintf(in.Out, textIdentity, identity, recipient); err != nil {
				return err
			}
			in.record.Answers.Recipient = recipient
			return in.save()
		}}
}
