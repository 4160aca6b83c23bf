package protocol

import (
	"fmt"
	"unicode/utf8"
)

// OperationKindTodo shows or changes the to-do list in todos.md at the user's wish. It takes
// TodoParameters and returns TodoResult. Repeated after a crash it changes nothing more.
const OperationKindTodo OperationKind = "todo"

// TodoAction is the task of a to-do operation.
type TodoAction string

const (
	TodoActionList   TodoAction = "list"   // list a page of items
	TodoActionShow   TodoAction = "show"   // show one item
	TodoActionAdd    TodoAction = "add"    // add an item
	TodoActionDone   TodoAction = "done"   // tick one item
	TodoActionDue    TodoAction = "due"    // set the due date of one item
	TodoActionDelete TodoAction = "delete" // delete one item
)

// TodoPageSize is the number of items on a page of a list, because each has a row of buttons.
const TodoPageSize = 8

// MaxTodoTextBytes bounds each text of an item in results and parameters. Longer texts are cut.
const MaxTodoTextBytes = 2000

// TodoParameters select the action and its item.
type TodoParameters struct {
	Action TodoAction `json:"action"`
	ID     string     `json:"id,omitempty"`
	// Created is the TodoItem.Created of the item. An item with another value is not touched; "" is
	// not compared.
	Created string `json:"created,omitempty"`
	Text    string `json:"text,omitempty"` // the new item, with +tags and due:2026-12-01
	Due     string `json:"due,omitempty"`  // due date, as 2026-12-01
	// At is the time of the user's wish in their zone, as 2026-11-30T10:00:00. It becomes the time
	// of the change.
	At     string `json:"at,omitempty"`
	Done   bool   `json:"done,omitempty"`   // list the items that are done, the others otherwise
	Words  string `json:"words,omitempty"`  // list only items with these words or tags
	Offset int    `json:"offset,omitempty"` // number of items before the page
}

// TodoResult is the result of a to-do operation. After all actions but list it has one item, or no
// item if none fits the parameters.
type TodoResult struct {
	Items []TodoItem `json:"items,omitempty"`
	Total int        `json:"total"`          // number of items that the list selects
	Done  int        `json:"done,omitempty"` // number of items that are done
	// Changed reports whether this operation, or an earlier try of it, has changed the list.
	Changed bool   `json:"changed,omitempty"`
	Refused string `json:"refused,omitempty"` // reason why nothing was changed; "" means success
}

// TodoItem is an item of the list as people see it.
type TodoItem struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Status      string   `json:"status"`
	Effort      string   `json:"effort"`
	Tags        []string `json:"tags,omitempty"`
	Due         string   `json:"due,omitempty"`
	// Created tells items apart that have the same ID one after the other. It is the time at which
	// the item was made, and a digest of the title.
	Created string `json:"created"`
	Line    int    `json:"line"` // line in todos.md
}

// Validate refuses a result that no honest worker sends.
func (r TodoResult) Validate() error {
	if len(r.Items) > TodoPageSize || r.Total < 0 || r.Done < 0 || len(r.Refused) > MaxTodoTextBytes {
		return fmt.Errorf("%d to-dos of %d", len(r.Items), r.Total)
	}
	for _, i := range r.Items {
		size := len(i.Title) + len(i.Description)
		for _, tag := range i.Tags {
			size += len(tag)
		}
		if i.ID == "" || len(i.ID) > 20 || len(i.Created) > 40 || len(i.Due) > 20 || len(i.Status) > 20 ||
			len(i.Effort) > 20 || size > 3*MaxTodoTextBytes || !utf8.ValidString(i.Title+i.Description) {
			return fmt.Errorf("to-do %.20q of %d bytes", i.ID, size)
		}
	}
	return nil
}
