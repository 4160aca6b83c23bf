package restore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mews/protocol/amount"
	"mews/supervisor/backup"
	"mews/supervisor/operation"
	"mews/supervisor/printable"
	"mews/supervisor/sqlite"
)

// Report says what a restore has done.
type Report struct {
	Backup  *backup.Manifest
	Journal bool // the journal of later acts was there
	SealKey bool // the key of the second factors was restored
	Homes   map[string]operation.UnpackReport
	Skipped int      // lines of the journal that hold no act
	NotDone []string // homes that were not restored, with the reasons
	Again   []string // data that is forgotten again when the service starts
	Open    []string // later acts that an admin must repeat
}

// later returns the acts after a time that a database can repeat. The lines again are about what the
// service forgets again when it starts, and open about acts that an admin must repeat.
func later(acts []backup.Act, since time.Time) (repeat []sqlite.RestoredAct, again, open []string) {
	for _, a := range acts {
		if a.At.Before(since) {
			continue
		}
		act := sqlite.RestoredAct{User: a.User, Conversation: a.Conversation, Since: a.Since, Until: a.Until, At: a.At}
		switch {
		case a.Kind == backup.ActDisabled:
			act.Kind = sqlite.ActDisable
		case a.Kind == backup.ActEnabled:
			act.Kind = sqlite.ActEnable
		case a.Kind == backup.ActRemoved || a.Kind == backup.ActDeleted:
			act.Kind = sqlite.ActRemove
		case a.Kind == backup.ActRevoked && strings.HasPrefix(a.What, "account"):
			act.Kind = sqlite.ActUnbind
			// without both, all accounts of the user end
			_, _ = fmt.Sscanf(a.What, "account %s of %s", &act.Account, &act.Channel)
		case a.Kind == backup.ActRevoked && a.What == "totp":
			act.Kind = sqlite.ActEndFactor
		case a.Kind == backup.ActAllowed || a.Kind == backup.ActDisallowed:
			act.Kind = map[backup.ActKind]sqlite.RestoredActKind{backup.ActAllowed: sqlite.ActAllowGroup,
				backup.ActDisallowed: sqlite.ActDisallowGroup}[a.Kind]
			_, _ = fmt.Sscanf(a.What, "chat %s of %s", &act.Account, &act.Channel) // without both, it is no group
		case a.Kind == backup.ActForgotten && a.What == "fact" && a.Digest != "":
			act.Kind, act.Digest = sqlite.ActForgetFact, a.Digest
			again = append(again, fmt.Sprintf(textFactAgain, a.User, a.At.Format(time.DateTime)))
		case a.Kind == backup.ActForgotten && a.What == "span":
			act.Kind = sqlite.ActForgetSpans
			again = append(again, fmt.Sprintf(textSpanAgain, a.User, a.At.Format(time.DateTime)))
		}
		if act.Kind != "" {
			repeat = append(repeat, act)
		}
		switch {
		case a.Kind == backup.ActDeleted:
			open = append(open, fmt.Sprintf(textDeleteAgain, a.User, a.User))
		case a.Kind == backup.ActForgotten && act.Kind == "" && a.What != "file": // a home is restored without it
			open = append(open, fmt.Sprintf(textForgetAgain, a.User, a.What, a.At.Format(time.DateTime)))
		}
	}
	return repeat, again, open
}

// Text describes a finished restore for the person at the terminal.
func (r Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, textDone, r.Backup.MadeAt.Format(time.DateTime), printable.DropControls(r.Backup.Version))
	for _, user := range slices.Sorted(maps.Keys(r.Homes)) {
		h := r.Homes[user]
		fmt.Fprintf(&b, textHomeDone, user, h.Files, amount.BinarySize(h.Bytes))
		for _, line := range h.LeftOut {
			fmt.Fprintf(&b, textLeftOutHome, user, printable.DropControls(line))
		}
	}
	for _, line := range slices.Concat(r.NotDone, r.Again, r.Open) {
		b.WriteString(printable.DropControls(line) + "\n")
	}
	if r.Skipped > 0 {
		fmt.Fprintf(&b, textSkipped, r.Skipped)
	}
	if !r.Journal {
		b.WriteString(textNoJournal)
	}
	if !r.SealKey {
		b.WriteString(textNoSealKey)
	}
	b.WriteString(textNext)
	return b.String()
}
