package inbox_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStartArgument_IsNotStored checks that the argument of a /start is not stored, because it may
// be an invite's code. It covers all forms of the message.
func TestStartArgument_IsNotStored(t *testing.T) {
	const code = "MFRGGZDFMZTWQ2LKNNWG23TPOA"
	for text, want := range map[string]string{
		"/start " + code:              "/start",
		"/START@mews_bot\n" + code:    "/start",
		" /start " + code + " please": "/start",
		"/started " + code:            "/started " + code,
		"what is /start " + code:      "what is /start " + code,
	} {
		box, db, h := openBox(t)
		batched := item(5, "ann", text)
		batched.Raw = `{"update_id":5,"text":"` + code + `"}`
		if err := put(t, box, 6, batched); err != nil {
			t.Fatal(err)
		}
		if _, err := box.StoreInbound(t.Context(), message("k", text)); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{want, want}, h.accepted); d != "" {
			t.Errorf("%q: %s", text, d)
		}
		var all bytes.Buffer
		if err := db.UserAccessStores().People.Export(t.Context(), "ann", &all); err != nil {
			t.Fatal(err)
		}
		if is, told := bytes.Contains(all.Bytes(), []byte(code)), want != "/start"; is != told {
			t.Errorf("%q: that its code is kept is %v, want %v: %s", text, is, told, all.String())
		}
	}
}
