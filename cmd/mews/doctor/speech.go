package doctor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"mews/config"
	"mews/protocol/amount"
)

// SpeechModel says why recordings can't be transcribed as the configuration has it: a program or a
// model that is not there, or a model that a worker's memory can't hold.
func SpeechModel(cfg *config.Config) error {
	in := cfg.Speech.In
	switch {
	case in.Engine == config.SpeechCommand:
		return programThere(in.Command[0])
	case in.Engine == config.SpeechOff || in.Engine == config.SpeechEndpoint || in.Model == "":
		return nil
	}
	memory, err := SpeechModelMemory(in.Model)
	memory += int64(in.Longest.Seconds()) * soundBytes
	if most := int64(cfg.Worker.Memory); err == nil && most > 0 && memory > most {
		err = fmt.Errorf(textSpeechMemory, in.Model, amount.Size(memory), amount.Size(most))
	} else if err != nil {
		err = fmt.Errorf(textSpeechModel, in.Model, err)
	}
	return errors.Join(programThere(in.Program), err)
}

// soundBytes are those of a second of sound as whisper.cpp takes it: 16,000 samples of 16 bits.
// They lie in a worker's memory.
const soundBytes = 32_000

// SpeechModelMemory is what a model of whisper.cpp takes of memory, in bytes.
func SpeechModelMemory(model string) (int64, error) {
	file, err := os.Open(model)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	header := make([]byte, config.WhisperHeader)
	n, _ := io.ReadFull(file, header) // a shorter file is no model
	if err != nil {
		return 0, err
	}
	return config.WhisperMemory(header[:n], info.Size())
}

// programThere says why a program is not where workers look for it.
func programThere(name string) error {
	_, err := WorkersProgram(name)
	return err
}

// WorkersProgram is where workers find a program.
func WorkersProgram(name string) (path string, err error) {
	if strings.Contains(name, "/") {
		return exec.LookPath(name)
	}
	for _, folder := range []string{"/usr/local/bin/", "/usr/bin/", "/bin/"} {
		if path, err := exec.LookPath(folder + name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf(textSpeechProgram, name)
}
