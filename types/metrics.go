package types

// ReportMetrics reports what a commit did, for statistics only.
type ReportMetrics struct {
	TableID ID            `json:"table-id"`
	Report  *MetricReport `json:"report,omitempty"`
}

// A MetricReport holds one kind of report.
type MetricReport struct {
	Commit *CommitReport `json:"commit-report,omitempty"`
}

// A CommitReport counts what one commit added, removed and changed.
type CommitReport struct {
	FilesAdded   int64              `json:"num-files-added"`
	BytesAdded   int64              `json:"num-bytes-added"`
	FilesRemoved int64              `json:"num-files-removed"`
	BytesRemoved int64              `json:"num-bytes-removed"`
	RowsInserted int64              `json:"num-rows-inserted"`
	RowsRemoved  int64              `json:"num-rows-removed"`
	RowsUpdated  int64              `json:"num-rows-updated"`
	FileSizes    *FileSizeHistogram `json:"file-size-histogram,omitempty"`
}

// A FileSizeHistogram counts files by size: bin i holds files of
// [SortedBinBoundaries[i], SortedBinBoundaries[i+1]) bytes.
type FileSizeHistogram struct {
	SortedBinBoundaries []int64 `json:"sorted-bin-boundaries"` // bytes, ascending from 0
	FileCounts          []int64 `json:"file-counts"`
	TotalBytes          []int64 `json:"total-bytes"`
	CommitVersion       *int64  `json:"commit-version,omitempty"`
}

// TableMetrics is what the reports on a table add up to.
type TableMetrics struct {
	TableID      ID    `json:"table-id"`
	Commits      int64 `json:"num-commits"` // commits reported
	FilesAdded   int64 `json:"num-files-added"`
	BytesAdded   int64 `json:"num-bytes-added"`
	FilesRemoved int64 `json:"num-files-removed"`
	BytesRemoved int64 `json:"num-bytes-removed"`
	RowsInserted int64 `json:"num-rows-inserted"`
	RowsRemoved  int64 `json:"num-rows-removed"`
	RowsUpdated  int64 `json:"num-rows-updated"`

	// SmallFileShare is the share of files below 16 MiB in the last histogram that had
	// files, from 0 to 1; nil if none had.
	SmallFileShare *float64 `json:"small-file-share,omitempty"`

	LastReport     *CommitReport `json:"last-report,omitempty"`
	LastReportTime int64         `json:"last-report-time,omitempty"` // epoch milliseconds
}

// UnmarshalJSON reads a report. table-id must be a UUID, and a histogram must have its
// three arrays; whether the numbers make sense is not looked at.
func (r *ReportMetrics) UnmarshalJSON(data []byte) error { return unmarshal(r, data, readMetrics) }

func readMetrics(data []byte, p *path) (ReportMetrics, error) {
	o := open(data, p)
	r := ReportMetrics{
		TableID: need(o, "table-id", readID),
		Report:  maybe(o, "report", readReport),
	}
	return r, o.err
}

func readReport(data []byte, p *path) (MetricReport, error) {
	o := open(data, p)
	r := MetricReport{Commit: maybe(o, "commit-report", readCommitReport)}
	return r, o.err
}

func readCommitReport(data []byte, p *path) (CommitReport, error) {
	o := open(data, p)
	r := CommitReport{
		FilesAdded:   given(o, "num-files-added", readInt64),
		BytesAdded:   given(o, "num-bytes-added", readInt64),
		FilesRemoved: given(o, "num-files-removed", readInt64),
		BytesRemoved: given(o, "num-bytes-removed", readInt64),
		RowsInserted: given(o, "num-rows-inserted", readInt64),
		RowsRemoved:  given(o, "num-rows-removed", readInt64),
		RowsUpdated:  given(o, "num-rows-updated", readInt64),
		FileSizes:    maybe(o, "file-size-histogram", readHistogram),
	}
	return r, o.err
}

func readHistogram(data []byte, p *path) (FileSizeHistogram, error) {
	o := open(data, p)
	h := FileSizeHistogram{
		SortedBinBoundaries: need(o, "sorted-bin-boundaries", listOf(readInt64)),
		FileCounts:          need(o, "file-counts", listOf(readInt64)),
		TotalBytes:          need(o, "total-bytes", listOf(readInt64)),
		CommitVersion:       maybe(o, "commit-version", readInt64),
	}
	return h, o.err
}
