package sqlite

import (
	"cmp"
	"strings"
)

const (
	revokeAllGrants = `UPDATE granted SET revoked_at = ? WHERE revoked_at IS NULL`
	endAllLogins    = `DELETE FROM login`
	endAllInvites   = `DELETE FROM invite WHERE used_at IS NULL`
	withdrawEnrols  = `UPDATE invite SET enrol = 0 WHERE enrol = 1`
	endAllFactors   = `DELETE FROM totp`
	endAllRecovery  = `DELETE FROM recovery`
)

// restoreAccess ends grants, logins, invites and leases. If the key of the second factors is lost,
// the factors end too, because nobody can check a code.
func (t *tx) restoreAccess(o Restore, r *RestoreReport) {
	r.Ended["grant"] = t.ExecCount(revokeAllGrants, t.Now)
	r.Ended["login"] = t.ExecCount(endAllLogins)
	r.Ended["invite"] = t.ExecCount(endAllInvites)
	t.Exec(withdrawEnrols)
	t.Exec(chargeLeases)
	r.Ended["lease"] = t.ExecCount(deleteLeases)
	if o.FactorsEnd {
		r.Ended["second factor"] = t.ExecCount(endAllFactors)
		t.Exec(endAllRecovery)
	}
}

// insertRestoredForgetting stores a request to forget, which no inbound has made.
const insertRestoredForgetting = `INSERT INTO forgetting (user, inbound, conversation, since, until, created_at)
	SELECT ?1, min(0, coalesce(min(inbound), 0)) - 1, ?2, ?3, ?4, ?5 FROM forgetting`

// restoreActs repeats the acts that came after the backup. The service carries out the requests to
// forget when it starts.
func (t *tx) restoreActs(o Restore, r *RestoreReport) {
	for _, a := range o.Acts {
		switch a.Kind {
		case ActDisable:
			t.Exec(suspend, a.User, t.Now)
		case ActEnable:
			t.Exec(unsuspend, a.User)
		case ActRemove:
			t.Exec(unbindUser, a.User)
			t.Exec(deletePerson, a.User)
			t.settings = true
			t.Exec(deleteSetting, a.User, SettingHomeCreated)
			delete(r.Users, a.User)
		case ActUnbind:
			t.restoreUnbinding(a)
		case ActEndFactor:
			t.Exec(deleteFactor, a.User)
			t.Exec(forgetRecovery, a.User)
		case ActForgetSpans:
			until := a.Until
			if until.IsZero() {
				until = a.At
			}
			t.Exec(insertRestoredForgetting, a.User, a.Conversation, cmp.Or(a.Since.UnixMilli(), 0),
				until.UnixMilli(), t.Now)
		case ActForgetFact:
			before := t.setting(a.User, SettingForgetFacts)
			t.setSetting(a.User, SettingForgetFacts, strings.TrimSpace(before+" "+a.Digest))
		case ActAllowGroup:
			t.Exec(allowGroup, a.Channel, a.Account, t.Now)
		case ActDisallowGroup:
			t.Exec(disallowGroup, a.Channel, a.Account)
		default:
			t.fail(invalid("there is no act %q", a.Kind))
		}
		t.audit(a.User, "restore."+string(a.Kind), "it was done after the backup")
	}
}

// restoreUnbinding ends one account of a user, or all if the account is not known.
func (t *tx) restoreUnbinding(a RestoredAct) {
	if a.Channel == "" || a.Account == "" {
		t.Exec(unbindUser, a.User)
		return
	}
	t.Exec(deleteBinding, a.User, a.Channel, a.Account)
}
