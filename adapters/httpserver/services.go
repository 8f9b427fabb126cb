package httpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/report"
	"github.com/corridor-go/corridor/validation/market"
)

// Authenticator is what the handler asks of the package clientauth.
type Authenticator interface {
	// Issue returns an access token for a client's credentials, and its validity.
	// Wrong credentials are errcodes.TokenInvalidCredentials.
	Issue(ctx context.Context, clientID, clientSecret string) (token string, expiresIn time.Duration, err error)

	// Authenticate returns the client of a bearer token. One that is not valid is
	// errcodes.Unauthorized; any other error is no refusal, and shows as what
	// it is.
	Authenticate(ctx context.Context, token string) (ports.Client, error)
}

// RateLocks is what the handler asks of the package ratelock.
type RateLocks interface {
	// Create mints a lock, or returns the freshest of the two that live.
	Create(ctx context.Context, owner string, pair ports.Pair) (lock ports.RateLock, minted bool, err error)
	// Get returns the owner's lock; another's is errcodes.NotFound.
	Get(ctx context.Context, owner, id string) (ports.RateLock, error)
	// Cancel ends the owner's lock, or returns one that has ended as it is.
	Cancel(ctx context.Context, owner, id string) (ports.RateLock, error)
}

// Validations is what the handler asks of the package validation.
type Validations interface {
	// Validate returns the result, or a pending validation after two seconds.
	Validate(ctx context.Context, owner string, req market.Request) (ports.Validation, error)
	// Get returns the owner's validation; another's is errcodes.NotFound.
	Get(ctx context.Context, owner, id string) (ports.Validation, error)
}

// Transactions is what the handler asks of the package authstate.
type Transactions interface {
	// Get returns the owner's transaction; another's is errcodes.NotFound.
	Get(ctx context.Context, owner, id string) (ports.Transaction, error)
}

// Reports is what the handler asks of the package report.
type Reports interface {
	ReportJobs
	ReportResults
}

// ReportJobs are reports being made.
type ReportJobs interface {
	// CreateTransactions and CreateUnmatched ask for a report, and return its job.
	CreateTransactions(ctx context.Context, owner string, r report.Request) (ports.ReportJob, error)
	CreateUnmatched(ctx context.Context, owner string, r report.Request) (ports.ReportJob, error)
	// Get returns the owner's report; another's is errcodes.NotFound.
	Get(ctx context.Context, owner, id string) (ports.ReportJob, error)
}

// ReportResults are what completed reports hold.
type ReportResults interface {
	// Rows returns the rows of a completed report, if they are few.
	Rows(ctx context.Context, owner, id string) (rows []json.RawMessage, few bool, err error)
	// LinkToken returns a new token for a link to a completed report's file.
	LinkToken(ctx context.Context, owner, id string) (token string, expires time.Time, err error)
	// OpenLink opens the file of a token; an invalid one is errcodes.NotFound.
	OpenLink(ctx context.Context, token string) (report.File, error)
}

// Services are what stands behind the routes. A nil one leaves its routes out:
// they are unknown paths then, and still behind the same 401.
type Services struct {
	RateLocks    RateLocks
	Validations  Validations
	Transactions Transactions
	Reports      Reports
}
