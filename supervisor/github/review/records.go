package review

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"mews/supervisor"
	"mews/supervisor/github/diff"
	"mews/supervisor/github/finding"
)

// maxLookups is the maximum number of whole files that are read to find the lines of earlier
// findings.
const maxLookups = 100

// keptFinding is the JSON of a finding in the database.
type keptFinding struct {
	finding.Finding
	Inline bool
}

// records returns the findings of a pull request, with the names of the users who muted them.
func (r *Reviews) records(ctx context.Context, w supervisor.Review) (list []finding.Record, err error) {
	rows, err := r.o.Store.ListFindings(ctx, w.User, w.Repo, w.Number)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		var kept keptFinding
		_ = json.Unmarshal([]byte(row.Finding), &kept) // Finding is JSON that Mews wrote
		kept.Fingerprint = row.Fingerprint
		list = append(list, finding.Record{Finding: kept.Finding, Inline: kept.Inline, State: row.State,
			Found: row.Found,
			Seen:  row.Seen, Fixed: row.Fixed, Posted: row.Posted, Turn: row.Turn})
	}
	if list == nil {
		if list, err = r.olderRecords(ctx, w); err != nil {
			return nil, err
		}
	}
	return list, r.markMuted(ctx, w, list)
}

// olderRecords returns the findings of reviews by older versions of Mews, which stored no rows of
// findings.
func (r *Reviews) olderRecords(ctx context.Context, w supervisor.Review) (list []finding.Record, err error) {
	reviews, err := r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	for _, e := range reviews {
		said := postedOf(e).Said
		for _, f := range resultOf(e).All() {
			known := slices.ContainsFunc(list,
				func(other finding.Record) bool { return other.Fingerprint == f.Fingerprint })
			if f.Fingerprint == "" || known || e.ID == w.ID {
				continue
			}
			list = append(list, finding.Record{Finding: f, State: supervisor.FindingOpen, Found: e.Head, Seen: e.Head,
				Turn:   e.Turn,
				Posted: slices.Contains(said, f.Fingerprint), Inline: f.Placed && slices.Contains(said, f.Fingerprint)})
		}
	}
	return list, err
}

// markMuted sets MutedBy in the muted findings of a list.
func (r *Reviews) markMuted(ctx context.Context, w supervisor.Review, list []finding.Record) error {
	mutes, err := r.o.Store.ListMutes(ctx, w.User, w.Repo)
	for i := range list {
		list[i].MutedBy = ""
		for _, m := range mutes {
			if m.Kind == supervisor.MuteKindFinding && mutedFinding(m).Matches(list[i].Finding) {
				list[i].MutedBy = m.By
				if m.By == "" {
					list[i].MutedBy = textSomebody
				}
			}
		}
	}
	return err
}

func mutedFinding(m supervisor.ReviewMute) finding.KnownFinding {
	return finding.KnownFinding{Fingerprint: m.Subject, Path: m.Path, Title: m.Title, Window: m.Code}
}

// rowsOf returns findings as rows of the database.
func rowsOf(list []finding.Record) (rows []supervisor.PullRequestFinding) {
	for _, f := range list {
		rows = append(rows, supervisor.PullRequestFinding{Fingerprint: f.Fingerprint, State: f.State, Found: f.Found,
			Seen: f.Seen, Fixed: f.Fixed,
			Posted: f.Posted, Turn: f.Turn, Finding: encoded(keptFinding{f.Finding, f.Inline})})
	}
	return rows
}

// known returns the findings that must not be posted again: those on GitHub, and those that are
// muted.
func (r *Reviews) known(ctx context.Context, w supervisor.Review,
	list []finding.Record) (known []finding.KnownFinding, err error) {
	for _, f := range list {
		if f.Posted {
			known = append(known, f.Identity())
		}
	}
	mutes, err := r.o.Store.ListMutes(ctx, w.User, w.Repo)
	for _, m := range mutes {
		if m.Kind == supervisor.MuteKindFinding {
			known = append(known, mutedFinding(m))
		}
	}
	return known, err
}

// OpenFindings returns all open findings of a review's pull request, new and old.
func (r *Reviews) OpenFindings(ctx context.Context, w supervisor.Review) (finding.CheckedFindings, error) {
	records, err := r.records(ctx, w)
	var open []finding.Finding
	for _, f := range records {
		if f.IsOpen() {
			open = append(open, f.Finding)
		}
	}
	return finding.GroupFindings(open, 0), err
}

// unposted returns the open findings that are not on GitHub.
func unposted(list []finding.Record) (found []finding.Finding) {
	for _, f := range list {
		if f.IsOpen() && !f.Posted {
			found = append(found, f.Finding)
		}
	}
	return found
}

// markPosted marks the findings of made as posted, either as comments on lines or in the summary.
func markPosted(list []finding.Record, made finding.CheckedFindings) {
	for i := range list {
		is := func(f finding.Finding) bool { return f.Fingerprint == list[i].Fingerprint }
		if slices.ContainsFunc(made.All(), is) {
			list[i].Posted = true
			list[i].Inline = slices.ContainsFunc(made.Inline, is)
		}
	}
}

// merge returns the findings of a pull request after a review has read a head. If GitHub can't show
// the whole files now, a finding whose lines are not in the diff stays as it was.
func (r *Reviews) merge(ctx context.Context, w supervisor.Review, files []diff.File, texts map[string]string,
	coverage finding.Coverage,
	checked finding.CheckedFindings, records []finding.Record) ([]finding.Record, error) {
	h := finding.Head{SHA: w.Head, Files: files, Texts: maps.Clone(texts), Coverage: coverage, Turn: w.Turn}
	if err := r.retryForAWhile(ctx, func() error { return r.readTexts(ctx, w, &h, records) }); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		r.o.Log.Warn("read the lines of earlier findings", "review", w.PullRequestName(), "error", err)
	}
	records = finding.MergeFindings(records, checked, h)
	return records, r.markMuted(ctx, w, records)
}

// readTexts reads the whole files that may contain the lines of earlier findings.
func (r *Reviews) readTexts(ctx context.Context, w supervisor.Review, h *finding.Head, records []finding.Record) error {
	paths := finding.PathsToRead(records, *h, maxLookups)
	if len(paths) == 0 {
		return nil
	}
	texts, err := r.o.API.FileTexts(ctx, w.Repo, w.Head, paths)
	if err != nil {
		return err
	}
	if h.Texts == nil {
		h.Texts = map[string]string{}
	}
	for _, path := range paths {
		h.Texts[path] = finding.VisibleCode(texts[path]) // the text is "" for a missing file
	}
	return nil
}
