package memory

import (
	"github.com/corridor-go/corridor/errcodes"
)

var (
	errClosed     = errcodes.New(errcodes.Closed, "The store is closed")
	errStaleClaim = errcodes.New(errcodes.Conflict, "The claim is no longer the latest")

	errBookChanged = errcodes.New(errcodes.Conflict, "The book has changed since it was read")
	errLockEnded   = errcodes.New(errcodes.Conflict, "A lock that the change ends is not active")
	errIDTaken     = errcodes.New(errcodes.Conflict, "An id of the change is taken")

	errValidationChanged = errcodes.New(errcodes.Conflict, "The validation has changed since it was read, has ended, or an id of the change is taken")
	errNoValidation      = errcodes.New(errcodes.NotFound, "No such validation")
	errNoAnswer          = errcodes.New(errcodes.NotFound, "No cached answer for this account")

	errTransactionChanged = errcodes.New(errcodes.Conflict, "The transaction has changed since it was read, has ended, or an id of the change is taken")
	errNoTransaction      = errcodes.New(errcodes.NotFound, "No such transaction")

	errReportChanged = errcodes.New(errcodes.Conflict, "The report has changed since it was read, has ended, or an id of the change is taken")
	errReportRuns    = errcodes.New(errcodes.Conflict, "The report is still running")
	errNoReport      = errcodes.New(errcodes.NotFound, "No such report")
	errNoJob         = errcodes.New(errcodes.NotFound, "No report job is waiting")
)
