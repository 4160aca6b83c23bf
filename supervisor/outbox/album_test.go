package outbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/supervisor"
	"mews/supervisor/outbox"
)

// pictures returns picture files, which an album shows together.
func pictures(names ...string) (list []supervisor.File) {
	for _, f := range files(names...) {
		f.MediaType = "image/png"
		list = append(list, f)
	}
	return list
}

func TestAlbum_JoinsPicturesOfOneDelivery(t *testing.T) {
	many := strings.Fields("0 1 2 3 4 5 6 7 8 9 a")
	for name, test := range map[string]struct {
		delivery supervisor.Delivery
		want     []string
	}{
		"two":               {supervisor.Delivery{Files: pictures("a", "b")}, []string{"[a b] of a"}},
		"below a text":      {supervisor.Delivery{Text: "look", Buttons: yesNo, Files: pictures("a", "b")}, []string{"look <yes> <no>", "[a b] of a"}},
		"between others":    {supervisor.Delivery{Files: slices.Concat(files("x"), pictures("a", "b"), files("y"))}, []string{"[x] of x", "[a b] of a", "[y] of y"}},
		"with buttons":      {supervisor.Delivery{Buttons: yesNo, Files: pictures("a", "b")}, []string{"[a] of a", "[b] of b <yes> <no>"}},
		"more than ten":     {supervisor.Delivery{Files: pictures(many...)}, []string{"[0 1 2 3 4 5 6 7 8 9] of 0", "[a] of a"}},
		"one":               {supervisor.Delivery{Files: pictures("a")}, []string{"[a] of a"}},
		"and no recordings": {supervisor.Delivery{Files: []supervisor.File{{SHA256: strings.Repeat("ab", 32), Size: 7, Name: "v", MediaType: "audio/ogg"}, pictures("a")[0]}}, []string{"[v] ", "[a] of a"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(h *rig) {
				h.live()
				test.delivery.Conversation = h.conversation("alice", alice)
				h.say(test.delivery)
				pass(20 * time.Second)
				h.same("chat", h.channel.rendered(alice), test.want)
				h.same("waiting", h.waiting(alice), 0)
			})
		})
	}
}

// TestAlbum_Refused_SendsFilesOneByOne checks that the other pictures of an album are sent if one
// is refused.
func TestAlbum_Refused_SendsFilesOneByOne(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			if len(c.content.Album) > 0 || ofFile(c, "b") {
				return false, refused("")
			}
			return true, nil
		}
		h.live()
		h.say(supervisor.Delivery{Conversation: h.conversation("alice", alice), Files: pictures("a", "b", "c")})
		pass(20 * time.Second)
		h.same("chat", h.channel.rendered(alice), []string{"[a] of a", "(The file b could not be sent: far away)", "[c] of c"})
	})
}

func TestRecording_VoiceRefused_SendsDocument(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.channel.script = func(c called) (bool, *supervisor.SendError) {
			if c.content.File != nil && c.content.File.MediaType == supervisor.MediaTypeVoice {
				return false, refused(supervisor.SendReasonNoVoice)
			}
			return true, nil
		}
		h.live()
		f := file("a.ogg", "")
		f.MediaType = supervisor.MediaTypeVoice
		h.say(supervisor.Delivery{Conversation: h.conversation("alice", alice), Files: []supervisor.File{f}})
		pass(20 * time.Second)
		h.same("chat", h.channel.rendered(alice), []string{"[a.ogg] "})
	})
}

// TestAlbum_InGroup_CountsEachPicture checks that each picture of an album counts as one of the
// twenty messages a minute in a group.
func TestAlbum_InGroup_CountsEachPicture(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		c := h.conversation("alice", club)
		names := strings.Fields("0 1 2 3 4 5 6 7 8 9")
		began := time.Now()
		for range 3 {
			h.say(supervisor.Delivery{Conversation: c, Files: pictures(names...)})
		}
		pass(3 * time.Minute)
		var at []time.Duration
		for _, c := range h.channel.made(club, "send") {
			at = append(at, c.at.Sub(began))
		}
		if len(at) != 3 || at[1] >= time.Minute || at[2] < time.Minute {
			t.Errorf("they came after %v, want the third after a minute", at)
		}
	})
}

