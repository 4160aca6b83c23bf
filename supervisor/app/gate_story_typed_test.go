package app_test

import (
	"strings"
	"testing"

	"mews/supervisor/model/modeltest"
)

// Codes open the gate in all forms in which people type them. Texts that only resemble a code are
// answered as messages. No recovery code is stored or read by a model.
func TestGate_CodeVariants_AreAccepted(t *testing.T) {
	t.Parallel()
	l := newGatedService(t, modeltest.EchoScript, "", "bob, totp: required")
	recovery := l.enrol("bob")
	l.open()
	l.sayAndAwait("bob", "one", "Locked. Send the six digits")
	code := l.code("bob", 0)
	l.sayAndAwait("bob", "it is "+code, "Send the code alone, without other words. Locked. Send the six digits")
	l.sayAndAwait("bob", "my recovery code is "+recovery[0], "Locked, and this was not taken: it seems to have a recovery code in it.")
	l.sayAndAwait("bob", strings.Join(recovery, "\n"), "Locked, and this was not taken")
	told := len(l.told("bob"))
	l.say("bob", "\u200eCode: "+strings.Map(func(r rune) rune { return '\u06f0' + r - '0' }, code)+".")
	l.awaitTold("bob", told, "Unlocked for", "echo: one", "echo: it is")
	for _, word := range recovery {
		l.checkNowhere(word)
	}
	for _, asked := range l.askedTexts() {
		if strings.Contains(asked, recovery[0]) {
			t.Errorf("the model was asked %q", asked)
		}
	}
	l.shut()
}
