package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// notices makes a call, and returns the notices to the user and their times.
func notices(t *testing.T, c *Catalogue) (words []string, at []time.Duration, err error) {
	t.Helper()
	begin := time.Now()
	req := modelcall.Request{Messages: []protocol.Message{protocol.NewUserMessage("hi")}, OnWait: func(text string) {
		words, at = append(words, text), append(at, time.Since(begin))
	}}
	_, err = c.Stream(t.Context(), "", req, func(modelcall.Delta) {})
	time.Sleep(time.Hour) // leaves time for later notices, which must not come
	return words, at, err
}

func TestOnlyModel_Fails_IsRetriedWithNotice(t *testing.T) {
	for _, class := range []modelcall.ErrorClass{modelcall.Overloaded, modelcall.ServerError} {
		synctest.Test(t, func(t *testing.T) {
			alone := failsWith(class)
			words, at, err := notices(t, catalogueOf(t, alone))
			lasted := alone.at[len(alone.at)-1].Sub(alone.at[0])
			if err == nil || alone.count() != 6 || lasted < 23*time.Second || lasted > 39*time.Second {
				t.Errorf("%s: %d tries in %v: %v", class, alone.count(), lasted, err)
			}
			if len(words) != 1 || at[0] != 5*time.Second || !strings.Contains(words[0], "a/m "+policies[class].reason) {
				t.Errorf("%s: told %q at %v", class, words, at)
			}
		})
	}
}

// TestLastModel_Fails_IsRetriedLikeOnlyModel checks that the last model is tried as often as an
// only model. The last model may be a fallback.
func TestLastModel_Fails_IsRetriedLikeOnlyModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := failsWith(modelcall.Overloaded), failsWith(modelcall.Overloaded)
		if _, _, err := notices(t, catalogueOf(t, first, second)); err == nil || first.count() != 2 ||
			second.count() != 6 {
			t.Errorf("%d and %d tries: %v", first.count(), second.count(), err)
		}
	})
}

func TestNotice_ModelSilent_IsSentOnce(t *testing.T) {
	speaksAfter := func(d time.Duration) *scriptedProvider {
		return &scriptedProvider{play: func(_ context.Context, _ int, say func(string)) (modelcall.Answer, error) {
			time.Sleep(d)
			answer := said("so", say)
			time.Sleep(14 * time.Second)
			return answer, nil
		}}
	}
	for after, want := range map[time.Duration]int{14 * time.Second: 0, 16 * time.Second: 1} {
		synctest.Test(t, func(t *testing.T) {
			words, at, err := notices(t, catalogueOf(t, speaksAfter(after)))
			if err != nil || len(words) != want || want == 1 &&
				(at[0] != 15*time.Second || !strings.Contains(words[0], "a/m")) {
				t.Errorf("after %v: told %q at %v, %v", after, words, at, err)
			}
		})
	}
}

// TestSilenceWithinAnswer_GivesNotice checks that the user is told once of each silence, and that
// events without text end a silence.
func TestSilenceWithinAnswer_GivesNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &scriptedProvider{}
		m.play = func(_ context.Context, _ int, say func(string)) (modelcall.Answer, error) {
			for _, pause := range []time.Duration{14, 40, 10, 16} {
				say("a word ")
				time.Sleep(pause * time.Second)
			}
			for range 10 {
				m.asked[0].OnEvent() // the model writes a tool call, which is no text
				time.Sleep(14 * time.Second)
			}
			return said("and the end", say), nil
		}
		words, at, err := notices(t, catalogueOf(t, m))
		want := []time.Duration{29 * time.Second, 79 * time.Second}
		if err != nil || !slices.Equal(at, want) || words[0] != fmt.Sprintf(textSilent, "a/m") {
			t.Errorf("told %q at %v, %v", words, at, err)
		}
	})
}

// TestNotice_SecondTryAnswers_IsNotSent checks that no notice of slowness is sent if the second try
// answers.
func TestNotice_SecondTryAnswers_IsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if words, _, err := notices(t, catalogueOf(t, failsWith(modelcall.Overloaded, ""))); err != nil || len(words) != 0 {
			t.Errorf("told %q, %v", words, err)
		}
	})
}
