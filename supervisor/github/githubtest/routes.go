package githubtest

import "strconv"

// atoi returns the number in a text; 0 if it is no number.
func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

const (
	inRepo  = "/repos/{owner}/{repo}"
	inPull  = inRepo + "/pulls/{number}"
	inIssue = inRepo + "/issues/{number}"
	inHook  = inRepo + "/hooks/{hook}"
)

// routes are all routes of the server, each with the permission that a token needs.
var routes = []route{
	{"GET " + inRepo, "metadata=read", getRepo, 0},
	{"GET " + inRepo + "/contents/{path...}", "contents=read", getContents, 0},
	{"GET " + inRepo + "/git/blobs/{sha}", "contents=read", getBlob, 0},
	{"GET " + inRepo + "/commits", "contents=read", listCommits, 0},
	{"GET " + inRepo + "/compare/{basehead...}", "contents=read", compare, 0},
	{"GET " + inRepo + "/releases", "contents=read", listReleases, 0},
	{"GET " + inRepo + "/collaborators/{login}/permission", "metadata=read", getPermission, 0},

	{"GET " + inRepo + "/pulls", "pull_requests=read", listPulls, 0},
	{"GET " + inPull, "pull_requests=read", onPull(getPull), 0},
	{"GET " + inPull + "/commits", "pull_requests=read", onPull(listPullCommits), 0},
	{"GET " + inPull + "/files", "pull_requests=read", onPull(listPullFiles), 0},
	{"GET " + inPull + "/comments", "pull_requests=read", onPull(listReviewComments), 0},
	{"GET " + inRepo + "/pulls/comments", "pull_requests=read", listComments(true), 0},
	{"GET " + inPull + "/reviews", "pull_requests=read", onPull(listReviews), 0},
	{"GET " + inPull + "/reviews/{review}/comments", "pull_requests=read", onPull(listReviewComments), 0},
	{"POST " + inPull + "/reviews", "pull_requests=write", onPull(createReview), 0},
	{"PUT " + inPull + "/reviews/{review}", "pull_requests=write", onPull(updateReview), 0},

	{"GET " + inRepo + "/issues", "issues=read", listIssues, 0},
	{"GET " + inIssue, "issues=read", onIssue(getIssue), 0},
	{"GET " + inRepo + "/issues/comments", "issues=read", listComments(false), 0},
	{"GET " + inIssue + "/comments", "issues=read", onIssue(listIssueComments), 0},
	{"POST " + inIssue + "/comments", "issues=write", onIssue(createComment), 0},
	{"GET " + inRepo + "/issues/comments/{comment}", "issues=read", getComment, 0},
	{"PATCH " + inRepo + "/issues/comments/{comment}", "issues=write", editComment, 0},
	{"POST " + inRepo + "/issues/comments/{comment}/reactions", "issues=write", reactTo(false), 0},
	{"POST " + inRepo + "/pulls/comments/{comment}/reactions", "pull_requests=write", reactTo(true), 0},
	{"POST " + inIssue + "/labels", "issues=write", onIssue(addLabels), 0},
	{"GET " + inRepo + "/labels", "issues=read", listLabels, 0},
	{"POST " + inRepo + "/labels", "issues=write", createLabel, 0},
	{"GET /search/issues", "", search, noRepo},

	{"GET " + inRepo + "/commits/{ref}/check-runs", "checks=read", listChecks, 0},
	{"POST " + inRepo + "/check-runs", "checks=write", createCheck, 0},
	{"PATCH " + inRepo + "/check-runs/{check}", "checks=write", updateCheck, 0},

	{"GET " + inRepo + "/hooks", "repository_hooks=read", listHooks, 0},
	{"POST " + inRepo + "/hooks", "repository_hooks=write", createHook, 0},
	{"PATCH " + inHook, "repository_hooks=write", editHook, 0},
	{"GET " + inHook + "/deliveries", "repository_hooks=read", listDeliveries, 0},
	{"POST " + inHook + "/deliveries/{delivery}/attempts", "repository_hooks=write", redeliver, quiet},

	{"GET /app", "", getApp, byApp | noRepo},
	{"GET /app/hook/config", "", getAppHook, byApp | noRepo},
	{"PATCH /app/hook/config", "", editAppHook, byApp | noRepo},
	{"GET /app/hook/deliveries", "", listDeliveries, byApp | noRepo},
	{"POST /app/hook/deliveries/{delivery}/attempts", "", redeliver, byApp | noRepo | quiet},
	{"GET " + inRepo + "/installation", "", getInstallation, byApp | noRepo},
	{"POST /app/installations/{installation}/access_tokens", "", createToken, byApp | noRepo | quiet},

	{"GET /user", "", getUser, noRepo},
	{"GET /rate_limit", "", rateLimit, noRepo | free},
	{"POST /graphql", "", graphql, noRepo},
}
