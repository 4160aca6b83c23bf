package history

import (
	"slices"

	"mews/protocol"
	"mews/supervisor/modelcall"
)

// Limits of the pictures in a request. Anthropic accepts requests of 32 MB, including text and the
// overhead of base64. In a request with more than 20 pictures, the pictures must be smaller
// (Anthropic's page on vision).
const (
	maxPictures     = 20
	maxPictureBytes = 16 << 20
)

// FitPictures keeps the newest pictures of a window, and replaces the others by lines. gone reports
// whether the bytes of a picture are no longer stored. Like SelectMessages, FitPictures adds up the
// pictures from the oldest on. When there are too many, it drops the oldest until half of the limit
// is free. So the beginning of requests changes only once in about ten pictures.
func FitPictures(messages []protocol.Message, gone func(protocol.Image) bool) []protocol.Message {
	var all []protocol.Image
	for _, m := range messages {
		for _, p := range m.Parts {
			all = append(all, imagesOf(p)...)
		}
	}
	if len(all) == 0 {
		return messages
	}
	first, n := firstKept(all), 0
	return replace(messages, func(image protocol.Image) string {
		n++
		switch {
		case n <= first:
			return "it is too long ago"
		case gone(image):
			return "it is not kept any more"
		}
		return ""
	})
}

// firstKept returns the index of the first picture that is kept. The last picture is always kept.
func firstKept(all []protocol.Image) (first int) {
	count, bytes := 0, int64(0)
	for i, image := range all {
		count, bytes = count+1, bytes+image.Size
		if count <= maxPictures && bytes <= maxPictureBytes {
			continue
		}
		for first < i && (count > maxPictures/2 || bytes > maxPictureBytes/2) {
			count, bytes = count-1, bytes-all[first].Size
			first++
		}
	}
	return first
}

// imagesOf lists the pictures of a part, in order.
func imagesOf(p protocol.ContentPart) []protocol.Image {
	switch {
	case p.Image != nil:
		return []protocol.Image{*p.Image}
	case p.Result != nil:
		return p.Result.Images
	}
	return nil
}

// replace puts a line in the place of each picture for which why returns a reason. The line has the
// reason. The messages are copied, not changed.
func replace(messages []protocol.Message, why func(protocol.Image) string) []protocol.Message {
	out := slices.Clone(messages)
	for i, m := range out {
		if !slices.ContainsFunc(m.Parts, func(p protocol.ContentPart) bool { return len(imagesOf(p)) > 0 }) {
			continue
		}
		out[i].Parts = slices.Clone(m.Parts)
		for j, p := range m.Parts {
			out[i].Parts[j] = replaceIn(p, why)
		}
	}
	return out
}

func replaceIn(p protocol.ContentPart, why func(protocol.Image) string) protocol.ContentPart {
	switch {
	case p.Image != nil:
		if because := why(*p.Image); because != "" {
			return protocol.ContentPart{Text: modelcall.PictureNote(*p.Image, because) + "\n"}
		}
	case p.Result != nil && len(p.Result.Images) > 0:
		result := *p.Result
		result.Images = nil
		for _, image := range p.Result.Images {
			if because := why(image); because != "" {
				result.Text += "\n" + modelcall.PictureNote(image, because)
				continue
			}
			result.Images = append(result.Images, image)
		}
		p.Result = &result
	}
	return p
}
