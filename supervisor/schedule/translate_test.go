package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/model"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
	"mews/supervisor/sqlite"
)

// translations maps words to the answers of a good model. It is Friday, 27 March 2026, 13:00 in
// Madrid.
var translations = map[string]struct{ when, text, due string }{
	"morgen um 9":                        {"tomorrow at 9", "", "Sat 28 Mar 2026 09:00"},
	"in 5 Minuten Mama anrufen":          {"in 5 minutes", "Mama anrufen", "Fri 27 Mar 2026 13:05"},
	"heute Abend um 7":                   {"this evening at 7", "", "Fri 27 Mar 2026 19:00"},
	"um halb acht":                       {"at 19:30", "", "Fri 27 Mar 2026 19:30"},
	"jeden zweiten Dienstag um 9":        {"every second tuesday at 9", "", "Tue 31 Mar 2026 09:00"},
	"jeden letzten Freitag um 17 Uhr":    {"every last friday at 17:00", "", "Fri 27 Mar 2026 17:00"},
	"am 31. um 10":                       {"the 31st at 10", "", "Tue 31 Mar 2026 10:00"},
	"werktags um 8:30":                   {"weekdays 8:30", "", "Mon 30 Mar 2026 08:30"},
	"jedes Jahr am 24. Dezember um 9":    {"every year on dec 24 at 9", "", "Thu 24 Dec 2026 09:00"},
	"mañana a las nueve":                 {"tomorrow at 9", "", "Sat 28 Mar 2026 09:00"},
	"cada lunes a las 8 sacar la basura": {"every monday at 8", "sacar la basura", "Mon 30 Mar 2026 08:00"},
	"esta noche":                         {"tonight", "", "Fri 27 Mar 2026 20:00"},
	"demain à 9 h":                       {"tomorrow at 9", "", "Sat 28 Mar 2026 09:00"},
	"tous les vendredis à 17 h":          {"every friday at 17:00", "", "Fri 27 Mar 2026 17:00"},
	"après-demain appeler Anne":          {"the day after tomorrow", "appeler Anne", "Sun 29 Mar 2026 09:00"},
}

// translatorModel answers as a good model does. It writes JSON as text if text is true.
func translatorModel(text bool) modeltest.Script {
	return func(r modeltest.Request) modeltest.Answer {
		args := map[string]string{"when": translations[r.NewestUserMessage()].when}
		if strings.Contains(string(r.Tools[0].Schema), `"text"`) {
			args["text"] = translations[r.NewestUserMessage()].text
		}
		encoded, _ := json.Marshal(args) // strings can always be encoded
		if text {
			return modeltest.Answer{Text: "```json\n" + string(encoded) + "\n```"}
		}
		return modeltest.Answer{Calls: []modeltest.Call{{Name: r.Tools[0].Name, Args: string(encoded)}}}
	}
}

