package job

import (
	"reflect"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
)

func TestQuietHoursEnd_AnyHours_UseUsersZone(t *testing.T) {
	madrid := time.FixedZone("", 3600)
	for hours, want := range map[string]time.Time{"12:00-14:30": time.Date(2026, 11, 20, 14, 30, 0, 0, madrid), "14:00-15:00": {}, "nonsense": {}} {
		end, quiet := QuietHoursEnd(hours, noon.In(madrid))
		if !end.Equal(want) || quiet == want.IsZero() {
			t.Errorf("%s: %v, %t", hours, end, quiet)
		}
	}
}

func TestIsHeldInQuietHours_Urgent_IsFalse(t *testing.T) {
	for name, c := range map[string]struct {
		d    supervisor.Delivery
		want bool
	}{
		"a text":      {supervisor.Delivery{Text: "x"}, true},
		"urgent":      {supervisor.Delivery{Text: "x", Urgent: true}, false},
		"with a file": {supervisor.Delivery{Files: []supervisor.File{{Name: "a"}}}, false},
		"in a group":  {supervisor.Delivery{Conversation: supervisor.Conversation{Channel: supervisor.ChannelTelegram, Chat: "-7"}}, false},
	} {
		if got := IsHeldInQuietHours(c.d); got != c.want {
			t.Errorf("%s: held %t", name, got)
		}
	}
}

func TestCombineNotices_Several_MakeOneMessage(t *testing.T) {
	buttons := [][]supervisor.Button{{{Text: "Run now", Press: "job:run 1"}}}
	one := sqlite.HeldNotice{Text: "a", Buttons: buttons, Effects: []string{"wrote a"}, Silent: true, Earlier: 2}
	if got, want := CombineNotices([]sqlite.HeldNotice{one}), (supervisor.Delivery{Text: "a\n\n(And 2 earlier ones.)", Buttons: buttons, Effects: one.Effects,
		Silent: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("one: got %+v, want %+v", got, want)
	}
	if got, want := CombineNotices([]sqlite.HeldNotice{one, {Text: "b"}}), (supervisor.Delivery{Text: "a\n\n(And 2 earlier ones.)\n\nb", Effects: one.Effects}); !reflect.DeepEqual(got, want) {
		t.Errorf("two: got %+v, want %+v", got, want)
	}
}
