package model

import (
	"fmt"
	"testing"

	"mews/protocol"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/modelcall"
)

// TestAnswer_LittleMoney_IsShorter also checks that less money means less thinking. If the money
// only covers a tiny answer, the model is not called.
func TestAnswer_LittleMoney_IsShorter(t *testing.T) {
	const input = perRequest + perMessage + perPart + 2
	for name, k := range map[string]struct {
		money    int64
		thinking modelcall.ThinkingLevel
		output   int64 // output limit of the call; 0 means that the model is not called
		thinks   modelcall.ThinkingLevel
	}{
		"for all of it": {input + defaultOutput, modelcall.ThinkingHigh, defaultOutput,
			modelcall.ThinkingHigh},
		"for all but one token":     {input + defaultOutput - 1, modelcall.ThinkingHigh, defaultOutput - 1, modelcall.ThinkingHigh},
		"not for so much thinking":  {input + 25_599, modelcall.ThinkingHigh, 25_599, modelcall.ThinkingMedium},
		"nor for that":              {input + 3_072, modelcall.ThinkingHigh, 3_072, modelcall.ThinkingLow},
		"for no thinking":           {input + 3_071, modelcall.ThinkingMedium, 3_071, modelcall.ThinkingOff},
		"for the shortest":          {input + leastOutput, modelcall.ThinkingOff, leastOutput, modelcall.ThinkingOff},
		"for less than that":        {input + leastOutput - 1, modelcall.ThinkingOff, 0, ""},
		"for the input and no more": {input, "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := answers("fine")
			c := withPrices(catalogueOf(t, m), map[string]float64{"a/m": 1})
			_, err := c.Stream(t.Context(), "", modelcall.Request{Messages: []protocol.Message{protocol.NewUserMessage("hi")},
				Thinking: k.thinking, Reserver: newFakeReserver(k.money)}, func(modelcall.Delta) {})
			if k.output == 0 {
				wantClass(t, err, modelcall.OverBudget)
				return
			}
			if err != nil || m.asked[0].Output != k.output || m.asked[0].Thinking != k.thinks {
				t.Errorf("%v; it may say %d, and thinks %q; want %d and %q", err, m.asked[0].Output, m.asked[0].Thinking, k.output, k.thinks)
			}
		})
	}
}

// TestAnswer_CutForMoney_IsReturned covers answers that were cut only because money was short. They
// can be continued, even if they are empty.
func TestAnswer_CutForMoney_IsReturned(t *testing.T) {
	call := []modeltest.Call{{Name: "get_time", Args: `{"zone": "Euro`}}
	for name, k := range map[string]struct {
		answer modeltest.Answer
		poor   bool
		want   string // text, stop reason and CutForMoney of the answer
	}{
		"a text":                  {modeltest.Answer{Text: "one two", Stop: modeltest.StopReasonLength}, true, `"one two" length true <nil>`},
		"a text of somebody rich": {modeltest.Answer{Text: "one two", Stop: modeltest.StopReasonLength}, false, `"one two" length false <nil>`},
		"a text that is whole":    {modeltest.Answer{Text: "one two"}, true, `"one two" end false <nil>`},
		"a call alone":            {modeltest.Answer{Calls: call, Stop: modeltest.StopReasonLength}, true, `"" length true <nil>`},
		"a call after a text":     {modeltest.Answer{Text: "I look.", Calls: call, Stop: modeltest.StopReasonLength}, true, `"I look." length true <nil>`},
		"a call of somebody rich": {modeltest.Answer{Calls: call, Stop: modeltest.StopReasonLength}, false, "no_room"},
	} {
		for _, kind := range []string{"anthropic", "openai"} {
			t.Run(kind+" "+name, func(t *testing.T) {
				k.answer.Usage = &modeltest.AnswerUsage{Prompt: 7, Completion: 3}
				_, base := modeltest.NewServer(t, func(modeltest.Request) modeltest.Answer { return k.answer })
				c, err := NewCatalogue(Options{Default: "p/m", Providers: []ProviderOptions{{Name: "p", Kind: kind, BaseURL: base, APIKey: "k"}}})
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				s := &spender{c: withPrices(c, map[string]float64{"p/m": 1}), reserver: newFakeReserver(1_000_000)}
				if k.poor {
					s.reserver = newFakeReserver(5_000)
				}
				answer, err := s.ask(t.Context(), "")
				if k.want == "no_room" {
					wantClass(t, err, modelcall.LengthLimitBeforeText)
				} else if got := fmt.Sprintf("%q %s %v %v", answer.Message.Text(), answer.Stop, answer.CutForMoney, err); got != k.want ||
					len(answer.Message.ToolCalls()) != 0 || answer.Usage != (protocol.Usage{Input: 7, Output: 3}) {
					t.Errorf("got %s, calls %v, usage %+v, want %s", got, answer.Message.ToolCalls(), answer.Usage,
						k.want)
				}
				if s.spent != 10 || len(s.reserver.open) != 0 {
					t.Errorf("spent %d; open %v", s.spent, s.reserver.open)
				}
			})
		}
	}
}
