// Package speech transcribes recordings and speaks texts, by programs behind the walls of the
// tools.
//
// ffmpeg converts a recording to samples and finds the silences. The package cuts the recording in
// silences, into pieces of about 2 minutes. A recogniser transcribes one piece after the other:
// whisper.cpp's whisper-cli, or any other program by its command line.
package speech
