package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mews/protocol"
	"mews/supervisor/history"
)

func image(name string, size int64) protocol.Image {
	return protocol.Image{
		BlobRef: protocol.BlobRef{SHA256: name, Size: size}, MediaType: "image/png", Width: 1500, Height: 1000,
	}
}

// album returns a conversation of turns with one picture each. sizes has the sizes of the pictures.
func album(sizes ...int64) []protocol.Message {
	all := story(strings.Repeat("uc", len(sizes)), 10)
	for n, size := range sizes {
		all[3*n+2].Parts[0].Result.Images = []protocol.Image{image(fmt.Sprint(n+1), size)}
	}
	return all
}

// shown returns the names of the pictures that a model sees.
func shown(messages []protocol.Message) []string {
	var names []string
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Image != nil {
				names = append(names, p.Image.SHA256)
			}
			if p.Result != nil {
				for _, i := range p.Result.Images {
					names = append(names, i.SHA256)
				}
			}
		}
	}
	return names
}

func kept(protocol.Image) bool { return false }

func repeated(n int, size int64) []int64 { return slices.Repeat([]int64{size}, n) }

func TestFitPictures_ManyPictures_KeepsTwenty(t *testing.T) {
	for n, want := range map[int]struct{ first, last string }{
		1: {"1", "1"}, 20: {"1", "20"}, 21: {"12", "21"}, 30: {"12", "30"}, 31: {"12", "31"}, 32: {"23", "32"},
	} {
		got := shown(history.FitPictures(album(repeated(n, 1000)...), kept))
		if len(got) > 20 || got[0] != want.first || got[len(got)-1] != want.last {
			t.Errorf("of %d: %v", n, got)
		}
	}
}

// TestFitPictures_LargePictures_KeepsByteLimit covers large pictures. A request must stay within
// the API's limit of 32 MB, including text and base64.
func TestFitPictures_LargePictures_KeepsByteLimit(t *testing.T) {
	if got := shown(history.FitPictures(album(repeated(6, 3_700_000)...), kept)); len(got) > 4 || got[len(got)-1] != "6" {
		t.Errorf("got %v", got)
	}
	if got := shown(history.FitPictures(album(30<<20), kept)); len(got) != 1 {
		t.Errorf("the newest is not seen: %v", got)
	}
}

// TestFitPictures_AddedPicture_KeepsPrefix adds pictures one by one. At most every tenth picture may
// change the earlier part of the request.
func TestFitPictures_AddedPicture_KeepsPrefix(t *testing.T) {
	changes := 0
	var before []protocol.Message
	for n := 1; n <= 100; n++ {
		now := history.FitPictures(album(repeated(n, 1000)...), kept)
		if len(before) > 0 && !cmp.Equal(before, now[:len(before)]) {
			changes++
		}
		before = now
	}
	if changes > 8 {
		t.Errorf("the beginning changed %d times in 100 pictures", changes)
	}
}

func TestFitPictures_LeftOutPicture_BecomesLine(t *testing.T) {
	all := album(repeated(2, 1000)...)
	person := image("person's", 1000)
	all = append(all, protocol.Message{Role: protocol.RoleUser, Parts: []protocol.ContentPart{{Text: "And this?"},
		{Image: &person}}})
	got := history.FitPictures(all, func(i protocol.Image) bool { return i.SHA256 != "2" })
	const line = "[A picture was here (png, 1500 x 1000 pixels), and you do not see it: it is not kept any more.]"
	if text := got[2].Parts[0].Result.Text; text != "xxxxxxxxxx\n"+line {
		t.Errorf("got %q", text)
	}
	if names := shown(got); !slices.Equal(names, []string{"2"}) {
		t.Errorf("shown: %v", names)
	}
	if text := got[len(got)-1].Text(); text != "And this?"+line+"\n" {
		t.Errorf("got %q", text)
	}
	if names := shown(all); len(names) != 3 || all[2].Parts[0].Result.Text != "xxxxxxxxxx" {
		t.Error("the transcript itself was changed")
	}
}

func TestEstimateTokens_Picture_CountsPixels(t *testing.T) {
	with, without := album(1000), story("uc", 10)
	if got := history.EstimateTokens(with) - history.EstimateTokens(without); got != 2000 {
		t.Errorf("1500 x 1000 pixels are %d tokens", got)
	}
	if got := len(history.SelectMessages(album(repeated(10, 1000)...), 0, 5000).Messages); got == 30 {
		t.Error("pictures for 20,000 tokens are within a budget of 5,000")
	}
}

func TestFitPictures_RandomSizes_KeepsNewest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(1, protocol.MaxImageBytes), 1, 80).Draw(t, "sizes")
		got := shown(history.FitPictures(album(sizes...), kept))
		sum := int64(0)
		for i, name := range got {
			n := len(sizes) - len(got) + i
			if sum += sizes[n]; name != fmt.Sprint(n+1) {
				t.Fatalf("of %d: %v", len(sizes), got)
			}
		}
		if len(got) > 20 || len(got) == 0 || sum > 16<<20 {
			t.Fatalf("%d pictures of %d bytes", len(got), sum)
		}
	})
}
