package ports

import (
	"context"
	"time"
)

// ReportKind is what a report is about.
type ReportKind string

// The kinds.
const (
	ReportTransactions ReportKind = "transactions"
	ReportUnmatched    ReportKind = "unmatched_settlements"
)

// ReportStatus is the state of a report job (SPEC 2.6).
type ReportStatus string

// The states. All but RUNNING are for good.
const (
	ReportRunning   ReportStatus = "RUNNING"
	ReportCompleted ReportStatus = "COMPLETED"
	ReportFailed    ReportStatus = "FAILED"
)

// Terminal reports whether the status is an end.
func (s ReportStatus) Terminal() bool { return s != ReportRunning }

// ReportRequest is what a client asked for (SPEC 2.5), as it was taken.
type ReportRequest struct {
	MerchantID string
	Name       string
	From, To   time.Time // the first and the last day, both included: midnights in UTC
	Columns    []string
	Filters    []Filter
	Format     string // of the file; a ReportWriter's
}

// Until is the first instant after the report's days.
func (r *ReportRequest) Until() time.Time { return r.To.AddDate(0, 0, 1) }

// ReportJob is a report as stores keep it. Once its status is terminal it never
// changes (I22).
type ReportJob struct {
	ID      string
	Owner   string // the client whose report it is
	Version int64  // counts the record's saves; 0: never saved
	Kind    ReportKind
	Request ReportRequest
	Status  ReportStatus

	CreatedAt time.Time
	UpdatedAt time.Time // of the last save
	EndedAt   time.Time // zero while it runs

	Attempts   int       // how often a process has taken it up
	Holder     string    // the process that has it
	LeaseUntil time.Time // until then nobody else takes it up; zero: nobody has it
	StartedAt  time.Time // of the first attempt; zero before

	Rows   int64     // written so far, or in all
	Total  int64     // of how many; -1 where nobody knows
	AsOf   time.Time // up to when the sources were complete; zero before it is known
	Reason string    // of FAILED: an errcodes.Code

	FileSize   int64  // of COMPLETED: the file's bytes
	FileSHA256 string // of COMPLETED: in hexadecimal
}

// ReportChange is one write: everything in it is stored, or nothing.
type ReportChange struct {
	// Job is the new state. Its Version is the one that the caller read, 0 for a
	// new job; the store keeps Version + 1.
	Job ReportJob
	// Events and Work become claimable with the change, never before.
	Events []Event
	Work   []WorkItem
	Audit  []AuditRow // a row for each act, see [Audit]
}

// ReportStore keeps report jobs.
type ReportStore interface {
	// Save stores the change if the stored version is still Job.Version, else it
	// is errcodes.Conflict and nothing is stored. So is a new job whose ID is
	// taken, by any owner, and any change of one that has ended. Times are kept
	// to the millisecond. Nothing of the change is kept by reference.
	//
	// When it cannot be known whether the change was stored, the error is
	// errcodes.OutcomeUnknown. A store that is full or busy answers
	// errcodes.StorageUnavailable, and nothing is stored.
	Save(ctx context.Context, change ReportChange) error

	// Report gives the owner's job. An unknown id, or another owner's, is
	// errcodes.NotFound.
	Report(ctx context.Context, owner, id string) (ReportJob, error)

	// ClaimReport takes up a running job that nobody has, or whose lease has run
	// out at now: the one created first. It sets Holder, LeaseUntil to now +
	// lease, StartedAt if it is zero, counts Attempts and the version, and gives
	// the job so. Of those who claim at once, each gets another. None is
	// errcodes.NotFound. Whoever holds it extends the lease by Save. A lease that
	// is not above 0 is errcodes.InvalidRequest. An error of unknown outcome gives
	// no job: if one was taken, its lease runs out by itself.
	ClaimReport(ctx context.Context, holder string, now time.Time, lease time.Duration) (ReportJob, error)

	// ExpiredReports lists ended jobs of any owner with EndedAt at or before the
	// instant, in its order, then by ID; limit is 1 to [MaxSmallPage].
	ExpiredReports(ctx context.Context, before time.Time, limit int) ([]ReportJob, error)

	// RemoveReport removes an ended job; one that is unknown is no error, one
	// that runs errcodes.Conflict. After errcodes.OutcomeUnknown it may be done
	// again.
	RemoveReport(ctx context.Context, owner, id string) error
}
