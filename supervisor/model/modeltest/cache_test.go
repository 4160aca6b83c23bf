package modeltest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// cost has the token counts of a request in Anthropic's format.
type cost struct{ input, read, written, short, long int }

// costOf reads the token counts of the first event, and checks that the last event has the same.
func costOf(t *testing.T, r reply) cost {
	t.Helper()
	var all []cost
	for _, ev := range r.events(t) {
		path := map[string]string{"message_start": "message.usage.", "message_delta": "usage."}[ev.name]
		if path == "" {
			continue
		}
		all = append(all, cost{number(ev.data, path+"input_tokens"), number(ev.data, path+"cache_read_input_tokens"),
			number(ev.data, path+"cache_creation_input_tokens"),
			number(ev.data, path+"cache_creation.ephemeral_5m_input_tokens"),
			number(ev.data, path+"cache_creation.ephemeral_1h_input_tokens")})
	}
	if len(all) != 2 || all[0] != all[1] || all[0].written != all[0].short+all[0].long {
		t.Fatalf("counts %v", all)
	}
	return all[0]
}

// systemOf returns a system text of about n tokens, with or without a marker.
func systemOf(n int, marker string) string {
	if marker != "" {
		marker = `,"cache_control":` + marker
	}
	return `"system":[{"type":"text","text":"` + strings.Repeat("x", n*tokenBytes-23) + `"` + marker + `}],`
}

