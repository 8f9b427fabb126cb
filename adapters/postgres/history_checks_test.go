package postgres_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// historyFaults returns faults of a history that no order of its steps can explain. It
// shares nothing with the model, so that each checks the other.
func historyFaults(ops []lockOp) []string {
	var f []string
	f = append(f, unsoundAnswers(ops)...)
	f = append(f, changedLocks(ops)...)
	f = append(f, revivedLocks(ops)...)
	return append(f, idsMintedTwice(ops)...)
}

func unsoundAnswers(ops []lockOp) (f []string) {
	for i := range ops {
		o := &ops[i]
		switch {
		case o.Code != "":
			f = append(f, fmt.Sprintf("%s failed: %s", o.Kind, o.Code))
		case errcodes.Of(o.Lock.Check()) != "":
			f = append(f, fmt.Sprintf("I6, I7: %s returned an impossible lock: %+v", o.Kind, o.Lock))
		case o.Lock.Book() != o.Book || o.ID != "" && o.Lock.ID != o.ID:
			f = append(f, fmt.Sprintf("I31: %s returned another lock: %+v", o.Kind, o.Lock))
		case o.Kind == opCancel && o.Lock.Status == ports.LockActive:
			f = append(f, "I8: a cancelled lock is active")
		case o.Minted != (o.Kind == opCreate && slices.ContainsFunc(o.Saves, func(s lockSave) bool { return s.Minted == o.Lock.ID })):
			f = append(f, "I3, I32: a create minted and did not say so, or the other way round")
		}
	}
	return f
}

// changedLocks finds locks of which two answers differ (I4, I5, I8).
func changedLocks(ops []lockOp) (f []string) {
	first, ends := map[string]ports.RateLock{}, map[string]ports.RateLock{}
	for i := range ops {
		born := ops[i].Lock
		born.Status, born.CancellationReason, born.EndedAt, born.AsOf = "", "", time.Time{}, time.Time{}
		if was, ok := first[born.ID]; ok && !reflect.DeepEqual(was, born) {
			f = append(f, fmt.Sprintf("I5: %+v became %+v", was, born))
		}
		first[born.ID] = born
		if ops[i].Lock.Status == ports.LockActive {
			continue
		}
		if was, ok := ends[born.ID]; ok && !reflect.DeepEqual(was, ops[i].Lock) {
			f = append(f, fmt.Sprintf("I4: %+v became %+v", was, ops[i].Lock))
		}
		ends[born.ID] = ops[i].Lock
	}
	return f
}

// revivedLocks finds locks that were returned as active after their end was returned, or
// after their book had decided at a later instant than that end (I9).
func revivedLocks(ops []lockOp) (f []string) {
	for i := range ops {
		late := &ops[i]
		if late.Lock.Status != ports.LockActive {
			continue
		}
		for j := range ops {
			early := &ops[j]
			if early.Book != late.Book || early.Return >= late.Call {
				continue
			}
			if early.Lock.ID == late.Lock.ID && early.Lock.Status != ports.LockActive {
				f = append(f, fmt.Sprintf("I9: %s was returned as %s, then as active", late.Lock.ID, early.Lock.Status))
			}
			if !early.AsOf.Before(late.Lock.ExpiresAt) {
				f = append(f, fmt.Sprintf("I9: %s is active by %s, although its book decided at %v by %s", late.Lock.ID, late.Kind, early.AsOf, early.Kind))
			}
		}
	}
	return f
}

// idsMintedTwice finds ids that two saves minted (I13).
func idsMintedTwice(ops []lockOp) (f []string) {
	var ids []string
	for i := range ops {
		for _, s := range ops[i].Saves {
			if s.Minted != "" {
				ids = append(ids, s.Minted)
			}
		}
	}
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			f = append(f, "I13: minted twice: "+ids[i])
		}
	}
	return f
}

// overfullBook replays a book's events in the order of their saves: after each of them
// at most two locks are active, and each lock ends once (I1, I4).
func overfullBook(book ports.BookKey, events []ports.Event) (f []string) {
	state := map[string]string{}
	active := 0
	for i := range events {
		e := &events[i]
		_, what, _ := strings.Cut(e.Kind, ".")
		switch was := state[e.Key]; {
		case what == "minted" && was == "":
			active++
		case what != "minted" && was == "minted":
			active--
		default:
			f = append(f, fmt.Sprintf("I4: %s is %s behind %q", e.Key, what, was))
		}
		state[e.Key] = what
		if active > ports.MaxLiveLocks {
			f = append(f, fmt.Sprintf("I1: %d active locks in %v", active, book))
		}
	}
	return f
}
