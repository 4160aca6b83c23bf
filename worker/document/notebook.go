package document

import (
	"encoding/json"
	"fmt"
	"strings"

	"mews/worker/parse"
)

// notebook is a Jupyter notebook. Format 3 has its cells in worksheets. (nbformat's schema)
type notebook struct {
	Cells      []notebookCell `json:"cells"`
	Worksheets []struct {
		Cells []notebookCell `json:"cells"`
	} `json:"worksheets"`
	Metadata struct {
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
}

type notebookCell struct {
	Kind    string        `json:"cell_type"`
	Source  joinedText    `json:"source"`
	Input   joinedText    `json:"input"` // the source of a cell in format 3
	Outputs []notebookRun `json:"outputs"`
}

// notebookRun is one output of a cell.
type notebookRun struct {
	Text  joinedText                 `json:"text"`
	Data  map[string]json.RawMessage `json:"data"`
	Name  string                     `json:"ename"` // name of the error in an output
	Value string                     `json:"evalue"`
}

// joinedText is a text, or a list of texts to join.
type joinedText string

func (j *joinedText) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*j = joinedText(strings.Join(list, ""))
		return nil
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		*j = joinedText(text)
	}
	return nil
}

// parseNotebook writes the cells of a notebook: text as it is, code and outputs in fences.
func parseNotebook(f source, out *output) error {
	data, err := f.whole()
	if err != nil {
		return err
	}
	var n notebook
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	text, err := out.text(parse.FormatNotebook)
	if err != nil {
		return err
	}
	language := n.Metadata.Language.Name
	if language == "" {
		language = n.Metadata.Kernel.Language
	}
	cells := n.Cells
	for _, sheet := range n.Worksheets {
		cells = append(cells, sheet.Cells...)
	}
	for _, c := range cells {
		c.write(language, text)
	}
	return text.err
}

func (c notebookCell) write(language string, out *lines) {
	source := strings.TrimRight(string(c.Source+c.Input), "\n")
	if c.Kind != "code" {
		out.add(source + "\n\n")
		return
	}
	fenced(language, source, out)
	for _, o := range c.Outputs {
		if shown := o.text(); shown != "" {
			out.add(textOutput + "\n")
			fenced("", shown, out)
		}
	}
}

// text returns the text of an output. It has no colours and no HTML.
func (o notebookRun) text() string {
	text := string(o.Text)
	if plain := o.Data["text/plain"]; plain != nil {
		var joined joinedText
		_ = joined.UnmarshalJSON(plain) // decoding a plain text never fails
		text += string(joined)
	}
	for kind := range o.Data {
		if strings.HasPrefix(kind, "image/") {
			text = strings.TrimRight(text, "\n") + "\n" + textPictureOut
			break
		}
	}
	if o.Name != "" {
		text += fmt.Sprintf("%s: %s", o.Name, o.Value)
	}
	return strings.Trim(text, "\n")
}

// fenced writes a text between fences that are longer than any fence in the text.
func fenced(language, text string, out *lines) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	out.add(fence + language + "\n" + text + "\n" + fence + "\n\n")
}
