package outbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
)

func TestEffects_AreFoldedBelowTheAnswer(t *testing.T) {
	o := &Options{Limit: 100}
	o.Halve = func(t supervisor.RichText) []supervisor.RichText { return []supervisor.RichText{t} }
	o.Render = func(text string, _ bool) []supervisor.RichText {
		if text == "" {
			return nil
		}
		return []supervisor.RichText{{Text: text, Entities: []supervisor.RichTextEntity{{Type: supervisor.EntityItalic,
			Length: 1}}}}
	}
	quote := func(at, length int) []supervisor.RichTextEntity {
		return []supervisor.RichTextEntity{{Type: supervisor.EntityLongQuote, Offset: at, Length: length},
			{Type: supervisor.EntityBold, Offset: at, Length: 10}}
	}
	answer := func(text string, more ...supervisor.RichTextEntity) supervisor.RichText {
		return supervisor.RichText{Text: text, Entities: append([]supervisor.RichTextEntity{{Type: supervisor.EntityItalic, Length: 1}}, more...)}
	}
	long, voice := strings.Repeat("x", 61), supervisor.File{Name: "voice.ogg", MediaType: supervisor.MediaTypeVoice}
	for name, c := range map[string]struct {
		d    supervisor.Delivery
		want []supervisor.RichText
	}{
		"nothing": {supervisor.Delivery{Text: "done"}, []supervisor.RichText{answer("done")}},
		"in the last part": {supervisor.Delivery{Text: "dóne 🙂", Effects: []string{"edited a"}},
			[]supervisor.RichText{answer("dóne 🙂\n\nWhat I did\nedited a", quote(9, 19)...)}},
		"in a part of its own": {supervisor.Delivery{Text: long, Effects: []string{"edited a"}},
			[]supervisor.RichText{answer(long), {Text: "What I did\nedited a", Entities: quote(0, 19)}}},
		"below a recording": {supervisor.Delivery{Files: []supervisor.File{voice}, Effects: []string{"edited a"}},
			[]supervisor.RichText{{File: &voice}, {Text: "What I did\nedited a", Entities: quote(0, 19)}}},
		"above buttons": {supervisor.Delivery{Text: "done", Effects: []string{"edited a"}, Buttons: [][]supervisor.Button{{{Text: "Undo", Press: "u"}}}},
			[]supervisor.RichText{{Text: "done\n\nWhat I did\nedited a",
				Entities: append([]supervisor.RichTextEntity{{Type: supervisor.EntityItalic, Length: 1}}, quote(6,
					19)...),
				Buttons: [][]supervisor.Button{{{Text: "Undo", Press: "u"}}}}}},
	} {
		if d := cmp.Diff(c.want, o.contents(c.d, false)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
	}
}
