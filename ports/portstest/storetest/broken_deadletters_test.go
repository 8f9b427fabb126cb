package storetest_test

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/storetest"
)

const (
	nothingBuried  = "only buried events are listed"
	buriedFields   = "a buried event is listed as it was claimed, with its reason"
	buriedBytes    = "data and reasons of any bytes are listed unchanged"
	buriedOrder    = "buried events of every owner are listed in the order of their saves"
	buriedPaged    = "Buried pages without a gap or a repeat"
	buriedGone     = "a page continues even if the last event of the previous page was removed"
	buriedAliased  = "changing a listed event does not change the store"
	buriedLimit    = "a page of buried events is 1 to 1,000"
	buriedReopened = "a reopened store has its buried events"
)

type buriedFunc = func(ctx context.Context, after int64, limit int) ([]ports.BuriedEvent, error)

// listsBuried replaces Buried with fn.
func listsBuried(fn func(ctx context.Context, list buriedFunc, after int64, limit int) ([]ports.BuriedEvent, error)) func(b *bundle) {
	return func(b *bundle) {
		list := b.letters.buried
		b.letters.buried = func(ctx context.Context, after int64, limit int) ([]ports.BuriedEvent, error) {
			return fn(ctx, list, after, limit)
		}
	}
}

// onBuried lets fn change what Buried returns.
func onBuried(fn func(page []ports.BuriedEvent) []ports.BuriedEvent) func(b *bundle) {
	return listsBuried(func(ctx context.Context, list buriedFunc, after int64, limit int) ([]ports.BuriedEvent, error) {
		page, err := list(ctx, after, limit)
		return fn(page), err
	})
}

func eachBuried(fn func(e *ports.BuriedEvent)) func(b *bundle) {
	return onBuried(func(page []ports.BuriedEvent) []ports.BuriedEvent {
		for i := range page {
			fn(&page[i])
		}
		return page
	})
}

// asksBuried lets fn change the arguments of Buried.
func asksBuried(fn func(after *int64, limit *int)) func(b *bundle) {
	return listsBuried(func(ctx context.Context, list buriedFunc, after int64, limit int) ([]ports.BuriedEvent, error) {
		fn(&after, &limit)
		return list(ctx, after, limit)
	})
}

// listsRetried also lists retried events as buried.
func listsRetried(b *bundle) {
	var stray []ports.BuriedEvent
	retry := b.outbox.retry
	b.outbox.retry = func(ctx context.Context, e ports.Event, at time.Time) error {
		stray = append(stray, ports.BuriedEvent{Event: e, Pos: 1})
		return retry(ctx, e, at)
	}
	onBuried(func(page []ports.BuriedEvent) []ports.BuriedEvent { return append(page, stray...) })(b)
}

// ordersByBurial lists events in the order of their burial.
func ordersByBurial(b *bundle) {
	rank := map[string]int{}
	bury := b.outbox.bury
	b.outbox.bury = func(ctx context.Context, e ports.Event, reason string) error {
		rank[e.ID] = len(rank)
		return bury(ctx, e, reason)
	}
	onBuried(func(page []ports.BuriedEvent) []ports.BuriedEvent {
		slices.SortFunc(page, func(x, y ports.BuriedEvent) int { return cmp.Compare(rank[x.ID], rank[y.ID]) })
		return page
	})(b)
}

// pagesByOffset skips as many events as it has listed before.
func pagesByOffset(b *bundle) {
	given := 0
	listsBuried(func(ctx context.Context, list buriedFunc, after int64, limit int) ([]ports.BuriedEvent, error) {
		all, err := list(ctx, 0, 1000)
		if after == 0 {
			given = 0
		}
		page := all[min(given, len(all)):min(given+limit, len(all))]
		given += len(page)
		return page, err
	})(b)
}

// pagesByTheLast looks for the last event of the previous page.
func pagesByTheLast(b *bundle) {
	listsBuried(func(ctx context.Context, list buriedFunc, after int64, limit int) ([]ports.BuriedEvent, error) {
		all, err := list(ctx, 0, 1000)
		there := slices.ContainsFunc(all, func(e ports.BuriedEvent) bool { return e.Pos == after })
		if err != nil || after != 0 && !there {
			return nil, err
		}
		return list(ctx, after, limit)
	})(b)
}

