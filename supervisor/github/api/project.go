package api

import (
	"context"
	"fmt"
	"strings"
)

const (
	projectText = `query($owner:String!,$name:String!,$title:String!){repository(owner:$owner,name:$name){projectsV2(first:20,query:$title)` +
		`{nodes{id title closed}} owner{... on ProjectV2Owner{projectsV2(first:20,query:$title){nodes{id title closed}}}}}}`
	addText = `mutation($project:ID!,$content:ID!){addProjectV2ItemById(input:{projectId:$project,contentId:$content}){item{id}}}`
)

// projectList is a page of projects.
type projectList struct {
	Nodes []struct {
		ID, Title string
		Closed    bool
	}
}

// FindProject returns the id of an open project by its title; "" if there is none. The project
// belongs to the repository or to the repository's owner.
func (c *Client) FindProject(ctx context.Context, repo, title string) (id string, err error) {
	var answer struct {
		Repository struct {
			ProjectsV2 projectList
			Owner      struct{ ProjectsV2 projectList }
		}
	}
	k := &call{action: fmt.Sprintf("find the project %q of %s", title, repo), repo: repo, isRead: true,
		need: needProjects}
	if err := c.query(ctx, k, projectText, map[string]any{"title": title}, &answer); err != nil {
		return "", err
	}
	for _, p := range append(answer.Repository.ProjectsV2.Nodes, answer.Repository.Owner.ProjectsV2.Nodes...) {
		if strings.EqualFold(p.Title, title) && !p.Closed {
			return p.ID, nil
		}
	}
	return "", nil
}

// AddToProject adds an issue to a project, by the NodeID. An issue that is already there is
// no error.
func (c *Client) AddToProject(ctx context.Context, repo, project, node string) error {
	k := &call{action: "put an issue of " + repo + " into a project", repo: repo, need: needProjects}
	var answer struct{}
	return c.query(ctx, k, addText, map[string]any{"project": project, "content": node}, &answer)
}
