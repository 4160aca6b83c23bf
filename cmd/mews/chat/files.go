package chat

import (
	"fmt"
	"image"
	_ "image/gif" // register the formats of pictures whose size is shown
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

// fileLines returns a line for each file of a delivery. home is the user's folder, which may
// contain the files.
func fileLines(d control.Delivery, home string) (lines []string) {
	for _, f := range d.Files {
		size, there := findInHome(home, f)
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

// findInHome reports whether a sent file is in the user's home, as far as this account can see, and
// returns its pixels. The worker can change that folder, so links out of it are not followed, and
// reads never block.
func findInHome(home string, f control.File) (size string, there bool) {
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

// describe describes a file. pixels is "" if it is no picture.
func describe(name string, size int64, pixels string) string {
	return strings.TrimSuffix(name+", "+amount.FormatBytes(size)+", "+pixels, ", ")
}

// pixels returns a picture's width and height; "" for an unknown format.
func pixels(file *os.File) string {
	c, _, err := image.DecodeConfig(file)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(textPixels, c.Width, c.Height)
}

// effectLines lists the effects of a delivery's turn, below a heading.
func effectLines(d control.Delivery) (lines []string) {
	if len(d.Effects) == 0 {
		return nil
	}
	for _, line := range append([]string{effect.TextEffectsHeading + ":"}, d.Effects...) {
		lines = append(lines, stripControls(line))
	}
	return lines
}