var buriedFlaws = []flawedStore{
	{"does not find buried events", nothingBuried, listsBuried(func(ctx context.Context, list buriedFunc, after int64, limit int) ([]ports.BuriedEvent, error) {
		page, err := list(ctx, after, limit)
		if len(page) == 0 && err == nil {
			return nil, errcodes.New(errcodes.NotFound, "")
		}
		return page, err
	})},
	{"lists retried events", nothingBuried, listsRetried},
	{"forgets the owner", buriedFields, eachBuried(func(e *ports.BuriedEvent) { e.Owner = "acme" })},
	{"forgets the kind", buriedFields, eachBuried(func(e *ports.BuriedEvent) { e.Kind = "" })},
	{"keeps seconds", buriedFields, eachBuried(func(e *ports.BuriedEvent) { e.At = e.At.Truncate(1e9) })},
	{"forgets the attempts", buriedFields, eachBuried(func(e *ports.BuriedEvent) { e.Attempt = 1 })},
	{"forgets the reason", buriedFields, eachBuried(func(e *ports.BuriedEvent) { e.Reason = "" })},
	{"counts positions from 0", buriedFields, eachBuried(func(e *ports.BuriedEvent) { e.Pos-- })},
	{"lets a listed event be settled", buriedFields, takesStale},
	{"repairs ill text in reasons", buriedBytes, eachBuried(func(e *ports.BuriedEvent) { e.Reason = strings.ToValidUTF8(e.Reason, "\ufffd") })},
	{"stops at a NUL in reasons", buriedBytes, eachBuried(func(e *ports.BuriedEvent) { e.Reason, _, _ = strings.Cut(e.Reason, "\x00") })},
	{"keeps 255 bytes of a reason", buriedBytes, eachBuried(func(e *ports.BuriedEvent) { e.Reason = e.Reason[:min(len(e.Reason), 255)] })},
	{"trims reasons", buriedBytes, eachBuried(func(e *ports.BuriedEvent) { e.Reason = strings.TrimSpace(e.Reason) })},
	{"repairs ill text in data", buriedBytes, eachBuried(func(e *ports.BuriedEvent) { e.Data = bytes.ToValidUTF8(e.Data, []byte("\ufffd")) })},
	{"lists by the order of burials", buriedOrder, ordersByBurial},
	{"lists by id", buriedOrder, onBuried(func(page []ports.BuriedEvent) []ports.BuriedEvent {
		slices.SortFunc(page, func(x, y ports.BuriedEvent) int { return strings.Compare(x.ID, y.ID) })
		return page
	})},
	{"lists one owner's events", buriedOrder, onBuried(func(page []ports.BuriedEvent) []ports.BuriedEvent {
		return slices.DeleteFunc(page, func(e ports.BuriedEvent) bool { return e.Owner != page[0].Owner })
	})},
	{"uses one position for all events", buriedOrder, eachBuried(func(e *ports.BuriedEvent) { e.Pos = 1 })},
	{"lists one more", buriedPaged, asksBuried(func(_ *int64, limit *int) { *limit++ })},
	{"repeats the last event of the previous page", buriedPaged, asksBuried(func(after *int64, _ *int) { *after-- })},
	{"skips an event between pages", buriedPaged, asksBuried(func(after *int64, _ *int) {
		if *after > 0 {
			*after++
		}
	})},
	{"starts every page at the beginning", buriedPaged, asksBuried(func(after *int64, _ *int) { *after = 0 })},
	{"pages by offset", buriedGone, pagesByOffset},
	{"requires the last event of the previous page", buriedGone, pagesByTheLast},
	{"lists its stored bytes", buriedAliased, func(b *bundle) {
		kept := map[string][]byte{}
		eachBuried(func(e *ports.BuriedEvent) {
			if kept[e.ID] == nil {
				kept[e.ID] = e.Data
			}
			e.Data = kept[e.ID]
		})(b)
	}},
	{"accepts every limit", buriedLimit, asksBuried(func(_ *int64, limit *int) { *limit = max(1, min(*limit, 1000)) })},
	{"rejects a limit of 1,000", buriedLimit, asksBuried(func(_ *int64, limit *int) { *limit += min(1, *limit/1000) })},
}

var deadLetterOutcomeFlaws = append(commonFlaws("a done context returns its code and changes nothing"),
	flawedStore{"lists with a done context", "a done context returns its code and changes nothing",
		listsBuried(func(ctx context.Context, list buriedFunc, after int64, limit int) ([]ports.BuriedEvent, error) {
			return list(context.WithoutCancel(ctx), after, limit)
		})},
	flawedStore{"forgets buried events", buriedReopened, forgets},
	flawedStore{"keeps reasons in memory", buriedReopened, func(b *bundle) {
		lost := false
		eachBuried(func(e *ports.BuriedEvent) {
			if lost {
				e.Reason = ""
			}
		})(b)
		reopen := b.reopen
		b.reopen = func() storetest.Store { lost = true; return reopen() }
	}},
	flawedStore{"restarts positions after reopening", buriedReopened, func(b *bundle) {
		var shift int64
		eachBuried(func(e *ports.BuriedEvent) { e.Pos += shift })(b)
		reopen := b.reopen
		b.reopen = func() storetest.Store { shift++; return reopen() }
	}},
)
