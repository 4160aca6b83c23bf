package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mews/supervisor/web"
)

func TestPanic_EndsOnlyItsRequest(t *testing.T) {
	const words = "dear diary"
	r := serve(t, web.Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Half", "done")
		switch r.Header.Get("Do") {
		case "panic":
			panic(fmt.Errorf("cannot parse %q", words))
		case "nil":
			var nobody *http.Request
			_ = nobody.Method
		case "half":
			fmt.Fprint(w, strings.Repeat("half", 4<<10))
			panic([]string{words}) // the value of this panic can't be compared with ==
		case "hang up":
			panic(http.ErrAbortHandler)
		}
		echo(w, r)
	})
	do := func(what string) string {
		c := r.call()
		c.say("POST " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\nDo: " + what + "\r\nContent-Length: 1\r\n\r\nx")
		return c.hungUp()
	}
	for _, what := range []string{"panic", "nil"} {
		head, body, _ := strings.Cut(do(what), "\r\n\r\n")
		if !strings.HasPrefix(head, "HTTP/1.1 500 ") || body != "" || strings.Contains(head, "X-Half") {
			t.Errorf("%s is answered with %q, %q", what, head, body)
		}
	}
	if half := do("half"); strings.HasSuffix(half, "0\r\n\r\n") {
		t.Error("half an answer ends like a whole one")
	}
	if got := do("hang up"); got != "" {
		t.Errorf("who was to be hung up on is answered with %q", got)
	}
	if got := do("nothing"); !strings.HasSuffix(got, "took x") {
		t.Errorf("the next one is answered with %q", got)
	}
	got := r.log.String()
	if n := strings.Count(got, "[ERROR]"); n != 1 || !strings.Contains(got, "panic_test.go") {
		t.Errorf("three panics in a minute are %d errors in the log, want one that says where: %s", n, got)
	}
	if strings.Contains(got, words) {
		t.Error("what a person wrote is in the log")
	}
}
