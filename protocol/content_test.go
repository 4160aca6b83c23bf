package protocol_test

import (
	"strings"
	"testing"

	"mews/protocol"
)

func TestImage_BadImages_AreRefused(t *testing.T) {
	good := protocol.Image{BlobRef: protocol.BlobRef{SHA256: "ab", Size: 100}, MediaType: "image/png", Width: 8, Height: 6}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*protocol.Image){
		"media_type": func(i *protocol.Image) { i.MediaType = "image/svg+xml" },
		"no type":    func(i *protocol.Image) { i.MediaType = "" },
		"no bytes":   func(i *protocol.Image) { i.Size = 0 },
		"bytes":      func(i *protocol.Image) { i.Size = protocol.MaxImageBytes + 1 },
		"no width":   func(i *protocol.Image) { i.Width = 0 },
		"height":     func(i *protocol.Image) { i.Height = protocol.MaxImageEdge + 1 },
	} {
		bad := good
		if spoil(&bad); bad.Validate() == nil {
			t.Errorf("%s: %+v was taken", name, bad)
		}
	}
}

func TestImageType_FirstBytes_Suffice(t *testing.T) {
	for data, want := range map[string]string{
		"\x89PNG\r\n\x1a\n....": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a": "image/gif",
		"RIFF\x10\x00\x00\x00WEBPVP8 ": "image/webp", "RIFF\x10\x00\x00\x00WAVEfmt ": "", "\x89PNG": "", "": "",
		"<svg>": "",
	} {
		if got := protocol.DetectImageType([]byte(data)); got != want {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	}
}

func TestImage_RoundTrip_StaysTheSame(t *testing.T) {
	const line = `{"call":"c1","name":"view_image","text":"a.png","images":[{"sha256":"ab","size":9,` +
		`"media_type":"image/png","width":2,"height":3}]}`
	var r protocol.ToolResult
	if err := protocol.DecodeStrict([]byte(line), &r); err != nil || len(r.Images) != 1 || r.Images[0].Size != 9 {
		t.Fatalf("got %+v, %v", r, err)
	}
	for _, wrong := range []string{
		strings.Replace(line, `"width":2`, `"width":"2"`, 1),
		strings.Replace(line, `"width":2`, `"width":2,"path":"/etc/passwd"`, 1),
		strings.Replace(line, `"size":9`, `"Size":9`, 1),
	} {
		if err := protocol.DecodeStrict([]byte(wrong), &r); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
}

func TestStampedParts_Stamp_IsAboveFirstText(t *testing.T) {
	picture := protocol.ContentPart{Image: &protocol.Image{}}
	for _, c := range []struct {
		parts []protocol.ContentPart
		want  string
	}{
		{[]protocol.ContentPart{{Text: "a"}, {Text: "b"}}, "[now]\na|b"},
		{[]protocol.ContentPart{picture, {Text: "a"}}, "|[now]\na"},
		{[]protocol.ContentPart{picture}, "|[now]"},
	} {
		m := protocol.Message{Parts: c.parts, Stamp: "[now]"}
		var got []string
		for _, p := range m.PartsWithStamp() {
			got = append(got, p.Text)
		}
		if said := strings.Join(got, "|"); said != c.want || strings.Contains(m.Text(), "now") {
			t.Errorf("got %q, want %q", said, c.want)
		}
	}
}
