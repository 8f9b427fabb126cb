package httpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation/market"
)

// Authenticator is implemented by package clientauth.
type Authenticator interface {
	// Issue returns an access token for a client's credentials, and how long it is
	// valid. Wrong credentials are [errcodes.TokenInvalidCredentials].
	Issue(ctx context.Context, clientID, clientSecret string) (token string, expiresIn time.Duration, err error)

	// Verify returns the client of the credentials that Issue accepts. Wrong ones are
	// [errcodes.TokenInvalidCredentials].
	Verify(ctx context.Context, clientID, clientSecret string) (ports.Client, error)

	// Revoke ends a token of the client. Nothing happens, and the error is nil, if the
	// token is unknown or another client's.
	Revoke(ctx context.Context, clientID, token string) error

	// Active returns [errcodes.Unauthorized] if what was made for the client at since,
	// such as a link, has ended with the client.
	Active(ctx context.Context, clientID string, since time.Time) error

	// Authenticate returns the client of a bearer token. An invalid token is
	// [errcodes.Unauthorized]; any other error is answered with its own status.
	Authenticate(ctx context.Context, token string) (ports.Client, error)
}

// RateLocks is implemented by package ratelock.
type RateLocks interface {
	// Create mints a lock, or returns the newest of the two live ones.
	Create(ctx context.Context, owner string, pair ports.Pair) (lock ports.RateLock, minted bool, err error)
	// Get returns the owner's lock, or [errcodes.NotFound].
	Get(ctx context.Context, owner, id string) (ports.RateLock, error)
	// Cancel ends the owner's lock. A lock that has ended is returned unchanged.
	Cancel(ctx context.Context, owner, id string) (ports.RateLock, error)
}

// Validations is implemented by package validation.
type Validations interface {
	// Validate returns the result, or a pending validation after two seconds.
	Validate(ctx context.Context, owner string, req market.Request) (ports.Validation, error)
	// Get returns the owner's validation, or [errcodes.NotFound].
	Get(ctx context.Context, owner, id string) (ports.Validation, error)
}

// Transactions is implemented by package authstate.
type Transactions interface {
	// Get returns the owner's transaction, or [errcodes.NotFound].
	Get(ctx context.Context, owner, id string) (ports.Transaction, error)
}

// Reports is implemented by package report.
type Reports interface {
	ReportJobs
	ReportResults
}

// ReportJobs creates and returns report jobs.
type ReportJobs interface {
	// CreateTransactions and CreateUnmatched create a report and return its job.
	CreateTransactions(ctx context.Context, owner string, r report.Request) (ports.ReportJob, error)
	CreateUnmatched(ctx context.Context, owner string, r report.Request) (ports.ReportJob, error)
	// Get returns the owner's report, or [errcodes.NotFound].
	Get(ctx context.Context, owner, id string) (ports.ReportJob, error)
}

// ReportResults returns the content of completed reports.
type ReportResults interface {
	// Rows returns the rows of a completed report if they are few.
	Rows(ctx context.Context, owner, id string) (rows []json.RawMessage, few bool, err error)
	// LinkToken returns a new token for a link to a completed report's file.
	LinkToken(ctx context.Context, owner, id string) (token string, expires time.Time, err error)
	// OpenLink opens the file of a token, with its Owner and LinkedAt. An invalid token
	// is [errcodes.NotFound].
	OpenLink(ctx context.Context, token string) (report.File, error)
}

// Services are the services of the routes. The routes of a nil service are unknown
// paths, still after the same 401.
type Services struct {
	RateLocks    RateLocks
	Validations  Validations
	Transactions Transactions
	Reports      Reports
}
