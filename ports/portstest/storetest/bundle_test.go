package storetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/corridor-go/corridor/adapters/memory"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

// bundle is a correct store whose methods a flaw can replace.
type bundle struct {
	locks   lockMethods
	outbox  outboxMethods
	work    workMethods
	clients clientMethods
	tokens  tokenMethods

	letters      letterMethods
	validations  validationMethods
	transactions transactionMethods
	reports      reportMethods
	answers      answerMethods
	secret       func(context.Context, string, []byte) ([]byte, error)
	audit        func(context.Context, int64, int) ([]ports.AuditRow, error)

	close  func() error
	reopen func() storetest.Store
	lose   func()
	fill   func() func()

	faults map[string]error
}

type lockMethods struct {
	book func(context.Context, ports.BookKey) (ports.Book, error)
	save func(context.Context, ports.RateLockChange) error
	lock func(context.Context, string, string) (ports.RateLock, ports.Book, error)
	list func(context.Context, ports.LockQuery) ([]ports.RateLock, error)
}

type outboxMethods struct {
	claim func(context.Context, time.Time, time.Duration, int) ([]ports.Event, error)
	ack   func(context.Context, ports.Event) error
	retry func(context.Context, ports.Event, time.Time) error
	bury  func(context.Context, ports.Event, string) error
}

type letterMethods struct {
	buried  func(context.Context, int64, int) ([]ports.BuriedEvent, error)
	replay  func(context.Context, time.Time, ports.AuditRow, ...string) (int, error)
	discard func(context.Context, ports.AuditRow, ...string) (int, error)
}

type workMethods struct {
	claim func(context.Context, string, time.Time, time.Duration, int) ([]ports.WorkItem, error)
	done  func(context.Context, ports.WorkItem) error
	retry func(context.Context, ports.WorkItem, time.Time) error
	bury  func(context.Context, ports.WorkItem, string) error
}

type clientMethods struct {
	client func(context.Context, string) (ports.Client, error)
	put    func(context.Context, ports.Client, ports.AuditRow) error
}

type tokenMethods struct {
	put       func(context.Context, ports.Token, int) error
	token     func(context.Context, [32]byte) (ports.Token, error)
	revoke    func(context.Context, [32]byte, ports.AuditRow) error
	revokeAll func(context.Context, string, ports.AuditRow) (int, error)
	purge     func(context.Context, time.Time, int) (int, error)
}

type validationMethods struct {
	save    func(context.Context, ports.ValidationChange) error
	read    func(context.Context, string, string) (ports.ValidationRecord, error)
	overdue func(context.Context, time.Time, ports.Pos, int) ([]ports.ValidationRecord, error)
	purge   func(context.Context, time.Time, int) (int, error)
}

type transactionMethods struct {
	save func(context.Context, ports.TransactionChange) error
	read func(context.Context, string, string) (ports.Transaction, error)
}

type reportMethods struct {
	save    func(context.Context, ports.ReportChange) error
	read    func(context.Context, string, string) (ports.ReportJob, error)
	claim   func(context.Context, string, time.Time, time.Duration) (ports.ReportJob, error)
	expired func(context.Context, time.Time, int) ([]ports.ReportJob, error)
	remove  func(context.Context, string, string) error
}

type answerMethods struct {
	answer  func(context.Context, [32]byte) (ports.CachedAnswer, error)
	put     func(context.Context, ports.CachedAnswer) error
	claim   func(context.Context, [32]byte, string, time.Time, time.Time) (bool, error)
	release func(context.Context, [32]byte, string) error
	purge   func(context.Context, time.Time, int) (int, error)
}