func TestLargeFile_ShowsUploadAction(t *testing.T) {
	inBubble(t, func(h *rig) {
		h.live()
		c := h.conversation("alice", alice)
		list := slices.Concat(pictures("a"), files("b", "c"))
		list[0].Size, list[1].Size = 2<<20, 2<<20
		h.say(supervisor.Delivery{Conversation: c, Files: list})
		pass(20 * time.Second)
		var verbs []string
		for _, c := range h.channel.made(alice, "upload_photo", "upload_document", "send") {
			verbs = append(verbs, c.verb)
		}
		h.same("calls", verbs, []string{"upload_photo", "send", "upload_document", "send", "send"})
	})
}

// TestAlbum_Crash_StaysWholeAndMarksRepeats kills the process after each of its calls of the store.
// It also lets the channel's call end in every possible way. Each picture must be in the chat, no
// album may be split, and a repeated album must be marked.
func TestAlbum_Crash_StaysWholeAndMarksRepeats(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var sent []supervisor.File
		for i := range rapid.IntRange(1, 13).Draw(r, "files") {
			kind := rapid.SampledFrom([]func(...string) []supervisor.File{pictures, pictures, pictures, files}).Draw(r, "kind")
			sent = append(sent, kind(fmt.Sprint("f", i))...)
		}
		left := rapid.IntRange(1, 20).Draw(r, "left")
		badCall, taken := rapid.IntRange(1, 3).Draw(r, "bad call"), rapid.Bool().Draw(r, "taken")
		fate := rapid.SampledFrom([]*supervisor.SendError{unknown(), unknown(), afterUnsent(), flood(time.Second)}).Draw(r, "fate")
		wrong := ""
		inBubble(t, func(h *rig) {
			h.channel.script = func(c called) (bool, *supervisor.SendError) {
				if c.verb == "send" && c.nth == badCall {
					return taken && fate.Result == supervisor.SendResultUnknown, fate
				}
				return true, nil
			}
			l := &process{left: left}
			end := h.liveAs(l, func(o *outbox.Options) { o.Channel = killableChannel{h.channel, l} })
			h.say(supervisor.Delivery{Conversation: h.conversation("alice", alice), Files: sent})
			pass(30 * time.Second)
			if l.ended() {
				end()
				h.live()
				pass(2 * time.Minute)
			}
			wrong = h.wrongAlbums(sent)
		})
		if wrong != "" {
			r.Fatal(wrong)
		}
	})
}

// wrongAlbums describes how alice's chat differs from the files that were sent.
func (h *rig) wrongAlbums(sent []supervisor.File) string {
	h.Helper()
	unmarked, all := map[string]int{}, map[string]int{}
	for _, look := range h.channel.rendered(alice) {
		names, text, _ := strings.Cut(strings.TrimPrefix(look, "["), "] ")
		all[names]++
		if !strings.HasPrefix(text, repeatMark) {
			unmarked[names]++
		}
	}
	var stand, want []string
	for names, n := range all {
		if unmarked[names] > 1 || n > 2 {
			return fmt.Sprintf("%s stands there %d times, %d unmarked", names, n, unmarked[names])
		}
		stand = append(stand, strings.Fields(names)...)
	}
	for _, f := range sent {
		want = append(want, f.Name)
	}
	slices.Sort(stand)
	slices.Sort(want)
	// if a file is in two albums, stand contains the file twice
	if lost := h.lost(); lost == "" && !slices.Equal(stand, want) {
		return fmt.Sprintf("there stand %v, want %v", stand, want)
	}
	if n := h.waiting(alice); n != 0 {
		return fmt.Sprintf("%d deliveries wait", n)
	}
	return ""
}