func TestCache_WritesPrefixUpToMarker(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	clock := time.Unix(1_800_000_000, 0)
	s.Now = func() time.Time { return clock }
	after := func(d time.Duration) { clock = clock.Add(d) }
	ask := func(what, more, messages string, want cost) {
		t.Helper()
		if got := costOf(t, postMessages(t, base, messagesRequestOf(more, messages))); got != want {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	later := `{"role":"user","content":"another"}`
	ask("unmarked", systemOf(2000, ""), asks, cost{input: 2008})
	ask("too small", systemOf(1000, five), asks, cost{input: 1008})
	ask("written", systemOf(2000, five), asks, cost{input: 8, written: 2000, short: 2000})
	ask("read", systemOf(2000, five), later, cost{input: 9, read: 2000})
	after(4 * time.Minute)
	ask("read again", systemOf(2000, five), asks, cost{input: 8, read: 2000})
	after(4 * time.Minute)
	ask("kept by reading", systemOf(2000, five), asks, cost{input: 8, read: 2000})
	after(5 * time.Minute)
	ask("forgotten", systemOf(2000, five), asks, cost{input: 8, written: 2000, short: 2000})
	ask("kept for an hour", systemOf(3000, hour), asks, cost{input: 8, written: 3000, long: 3000})
	after(59 * time.Minute)
	ask("an hour later", systemOf(3000, hour), asks, cost{input: 8, read: 3000})
	ask("a tool before it", systemOf(3000, hour)+`"tools":[`+tool("f", object, "")+`],`, asks,
		cost{input: 8, written: 3011, long: 3011})
}

func TestCache_NextTurn_ReadsPrefix(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	s.Limits.CacheMin = 1
	var history []string
	size := 0
	for i := range 8 {
		asked := fmt.Sprintf(`{"type":"text","text":"%s"`, strings.Repeat(fmt.Sprint(i), 400))
		body := messagesRequestOf(systemOf(2000, hour), chain(append(history[:len(history):len(history)],
			userMessage(asked+`,"cache_control":`+hour+`}`))...))
		got := costOf(t, postMessages(t, base, body))
		if got.input != 0 || got.read != size || got.read+got.written <= size {
			t.Fatalf("turn %d: %+v, with %d tokens before", i, got, size)
		}
		size = got.read + got.written
		history = append(history, userMessage(asked+"}"), spoke(`{"type":"text","text":"`+strings.Repeat("y", 40)+`"}`))
	}
	spent := s.TotalUsage()
	if spent.Calls != 8 || spent.CacheReadShare() < 0.7 || spent.Input != spent.CacheRead+spent.CacheWrite {
		t.Errorf("spent %+v", spent)
	}
}

func TestCache_ChangedPrefix_IsNotRead(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	s.Limits.CacheMin = 1
	two := `"tools":[` + tool("f", object, "") + `,` + tool("g", object, `,"cache_control":`+five) + `],`
	turned := `"tools":[` + tool("g", object, "") + `,` + tool("f", object, `,"cache_control":`+five) + `],`
	marked := userMessage(markedText(five))
	first := costOf(t, postMessages(t, base, messagesRequestOf(two, marked)))
	for _, c := range []struct {
		name, body string
		read       int
	}{
		{"the same", messagesRequestOf(two, marked), first.written},
		{"tools in another order", messagesRequestOf(turned, marked), 0},
		{"another message", messagesRequestOf(two, userMessage(strings.Replace(markedText(five), `"x"`, `"y"`, 1))),
			22},
		{"thinking, which the tools do not depend on", messagesRequestOf(thinks+two, marked), 22},
		{"another model", strings.Replace(messagesRequestOf(two, marked), `"m"`, `"n"`, 1), 0},
	} {
		if got := costOf(t, postMessages(t, base, c.body)); got.read != c.read {
			t.Errorf("%s: %+v, want %d read", c.name, got, c.read)
		}
	}
}

func TestCache_DistantPrefix_IsNotFound(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	s.Limits.CacheMin = 1
	blocks := func(n, markedAt int) string {
		var all []string
		for i := range n {
			one := fmt.Sprintf(`{"type":"text","text":"%03d"`, i)
			if i == markedAt {
				one += `,"cache_control":` + five
			}
			all = append(all, one+"}")
		}
		return userMessage(all...)
	}
	postMessages(t, base, messagesRequestOf("", blocks(1, 0)))
	if got := costOf(t, postMessages(t, base, messagesRequestOf("", blocks(maxBlocks, maxBlocks-1)))); got.read == 0 {
		t.Errorf("%d blocks on: %+v", maxBlocks-1, got)
	}
	postMessages(t, base, messagesRequestOf(`"top_p":1,"tool_choice":{"type":"none"},`, blocks(1, 0)))
	body := messagesRequestOf(`"tool_choice":{"type":"none"},`, blocks(maxBlocks+1, maxBlocks))
	if got := costOf(t, postMessages(t, base, body)); got.read != 0 {
		t.Errorf("%d blocks on: %+v", maxBlocks, got)
	}
}

func TestCache_OpenAI_NeedsNoMarkers(t *testing.T) {
	s, base := NewServer(t, AnswerOKScript)
	clock := time.Unix(1_800_000_000, 0)
	s.Now = func() time.Time { return clock }
	ask := func(more string, size int) (prompt, cached int) {
		t.Helper()
		body := strings.Replace(chatRequest(`{"role":"system","content":"`+strings.Repeat("x", size)+`"},`+user), "{", "{"+more, 1)
		_, answer := post(t, base, "", body)
		all := reply{body: answer}.events(t)
		usage := all[len(all)-1].data
		return number(usage, "usage.prompt_tokens"), number(usage, "usage.prompt_tokens_details.cached_tokens")
	}
	for _, c := range []struct {
		name   string
		wait   time.Duration
		more   string
		size   int
		cached int
	}{
		{"the first", 0, "", 8000, 0},
		{"again", 9 * time.Minute, "", 8000, 15 * 128},
		{"a shorter one with the same beginning", 0, "", 6000, 11 * 128},
		{"too short", 0, "", 3000, 0},
		{"too short, again", 0, "", 3000, 0},
		{"too late", 10 * time.Minute, "", 8000, 0},
		{"to be kept", 0, `"prompt_cache_retention":"24h",`, 8000, 15 * 128},
		{"a day later", 23 * time.Hour, "", 8000, 15 * 128},
	} {
		clock = clock.Add(c.wait)
		prompt, cached := ask(c.more, c.size)
		if cached != c.cached || prompt < c.size/tokenBytes {
			t.Errorf("%s: %d of %d cached, want %d", c.name, cached, prompt, c.cached)
		}
	}
}

func TestUsage_IsCountedByConversation(t *testing.T) {
	s, base := NewServer(t, func(Request) Answer {
		return Answer{Text: "ok", Usage: &AnswerUsage{Prompt: 10, Completion: 3, Cached: 4, Written: 5}}
	})
	postMessages(t, base, messagesRequestOf("", asks))
	postMessages(t, base, messagesRequestOf(`"metadata":{"user_id":"ann"},`, asks))
	postMessages(t, base, messagesRequestOf(`"metadata":{"user_id":"ann"},`, userMessage(`{"type":"text","text":"more"}`)))
	post(t, base, "", strings.Replace(chatRequest(user), "{", `{"prompt_cache_key":"ann",`, 1))
	got := s.UsageByConversation()
	if want := (ConversationUsage{3, 30, 9, 12, 15}); got["ann"] != want {
		t.Errorf("ann: %+v, want %+v", got["ann"], want)
	}
	if want := (ConversationUsage{1, 10, 3, 4, 5}); got["hi"] != want || len(got) != 2 {
		t.Errorf("hi: %+v of %v", got["hi"], got)
	}
}

func TestCache_Expires(t *testing.T) {
	var c cache
	now := time.Unix(0, 0)
	for i := range maxPrefixes + 2 {
		var p prefix
		copy(p[:], fmt.Sprint(i))
		c.put(p, now, time.Minute)
	}
	if len(c.until) > maxPrefixes {
		t.Errorf("%d prefixes", len(c.until))
	}
}