// newTranslator returns a translator with a fake API of models.
func newTranslator(t *testing.T, kind string, script modeltest.Script) (TranslateTimeFunc, *modeltest.Server,
	*[]sqlite.ModelCall) {
	t.Helper()
	server, base := modeltest.NewServer(t, script)
	c, err := model.NewCatalogue(model.Options{Default: "test/big", Small: "test/small",
		Providers: []model.ProviderOptions{{Name: "test", Kind: kind, BaseURL: base, APIKey: "k"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var paid []sqlite.ModelCall
	return TimeTranslator{Complete: c.Complete,
		Model: func(context.Context, string) (string, error) { return c.SmallModelFor("test/big"), nil },
		Pay: func(_ context.Context, _ supervisor.Turn, call sqlite.ModelCall, do func() (protocol.Usage,
			error)) error {
			paid = append(paid, call)
			_, err := do()
			return err
		}}.Translate, server, &paid
}

// German, Spanish and French words are read with one call of the small model. The model gets only
// these words, without the text after a colon and without the history.
func TestTimeTranslator_OtherLanguages_GiveTimes(t *testing.T) {
	for _, kind := range []string{"openai", "anthropic"} {
		for _, asText := range []bool{false, true} {
			for words, want := range translations {
				h := newHarness(t)
				translate, server, paid := newTranslator(t, kind, translatorModel(asText))
				h.translate = translate
				h.restart()
				typed, text := words, want.text
				if text == "" {
					typed, text = words+": the secret", "the secret"
				}
				d, err := h.AddReminder(t.Context(), person("alice"), chatOf("alice"), 1, typed, h.now)
				if err != nil || !strings.Contains(d.Text, "Reminder 1: "+text+"\n") ||
					!strings.Contains(d.Text, "Next: "+want.due) {
					t.Errorf("%s, %q: %q, %v, want %s", kind, typed, d.Text, err, want.due)
				}
				requests := server.Requests()
				if len(requests) != 1 || requests[0].Model != "small" || requests[0].NewestUserMessage() != words ||
					strings.Contains(string(requests[0].Raw), "secret") || len(*paid) != 1 ||
					(*paid)[0].Purpose != modelcall.PurposeParseTime {
					t.Errorf("%s, %q: %d requests, %d paid calls", kind, words, len(requests), len(*paid))
				}
			}
		}
	}
}

// If the model's answer is no future time, nothing is set. The model is asked only once.
func TestTimeTranslator_WrongAnswer_SetsNothing(t *testing.T) {
	call := func(name, args string) modeltest.Answer {
		return modeltest.Answer{Calls: []modeltest.Call{{Name: name, Args: args}}}
	}
	good := call(translatorTool, `{"when":"tomorrow at 9"}`)
	for name, answer := range map[string]modeltest.Answer{
		"words": {Text: "tomorrow at 9"}, "nothing": call(translatorTool, `{"when":""}`),
		"no argument": call(translatorTool, `{}`),
		"another key": call(translatorTool, `{"when":"tomorrow at 9","run":"rm"}`),
		"a text too":  call(translatorTool, `{"when":"tomorrow at 9","text":"um"}`),
		"a number":    call(translatorTool, `{"when":9}`), "the past": call(translatorTool,
			`{"when":"2026-03-26 09:00"}`),
		"now": call(translatorTool, `{"when":"2026-03-27 13:00"}`), "German": call(translatorTool,
			`{"when":"morgen um 9"}`),
		"two calls": {Calls: append(good.Calls, good.Calls...)}, "no JSON": {Text: `{"when":"tomorrow at 9`},
		"a list":  {Text: `["tomorrow at 9"]`},
		"refused": {Fail: &modeltest.Failure{Class: modeltest.FailureOverloaded}}, "too often": call(translatorTool,
			`{"when":"every 5 seconds"}`),
	} {
		h := newHarness(t)
		translate, server, _ := newTranslator(t, "openai", func(modeltest.Request) modeltest.Answer { return answer })
		h.translate = translate
		h.restart()
		d, err := h.AddReminder(t.Context(), person("alice"), chatOf("alice"), 1, "morgen um 9: Klempner", h.now)
		if err == nil || !strings.Contains(err.Error(), "is no time that I can read") || server.CountRequests() != 1 {
			t.Errorf("%s: %q, %v after %d requests", name, d.Text, err, server.CountRequests())
		}
	}
}

// Without a model or money no model is asked.
func TestTimeTranslator_NoModelOrMoney_CallsNone(t *testing.T) {
	noMoney := errors.New("no money")
	for _, tr := range []TimeTranslator{
		{Model: func(context.Context, string) (string, error) { return "", nil }},
		{Model: func(context.Context, string) (string, error) { return "", noMoney }},
		{Model: func(context.Context, string) (string, error) { return "test/small", nil },
			Pay: func(context.Context, supervisor.Turn, sqlite.ModelCall, func() (protocol.Usage, error)) error {
				return noMoney
			}},
	} {
		if when, _, err := tr.Translate(t.Context(), chatOf("alice"), "morgen", false,
			noon.In(time.UTC)); err == nil || when != "" {
			t.Errorf("%q, %v", when, err)
		}
	}
}
