package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readers lists the programs that read users' files, each with its Debian package.
var readers = []struct {
	programs []string
	lacking  string
}{
	{[]string{"pdftotext", "pdftoppm"}, textNoPoppler},
	{[]string{"ffmpeg", "ffprobe"}, textNoFFmpeg},
	{[]string{"heif-convert"}, textNoHEIF},
}

// programFolders are the folders of programs that workers see.
var programFolders = []string{"/usr/local/bin", "/usr/bin", "/bin"}

func examineReaders(context.Context, Options) (string, error) { return missingReaders(programFolders) }

// missingReaders names the readers that none of the folders has.
func missingReaders(folders []string) (string, error) {
	var lacking []string
	for _, reader := range readers {
		for _, program := range reader.programs {
			there := func(dir string) bool {
				info, err := os.Stat(filepath.Join(dir, program))
				return err == nil && info.Mode()&0o111 != 0
			}
			if !slices.ContainsFunc(folders, there) {
				lacking = append(lacking, fmt.Sprintf(reader.lacking, program))
				break
			}
		}
	}
	if len(lacking) > 0 {
		return "", &warning{strings.Join(lacking, "\n")}
	}
	return textReaders, nil
}
