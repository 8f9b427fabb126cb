package memory_test

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// drawHour draws instants in the same minute and in different minutes.
func drawHour(t *rapid.T, label string) time.Time {
	return start.Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, label))*time.Hour + time.Duration(rapid.IntRange(-2, 2).Draw(t, label+" ms"))*time.Millisecond)
}

func saveInModel(m map[string]ports.ValidationRecord, v ports.ValidationRecord) errcodes.Code {
	old, known := m[v.ID]
	switch {
	case !known && v.Version != 0:
		return errcodes.Conflict
	case known && (v.Version != old.Version || v.Owner != old.Owner || old.Status.Terminal()):
		return errcodes.Conflict
	}
	v.Version++
	m[v.ID] = v
	return ""
}

func drawValidation(t *rapid.T, m map[string]ports.ValidationRecord) ports.ValidationRecord {
	id := fmt.Sprint("validation-", rapid.IntRange(0, 8).Draw(t, "id"))
	v := ports.ValidationRecord{
		ID: id, Owner: rapid.SampledFrom([]string{"acme", "acme", "ACME"}).Draw(t, "owner"),
		Status:   rapid.SampledFrom([]ports.ValidationStatus{ports.StatusPending, ports.StatusPending, ports.StatusVerified}).Draw(t, "status"),
		Deadline: drawHour(t, "deadline"), PurgeAt: drawHour(t, "purge"),
		Sealed: ports.Sealed{Data: []byte{byte(rapid.IntRange(0, 9).Draw(t, "sealed"))}},
	}
	if v.Version = m[id].Version; rapid.IntRange(0, 5).Draw(t, "stale") == 0 {
		v.Version += int64(rapid.IntRange(-1, 1).Draw(t, "off by"))
	}
	return v
}

func placeOf(v ports.ValidationRecord) string {
	return fmt.Sprintf("%d %s", v.Deadline.UnixMilli(), v.ID)
}

// overdueInModel returns the positions of the overdue validations after a position, in
// order.
func overdueInModel(m map[string]ports.ValidationRecord, by time.Time, after ports.Pos) []string {
	var found []string
	for _, v := range m {
		behind := cmp.Or(v.Deadline.Compare(after.At), strings.Compare(v.ID, after.ID)) > 0
		if v.Status == ports.StatusPending && !v.Deadline.After(by) && behind {
			found = append(found, placeOf(v))
		}
	}
	slices.Sort(found)
	return found
}

func TestValidationsAgreeWithAMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store, m, ctx := newStore(t).Validations(), map[string]ports.ValidationRecord{}, context.Background()
		rt.Repeat(map[string]func(*rapid.T){
			"save": func(rt *rapid.T) {
				v := drawValidation(rt, m)
				agreeOn(rt, "Save", store.Save(ctx, ports.ValidationChange{Record: v}), saveInModel(m, v))
			},
			"overdue": func(rt *rapid.T) {
				by, limit := drawHour(rt, "by"), rapid.IntRange(1, 4).Draw(rt, "limit")
				after := ports.Pos{At: drawHour(rt, "after"), ID: "validation-4"}
				want := overdueInModel(m, by, after)
				page, err := store.Overdue(ctx, by, after, limit)
				var got []string
				for _, v := range page {
					got = append(got, placeOf(v))
				}
				same(rt, err, got, want[:min(limit, len(want))])
			},
			"purge": func(rt *rapid.T) {
				before, n := drawHour(rt, "before"), rapid.IntRange(1, 3).Draw(rt, "n")
				due, gone := 0, 0
				for _, v := range m {
					if v.Status.Terminal() && !v.PurgeAt.After(before) {
						due++
					}
				}
				got, err := store.PurgeValidations(ctx, before, n)
				for id, v := range m { // the store may purge any of them
					_, err := store.Validation(ctx, v.Owner, id)
					if errcodes.Of(err) == errcodes.NotFound && v.Status.Terminal() && !v.PurgeAt.After(before) {
						delete(m, id)
						gone++
					}
				}
				same(rt, err, []int{got, gone}, []int{min(due, n), min(due, n)})
			},
			"": func(rt *rapid.T) {
				for i := range 9 {
					id := fmt.Sprint("validation-", i)
					want, known := m[id]
					got, err := store.Validation(ctx, want.Owner, id)
					if known != (err == nil) || !reflect.DeepEqual(got, want) {
						rt.Fatalf("Validation: %+v %v, want %+v", got, err, want)
					}
				}
			},
		})
	})
}

func TestAnswersAgreeWithAMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cache, m, ctx := newStore(t).Answers(), map[[32]byte]ports.CachedAnswer{}, context.Background()
		draw := func(rt *rapid.T) [32]byte {
			return [32]byte{byte(rapid.IntRange(0, 1).Draw(rt, "shard")), byte(rapid.IntRange(0, 3).Draw(rt, "key"))}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				a := ports.CachedAnswer{Key: draw(rt), At: drawHour(rt, "at"), ExpiresAt: drawHour(rt, "expires")}
				agreeOn(rt, "PutAnswer", cache.PutAnswer(ctx, a), "")
				m[a.Key] = a
			},
			"purge": func(rt *rapid.T) {
				before, n := drawHour(rt, "before"), rapid.IntRange(1, 3).Draw(rt, "n")
				due, gone := 0, 0
				for key, a := range m {
					if a.ExpiresAt.After(before) {
						continue
					}
					due++
					if _, err := cache.Answer(ctx, key); err != nil {
						rt.Fatalf("Answer of a due key before its purge: %v", err)
					}
				}
				got, err := cache.PurgeAnswers(ctx, before, n)
				for key, a := range m {
					if _, err := cache.Answer(ctx, key); err != nil && !a.ExpiresAt.After(before) {
						delete(m, key)
						gone++
					}
				}
				same(rt, err, []int{got, gone}, []int{min(due, n), min(due, n)})
			},
			"": func(rt *rapid.T) {
				for key, want := range m {
					got, err := cache.Answer(ctx, key)
					if err != nil || !got.ExpiresAt.Equal(want.ExpiresAt) || !got.At.Equal(want.At) {
						rt.Fatalf("Answer: %+v %v, want %+v", got, err, want)
					}
				}
			},
		})
	})
}