// newBundle opens a correct store. It simulates a durable one: reopening returns
// the same store.
func newBundle(tb testing.TB) *bundle {
	tb.Helper()
	b := &bundle{faults: map[string]error{}}
	store, err := memory.New(&memory.Config{Faults: b.fault})
	if err != nil {
		tb.Fatalf("memory.New: %v", err)
	}
	rl, ob, wk, cl, tk := store.RateLocks(), store.Outbox(), store.Work(), store.Clients(), store.Tokens()
	b.locks = lockMethods{rl.Book, rl.Save, rl.Lock, rl.List}
	b.outbox = outboxMethods{ob.Claim, ob.Ack, ob.Retry, ob.Bury}
	b.work = workMethods{wk.Claim, wk.Done, wk.Retry, wk.Bury}
	b.clients = clientMethods{cl.Client, cl.PutClient}
	b.tokens = tokenMethods{tk.PutToken, tk.Token, tk.Revoke, tk.RevokeAll, tk.PurgeTokens}
	dl, tr := store.DeadLetters(), store.Transactions()
	b.letters = letterMethods{dl.Buried, dl.Replay, dl.Discard}
	b.transactions = transactionMethods{tr.Save, tr.Transaction}
	re := store.Reports()
	b.reports = reportMethods{re.Save, re.Report, re.ClaimReport, re.ExpiredReports, re.RemoveReport}
	va, an := store.Validations(), store.Answers()
	b.validations = validationMethods{va.Save, va.Validation, va.Overdue, va.PurgeValidations}
	b.answers = answerMethods{an.Answer, an.PutAnswer, an.Claim, an.Release, an.PurgeAnswers}
	b.secret, b.audit = store.Secrets().Secret, store.AuditRows
	b.close, b.reopen = store.Close, b.store
	b.lose = func() { b.faults[memory.AfterCommit] = errcodes.New(errcodes.OutcomeUnknown, "") }
	b.fill = func() func() {
		b.faults[memory.BeforeCommit] = errcodes.New(errcodes.StorageUnavailable, "")
		return func() { delete(b.faults, memory.BeforeCommit) }
	}
	return b
}

// fault returns the error for a point of failure; a lost acknowledgement happens once.
func (b *bundle) fault(point string) error {
	err := b.faults[point]
	if errcodes.Of(err) == errcodes.OutcomeUnknown {
		delete(b.faults, point)
	}
	return err
}

func (b *bundle) store() storetest.Store {
	return storetest.Store{
		RateLocks: locks{b}, Outbox: outbox{b}, Work: work{b}, Clients: clients{b}, Tokens: tokens{b},
		DeadLetters: letters{b}, Validations: validations{b}, Transactions: transactions{b}, Reports: reports{b},
		Answers: answers{b}, Secrets: secrets{b},
		AuditRows: func(ctx context.Context, after int64, limit int) ([]ports.AuditRow, error) {
			return b.audit(ctx, after, limit)
		},
		Close: b.close, Reopen: b.reopen, LoseNextCommit: b.lose, Fill: b.fill,
	}
}

type locks struct{ b *bundle }

func (s locks) Book(ctx context.Context, key ports.BookKey) (ports.Book, error) {
	return s.b.locks.book(ctx, key)
}
func (s locks) Save(ctx context.Context, c ports.RateLockChange) error { return s.b.locks.save(ctx, c) }
func (s locks) Lock(ctx context.Context, owner, id string) (ports.RateLock, ports.Book, error) {
	return s.b.locks.lock(ctx, owner, id)
}
func (s locks) List(ctx context.Context, q ports.LockQuery) ([]ports.RateLock, error) {
	return s.b.locks.list(ctx, q)
}

type outbox struct{ b *bundle }

func (s outbox) Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]ports.Event, error) {
	return s.b.outbox.claim(ctx, now, lease, n)
}
func (s outbox) Ack(ctx context.Context, e ports.Event) error { return s.b.outbox.ack(ctx, e) }
func (s outbox) Retry(ctx context.Context, e ports.Event, at time.Time) error {
	return s.b.outbox.retry(ctx, e, at)
}
func (s outbox) Bury(ctx context.Context, e ports.Event, reason string) error {
	return s.b.outbox.bury(ctx, e, reason)
}

type letters struct{ b *bundle }

func (s letters) Buried(ctx context.Context, after int64, limit int) ([]ports.BuriedEvent, error) {
	return s.b.letters.buried(ctx, after, limit)
}
func (s letters) Replay(ctx context.Context, now time.Time, audit ports.AuditRow, ids ...string) (int, error) {
	return s.b.letters.replay(ctx, now, audit, ids...)
}
func (s letters) Discard(ctx context.Context, audit ports.AuditRow, ids ...string) (int, error) {
	return s.b.letters.discard(ctx, audit, ids...)
}

type work struct{ b *bundle }

