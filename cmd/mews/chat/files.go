package chat

import (
	"fmt"
	"image"
	_ "image/gif" // the pictures whose pixels are told
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mews/protocol/amount"
	"mews/supervisor/control"
	"mews/supervisor/effect"
)

// fileLines are a line about each file that came with a delivery. home is the person's folder,
// where the files may lie.
func fileLines(d control.Delivery, home string) (lines []string) {
	for _, f := range d.Files {
		size, there := lyingAt(home, f)
		line := fmt.Sprintf(textFile, describe(f.Name, f.Size, size))
		if there {
			line = fmt.Sprintf(textFileAt, describe(f.Name, f.Size, size), filepath.Join(home, f.Path))
		}
		if f.Caption != "" {
			line += " " + f.Caption
		}
		lines = append(lines, strings.Join(strings.Fields(stripControls(line)), " "))
	}
	return lines
}

// lyingAt says whether a file that was sent lies in the person's folder, as far as this account
// sees, and its pixels. The folder is their worker's too: nothing is followed out of it, and
// nothing in it is waited for.
func lyingAt(home string, f control.File) (size string, there bool) {
	if f.Path == "" {
		return "", false
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return "", false
	}
	defer root.Close()
	file, err := root.OpenFile(f.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() != f.Size {
		return "", false
	}
	return pixels(file), true
}

// describe is how a file is shown. pixels is "" where it is no picture.
func describe(name string, size int64, pixels string) string {
	return strings.TrimSuffix(name+", "+amount.Bytes(size)+", "+pixels, ", ")
}

// pixels are a picture's width and height; "" where it is none that is known.
func pixels(file *os.File) string {
	c, _, err := image.DecodeConfig(file)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(textPixels, c.Width, c.Height)
}

// effectLines are what the turn of a delivery did, below a heading.
func effectLines(d control.Delivery) (lines []string) {
	if len(d.Effects) == 0 {
		return nil
	}
	for _, line := range append([]string{effect.TextWhatIDid + ":"}, d.Effects...) {
		lines = append(lines, stripControls(line))
	}
	return lines
}
