package main

import "slices"

// rows returns the benchmarks with their goals.
func rows() []row {
	return append([]row{
		{
			name: "price: parse mid, add markup, print", reference: "shopspring/decimal",
			ours: priceOurs, ref: priceShopspring, goal: faster(4), allocs: 2,
		},
		{
			name: "Create on a full pair, memory", reference: "bare sharded mutex map, same record",
			ours: fullMemory, ref: bareMap, goal: within(2.5), allocs: 3,
		},
		{
			name: "Create that mints, SQLite, 8 callers", reference: "one plain INSERT, same driver and settings, 8 callers",
			ours: mintSQLite(8), ref: insertSQLite(8), goal: faster(0.5), allocs: -1,
		},
		{
			name: "Create that mints, SQLite, 1 caller", reference: "one plain INSERT, same driver and settings",
			ours: mintSQLite(1), ref: insertSQLite(1), goal: faster(0.6), allocs: -1,
		},
		{
			name: "Create on a full pair, SQLite", reference: "one prepared SELECT of a row",
			ours: fullSQLite, ref: selectSQLite, goal: faster(0.6), allocs: -1,
		},
		{
			name: "POST /v1/rate-locks over HTTP, memory", reference: "bare net/http handler, encoding/json",
			ours: httpOurs, ref: httpBare, goal: faster(0.9), allocs: -1, round: httpRound,
		},
		{
			name: "drift tick, 10 pairs moved, 1,000,000 live locks", reference: "itself at 100,000",
			ours: driftOver(1_000_000), ref: driftOver(100_000), goal: within(1.5), allocs: -1, fixed: 3,
		},
		{
			name: "Validate on a kept answer, memory", reference: "otter, Get of the same record",
			ours: keptAnswer(""), ref: otterRecord, goal: within(8), allocs: 6,
		},
		{
			name: "Validate with a name on a kept answer, memory", reference: "otter, Get of the same record",
			ours: keptAnswer("Mensah Ama"), ref: otterRecord, goal: within(8), allocs: 6,
		},
		{
			name: "Validate with a new name on a kept answer, memory", reference: "otter, Get of the same record",
			ours: firstHit, ref: otterRecord, goal: within(80), allocs: -1, fixed: 10_000,
		},
		{
			name: "1,000 requests at once for one account, memory", reference: "1,000 goroutines that wait as long as the provider, 1 s",
			ours: crowdOn(func(s *setup) storage { return openMemory(s) }), ref: crowdBare, goal: within(1.1), allocs: -1, fixed: 1,
		},
		{
			name: "1,000 requests at once for one account, SQLite", reference: "1,000 goroutines that wait as long as the provider, 1 s",
			ours: crowdOn(crowdSQLite), ref: crowdBare, goal: within(1.1), allocs: -1, fixed: 1,
		},
	}, slices.Concat(ruleRows(), nameRows(), failureRows(), matchRows(), formatRows(), postgresRows())...)
}
