package ports

import (
	"context"
	"time"
)

// ReportKind is the kind of a report.
type ReportKind string

// The kinds.
const (
	ReportTransactions ReportKind = "transactions"
	ReportUnmatched    ReportKind = "unmatched_settlements"
)

// ReportStatus is the state of a report job (SPEC 2.6).
type ReportStatus string

// The states. All but RUNNING are final.
const (
	ReportRunning   ReportStatus = "RUNNING"
	ReportCompleted ReportStatus = "COMPLETED"
	ReportFailed    ReportStatus = "FAILED"
)

// Terminal reports whether the status is final.
func (s ReportStatus) Terminal() bool { return s != ReportRunning }

// ReportRequest is a client's request (SPEC 2.5), as it was accepted.
type ReportRequest struct {
	MerchantID string
	Name       string
	From, To   time.Time // the first and the last day, both included, as midnights in UTC
	Columns    []string
	Filters    []Filter
	Format     string // a [ReportWriter]'s Format
}

// Until returns the first instant after the report's last day.
func (r *ReportRequest) Until() time.Time { return r.To.AddDate(0, 0, 1) }

// ReportJob is a report in a store. Once its status is terminal it never changes (I22).
type ReportJob struct {
	ID      string
	Owner   string // the client whose report it is
	Version int64  // number of saves; 0 means never saved
	Kind    ReportKind
	Request ReportRequest
	Status  ReportStatus

	CreatedAt time.Time
	UpdatedAt time.Time // of the last save
	EndedAt   time.Time // zero while it runs

	Attempts   int       // how many times a process has claimed it
	Holder     string    // the process that claimed it last
	LeaseUntil time.Time // no other process can claim it before this; zero means not claimed
	StartedAt  time.Time // time of the first attempt, or zero

	Rows   int64     // rows written so far, or in all
	Total  int64     // rows expected; -1 means unknown
	AsOf   time.Time // the sources were complete up to this instant; zero means not known yet
	Reason string    // of FAILED: an errcodes.Code

	FileSize   int64  // of COMPLETED: in bytes
	FileSHA256 string // of COMPLETED: in hexadecimal
}

// ReportChange is one write. A store stores all of it or nothing.
type ReportChange struct {
	// Job is the new state, with the Version that the caller read, 0 for a new job.
	// The store stores Version + 1.
	Job ReportJob
	// Events and Work become claimable with the change, never before.
	Events []Event
	Work   []WorkItem
	Audit  []AuditRow // a row for each act, see [Audit]
}

// ReportStore stores report jobs.
type ReportStore interface {
	// Save stores the change if the stored version is still Job.Version. Otherwise it
	// returns [errcodes.Conflict] and stores nothing, as it does for a new job whose
	// ID is in use by any owner, and for a change of an ended job. Times are stored to
	// the millisecond. Save retains no reference to the change.
	//
	// Save returns [errcodes.OutcomeUnknown] if it cannot know whether the change was
	// stored, and [errcodes.StorageUnavailable] if the store is full or busy and
	// nothing was stored.
	Save(ctx context.Context, change ReportChange) error

	// Report returns the owner's job. It returns [errcodes.NotFound] if the id is
	// unknown or another owner's.
	Report(ctx context.Context, owner, id string) (ReportJob, error)

	// ClaimReport claims the oldest running job that is not claimed or whose lease
	// has ended at now, and returns it. It sets Holder, LeaseUntil to now + lease and
	// StartedAt if it is zero, and adds 1 to Attempts and Version. Concurrent calls
	// claim different jobs. The holder extends the lease by Save.
	//
	// ClaimReport returns [errcodes.NotFound] if there is no such job, and
	// [errcodes.InvalidRequest] if lease is not above 0. After
	// [errcodes.OutcomeUnknown] a job may be claimed until its lease ends.
	ClaimReport(ctx context.Context, holder string, now time.Time, lease time.Duration) (ReportJob, error)

	// ExpiredReports lists ended jobs of any owner with EndedAt at or before the
	// instant, ordered by EndedAt, then ID. limit is 1 to [MaxSmallPage].
	ExpiredReports(ctx context.Context, before time.Time, limit int) ([]ReportJob, error)

	// RemoveReport removes an ended job. It returns nil if the id is unknown, and
	// [errcodes.Conflict] if the job is running. It may be repeated after
	// [errcodes.OutcomeUnknown].
	RemoveReport(ctx context.Context, owner, id string) error
}
