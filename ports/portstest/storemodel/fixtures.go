package storemodel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

var (
	// Epoch is the time at which every record begins.
	Epoch = time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)
	// USDZAR is the pair of every lock.
	USDZAR = ports.Pair{Base: "USD", Quote: "ZAR"}
)

// ActiveLock returns an unsaved lock that lasts a day.
func ActiveLock(owner, id string, created time.Time) ports.RateLock {
	return ports.RateLock{
		ID: id, Owner: owner, Base: USDZAR.Base, Quote: USDZAR.Quote,
		MidRate: "18.2500", MarkupBps: 150, AllInRate: "18.52375",
		MidSource: "ecb", MidAt: created.Add(-time.Minute), ToleranceBps: 200,
		CreatedAt: created, ExpiresAt: created.Add(24 * time.Hour), Status: ports.LockActive,
	}
}

// Mint adds a lock to its book and saves it with an event.
func Mint(b ports.Book, l ports.RateLock) ports.RateLockChange {
	b.HighWater = l.CreatedAt
	b.Slots[len(b.Live())] = l
	return ports.RateLockChange{Book: b, Minted: &l, Events: []ports.Event{MintedEvent(l)}}
}

// MintedEvent returns the event of a minted lock.
func MintedEvent(l ports.RateLock) ports.Event {
	return ports.Event{
		ID: "ev_" + l.ID, Kind: "rate_lock.minted", Key: l.ID, Owner: l.Owner, At: l.CreatedAt,
		Data: []byte(`{"rateLockId":"` + l.ID + `"}`),
	}
}

// KeyOf returns the key of the owner's book of USDZAR.
func KeyOf(owner string) ports.BookKey { return ports.BookKey{Owner: owner, Pair: USDZAR} }

// AuditRow is a row for writes whose audit row does not matter.
var AuditRow = ports.AuditRow{At: Epoch, Act: "test.write"}

// PendingValidation returns an unsaved validation.
func PendingValidation(owner, id string) ports.ValidationRecord {
	return ports.ValidationRecord{
		ID: id, Owner: owner, MerchantID: "m-1", Market: ports.Market{Country: "NGA", Type: ports.BankAccount},
		BankCode: "058", Status: ports.StatusPending, Provider: "paystack", Tables: "2026-11",
		CreatedAt: Epoch, Deadline: Epoch.Add(30 * time.Second), PurgeAt: Epoch.AddDate(0, 0, 30),
		Sealed: ports.Sealed{KeyID: "k1", Data: []byte("sealed of " + id)},
	}
}

// EndedValidation returns r ended by a provider's answer.
func EndedValidation(r ports.ValidationRecord, status ports.ValidationStatus) ports.ValidationRecord {
	r.Status, r.Type, r.Outcome, r.EndedAt = status, ports.External, ports.OutcomeFound, Epoch.Add(time.Second)
	r.NameRule, r.NameScore = "tokens", 91
	r.ExpiresAt = Epoch.AddDate(0, 0, 1)
	r.Sealed.Data = append(slices.Clone(r.Sealed.Data), " "+status...)
	return r
}

// Ends are the statuses that end a validation.
var Ends = []ports.ValidationStatus{ports.StatusVerified, ports.StatusNameMismatch, ports.StatusNotFound, ports.StatusError}

// ValidationOf returns a change with an event and a work item, whose ids contain
// the record's state.
func ValidationOf(r ports.ValidationRecord) ports.ValidationChange {
	id := fmt.Sprint(r.ID, " ", r.Version, " ", r.Status)
	return ports.ValidationChange{
		Record: r,
		Events: []ports.Event{{ID: id, Kind: "validation", Key: r.ID, Owner: r.Owner, At: Epoch, Data: []byte("{}")}},
		Work:   []ports.WorkItem{{ID: id, Kind: "validation", DueAt: Epoch}},
	}
}

// PendingTransaction returns an unsaved transaction.
func PendingTransaction(owner, id string) ports.Transaction {
	return ports.Transaction{
		ID: id, Owner: owner, Direction: errcodes.Payin, Status: ports.TransactionPending,
		CreatedAt: Epoch, RespondBy: Epoch.Add(time.Minute),
	}
}

// FailedTransaction returns t ended by a provider's answer.
func FailedTransaction(t ports.Transaction) ports.Transaction {
	t.Status, t.Code, t.EndedAt = ports.TransactionFailed, errcodes.FailureDeclined, Epoch.Add(time.Second)
	t.Raw, t.Scheme, t.Tables = ports.RawFailure{Code: "51", Message: "said of " + t.ID}, "iso8583", "2026-11"
	return t
}

// LandedTransaction returns t with a late payment.
func LandedTransaction(t ports.Transaction) ports.Transaction {
	t.LateAt, t.LateRaw = Epoch.Add(time.Hour), ports.RawFailure{Code: "00", Message: "landed"}
	return t
}

// TransactionOf returns a change with an event.
func TransactionOf(t ports.Transaction) ports.TransactionChange {
	id := fmt.Sprint("ev_", t.ID, " ", t.Status, " ", t.Version)
	return ports.TransactionChange{Transaction: t, Events: []ports.Event{
		{ID: id, Kind: "transaction.updated", Key: t.ID, Owner: t.Owner, At: Epoch, Data: []byte("{}")},
	}}
}

// RunningReport returns an unsaved report job.
func RunningReport(owner, id string) ports.ReportJob {
	day := Epoch.Truncate(24 * time.Hour)
	return ports.ReportJob{
		ID: id, Owner: owner, Kind: ports.ReportTransactions, Status: ports.ReportRunning,
		Request: ports.ReportRequest{
			MerchantID: "m_1", Name: "sales", From: day.AddDate(0, 0, -7), To: day, Format: "csv",
			Columns: []string{"transactionId", "amount"}, Filters: []ports.Filter{{Column: "status", OneOf: []string{"FAILED"}}},
		},
		CreatedAt: Epoch, UpdatedAt: Epoch, Total: -1,
	}
}

// CompletedReport returns j completed with a file.
func CompletedReport(j ports.ReportJob) ports.ReportJob {
	j.Status, j.EndedAt, j.UpdatedAt = ports.ReportCompleted, Epoch.Add(time.Hour), Epoch.Add(time.Hour)
	j.Rows, j.Total, j.AsOf, j.FileSize, j.FileSHA256 = 7, 7, Epoch, 700, strings.Repeat("0f", 32)
	return j
}

// FailedReport returns j failed.
func FailedReport(j ports.ReportJob) ports.ReportJob {
	j.Status, j.EndedAt, j.Reason = ports.ReportFailed, Epoch.Add(time.Hour), string(errcodes.Internal)
	return j
}

// BeatenReport returns j after a heartbeat of its holder.
func BeatenReport(j ports.ReportJob) ports.ReportJob {
	j.Rows, j.UpdatedAt, j.LeaseUntil = j.Rows+1, j.UpdatedAt.Add(time.Second), Epoch.Add(2*time.Minute)
	return j
}

// ReportOf returns a change with an event.
func ReportOf(j ports.ReportJob) ports.ReportChange {
	id := fmt.Sprint("ev_", j.ID, " ", j.Status, " ", j.Version)
	return ports.ReportChange{Job: j, Events: []ports.Event{
		{ID: id, Kind: "report.updated", Key: j.ID, Owner: j.Owner, At: Epoch, Data: []byte("{}")},
	}}
}
