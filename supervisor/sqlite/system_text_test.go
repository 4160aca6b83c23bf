package sqlite

import "testing"

func TestSystemPrompt_MarkStale_AffectsOneUser(t *testing.T) {
	r := newRig(t)
	defer r.run()()
	r.addUserRows("alice", 1)
	r.addUserRows("bob", 2)
	texts := r.db.SystemTexts()
	find := func(conversation int64) SystemText {
		text, err := texts.Find(t.Context(), conversation)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	put := func(conversation int64, text string, stale int64) {
		if err := texts.Put(t.Context(), conversation, text, stale); err != nil {
			t.Fatal(err)
		}
	}
	renew := func() {
		err := r.db.write(t.Context(), func(tx *tx) { tx.renewSystemText("alice") }, "renew")
		if err != nil {
			t.Fatal(err)
		}
	}
	put(1, "alice's", 0)
	put(2, "bob's", 0)
	renew()
	r.same("stale", find(1), SystemText{Stale: 1, Used: find(1).Used})
	r.same("another's", find(2).Text, "bob's")
	renew()
	put(1, "from in between", 1)
	r.same("from before it was said again", find(1), SystemText{Stale: 1, Used: find(1).Used})
	put(1, "new", 1)
	r.same("new", find(1), SystemText{Text: "new", Used: find(1).Used})
}