func (s work) Claim(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
	return s.b.work.claim(ctx, kind, now, lease, n)
}
func (s work) Done(ctx context.Context, w ports.WorkItem) error { return s.b.work.done(ctx, w) }
func (s work) Retry(ctx context.Context, w ports.WorkItem, at time.Time) error {
	return s.b.work.retry(ctx, w, at)
}
func (s work) Bury(ctx context.Context, w ports.WorkItem, reason string) error {
	return s.b.work.bury(ctx, w, reason)
}

type clients struct{ b *bundle }

func (s clients) Client(ctx context.Context, id string) (ports.Client, error) {
	return s.b.clients.client(ctx, id)
}
func (s clients) PutClient(ctx context.Context, c ports.Client, audit ports.AuditRow) error {
	return s.b.clients.put(ctx, c, audit)
}

type tokens struct{ b *bundle }

func (s tokens) PutToken(ctx context.Context, v ports.Token, keep int) error {
	return s.b.tokens.put(ctx, v, keep)
}
func (s tokens) Token(ctx context.Context, h [32]byte) (ports.Token, error) {
	return s.b.tokens.token(ctx, h)
}
func (s tokens) Revoke(ctx context.Context, h [32]byte, audit ports.AuditRow) error {
	return s.b.tokens.revoke(ctx, h, audit)
}
func (s tokens) RevokeAll(ctx context.Context, clientID string, audit ports.AuditRow) (int, error) {
	return s.b.tokens.revokeAll(ctx, clientID, audit)
}
func (s tokens) PurgeTokens(ctx context.Context, before time.Time, n int) (int, error) {
	return s.b.tokens.purge(ctx, before, n)
}

type validations struct{ b *bundle }

func (s validations) Save(ctx context.Context, c ports.ValidationChange) error {
	return s.b.validations.save(ctx, c)
}
func (s validations) Validation(ctx context.Context, owner, id string) (ports.ValidationRecord, error) {
	return s.b.validations.read(ctx, owner, id)
}
func (s validations) Overdue(ctx context.Context, by time.Time, after ports.Pos, limit int) ([]ports.ValidationRecord, error) {
	return s.b.validations.overdue(ctx, by, after, limit)
}
func (s validations) PurgeValidations(ctx context.Context, before time.Time, n int) (int, error) {
	return s.b.validations.purge(ctx, before, n)
}

type transactions struct{ b *bundle }

func (s transactions) Save(ctx context.Context, c ports.TransactionChange) error {
	return s.b.transactions.save(ctx, c)
}
func (s transactions) Transaction(ctx context.Context, owner, id string) (ports.Transaction, error) {
	return s.b.transactions.read(ctx, owner, id)
}

type reports struct{ b *bundle }

func (s reports) Save(ctx context.Context, c ports.ReportChange) error {
	return s.b.reports.save(ctx, c)
}
func (s reports) Report(ctx context.Context, owner, id string) (ports.ReportJob, error) {
	return s.b.reports.read(ctx, owner, id)
}
func (s reports) ClaimReport(ctx context.Context, holder string, now time.Time, lease time.Duration) (ports.ReportJob, error) {
	return s.b.reports.claim(ctx, holder, now, lease)
}
func (s reports) ExpiredReports(ctx context.Context, before time.Time, limit int) ([]ports.ReportJob, error) {
	return s.b.reports.expired(ctx, before, limit)
}
func (s reports) RemoveReport(ctx context.Context, owner, id string) error {
	return s.b.reports.remove(ctx, owner, id)
}

type answers struct{ b *bundle }

func (s answers) Answer(ctx context.Context, key [32]byte) (ports.CachedAnswer, error) {
	return s.b.answers.answer(ctx, key)
}
func (s answers) PutAnswer(ctx context.Context, a ports.CachedAnswer) error {
	return s.b.answers.put(ctx, a)
}
func (s answers) Claim(ctx context.Context, key [32]byte, holder string, now, until time.Time) (bool, error) {
	return s.b.answers.claim(ctx, key, holder, now, until)
}
func (s answers) Release(ctx context.Context, key [32]byte, holder string) error {
	return s.b.answers.release(ctx, key, holder)
}
func (s answers) PurgeAnswers(ctx context.Context, before time.Time, n int) (int, error) {
	return s.b.answers.purge(ctx, before, n)
}

type secrets struct{ b *bundle }

func (s secrets) Secret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	return s.b.secret(ctx, name, fresh)
}
