package recurrence

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/adhocore/gronx"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
)

// drawField draws a random field of a cron expression, with values from least to most. The field is
// a list of forms: common forms, and the field's own forms.
func drawField(t *rapid.T, least, most int, own ...string) string {
	value := func() int { return rapid.IntRange(least, most).Draw(t, "value") }
	span := func() string {
		from := value()
		return fmt.Sprintf("%d-%d", from, rapid.IntRange(from, most).Draw(t, "to"))
	}
	step := func() int { return rapid.IntRange(1, most).Draw(t, "step") }
	forms := []func() string{
		func() string { return "*" }, func() string { return fmt.Sprint(value()) }, span,
		func() string { return fmt.Sprintf("*/%d", step()) },
		func() string { return fmt.Sprintf("%s/%d", span(), step()) },
	}
	for _, form := range own {
		forms = append(forms, func() string { return strings.ReplaceAll(form, "%", fmt.Sprint(value())) })
	}
	parts := make([]string, rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "parts"))
	for i := range parts {
		parts[i] = rapid.SampledFrom(forms).Draw(t, "form")()
	}
	return strings.Join(parts, ",")
}

// crons draws expressions that gronx can parse.
var crons = rapid.Custom(drawCron).Filter(func(expression string) bool { return checkCron(expression) == nil })

func drawCron(t *rapid.T) string {
	if rapid.IntRange(0, 19).Draw(t, "tag") == 0 {
		return rapid.SampledFrom([]string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@hourly",
			"@always", "@5minutes", "@30minutes"}).
			Draw(t, "tag")
	}
	fields := []string{drawField(t, 0, 59), drawField(t, 0, 23), drawField(t, 1, 31, "?", "L", "%W"),
		drawField(t, 1, 12, "jan", "FEB", "JUN-AUG"), drawField(t, 0, 7, "?", "%L", "%#1", "%#5", "sun", "MON-FRI")}
	return strings.Join(fields, " ")
}

// The next wall time of an expression is the time that gronx finds. If gronx finds no time, it must
// at least agree that our time is due.
func TestCronNext_MatchesGronx(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expression := crons.Draw(t, "expression")
		c, err := newCron(expression)
		if err != nil {
			t.Fatal(err)
		}
		wall := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).
			Add(time.Duration(rapid.Int64Range(0, 20*365*24*3600).Draw(t, "wall")) * time.Second)
		for range 20 {
			next, found, err := c.next(wall)
			if err != nil {
				t.Fatalf("%s after %s: %v", expression, wall, err)
			}
			want, gaveUp := gronx.NextTickAfter(expression, wall, false)
			if gaveUp != nil {
				want = next
			}
			if !found && gaveUp == nil || !next.Equal(want) {
				t.Fatalf("%s after %s is %s, %t; want %s", expression, wall, next, found, want)
			}
			if !found {
				return
			}
			if due, err := gronx.New().IsDue(expression, next); !due || err != nil {
				t.Fatalf("%s is not due at %s: %v", expression, next, err)
			}
			wall = next
		}
	})
}

// A list with an invalid value is refused, for any current time.
func TestCheckCron_BadListValue_Fails(t *testing.T) {
	for minute := range 60 {
		if text := fmt.Sprintf("%d,99 * * * *", minute); checkCron(text) == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// Two Sundays on 29 February may be 40 years apart. The search ends after 40 years.
func TestCronNext_RareDate_IsFound(t *testing.T) {
	sundays := Rule{Kind: Cron, Expression: "0 9 29 2 */7"}
	next, found, err := sundays.Next(time.Date(2088, 3, 1, 0, 0, 0, 0, time.UTC), time.UTC)
	if want := "2128-02-29T09:00:00Z"; !found || err != nil || next.Format(time.RFC3339) != want {
		t.Errorf("%s, %t, %v; want %s", next, found, err, want)
	}
	for _, never := range []string{"0 9 30 2 *", "0 9 31 4,6,9,11 ?", "*/7 * 30 2 */2"} {
		if next, found, err := (Rule{Kind: Cron, Expression: never}).Next(next, time.UTC); found || err != nil {
			t.Errorf("%s comes %s, %v", never, next, err)
		}
	}
}
