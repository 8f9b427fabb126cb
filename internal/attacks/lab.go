//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// lab measures attacks, each on a service of its own.
type lab struct {
	binary, dir string
	most        int64 // bytes of memory at which the service is killed
	connections int   // of an attack, at once
	length      time.Duration
}

// result is what an attack did.
type result struct {
	peak      int64  // bytes
	stopped   bool   // killed because of its memory
	died      string // how the service ended, if it did
	refused   bool   // it was an error of the setting that the attack is about
	clients   []*client
	attackers *attackers
	failed    error // of the attack
}

// measure starts a service and lets the attackers and the clients at it.
func (l *lab) measure(ctx context.Context, a attack) (r result, err error) {
	if err := os.Mkdir(l.dir, 0o700); err != nil {
		return r, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.attackers = &attackers{secret: secret(), most: l.connections, answers: map[string]int{}}
	var args []string
	if a.settings != nil {
		if args, err = a.settings(ctx, l.dir, r.attackers); err != nil {
			return r, err
		}
	}
	password := secret()
	service, err := serve(ctx, l.binary, l.dir, l.most, map[string]string{"client": password, "attacker": r.attackers.secret}, args)
	if err != nil {
		return r, err
	}
	defer func() {
		r.died = service.end()
		r.peak, r.stopped, r.refused = service.peak, service.stopped, service.refused(a.setting)
	}()
	up, err := service.up()
	if err != nil || !up {
		return r, err
	}
	r.attackers.target = service.addr
	for _, p := range a.clients {
		c := newClient(service.addr, p)
		defer c.close()
		if err := c.login(ctx, "client", password); err != nil {
			r.failed = err
			return r, nil
		}
		r.clients = append(r.clients, c)
	}
	l.fight(ctx, a, &r)
	return r, nil
}

// fight runs the attack until the clients have their last answers.
func (l *lab) fight(ctx context.Context, a attack, r *result) {
	attacking, retreat := context.WithCancel(ctx)
	working, rest := context.WithTimeout(ctx, l.length)
	defer rest()
	var attack, clients sync.WaitGroup
	attack.Go(func() { r.failed = a.run(attacking, r.attackers) })
	for _, c := range r.clients {
		clients.Go(func() { c.work(working) })
	}
	clients.Wait()
	retreat()
	attack.Wait()
}

// faults returns why the service has not withstood the attack.
func (r *result) faults(a attack, peak int64) (list []string) {
	if r.died != "" && !r.stopped && !r.refused {
		list = append(list, "the service died")
	}
	if r.stopped || r.peak >= peak && a.memory == "" {
		list = append(list, fmt.Sprintf("its memory reached %d MB", peak/megabyte))
	}
	for _, c := range r.clients {
		switch {
		case c.place.allowed != "":
		case len(c.others) > 0:
			list = append(list, "requests of the client failed")
		case len(c.times) == 0:
			list = append(list, "the client got no answer")
		}
	}
	if r.failed != nil {
		list = append(list, r.failed.Error())
	}
	return list
}

// line returns the figures.
func (r *result) line(a attack, faults []string) string {
	above := ""
	if r.stopped {
		above = "above "
	}
	allowed := ""
	if a.memory != "" {
		allowed = " (any is allowed: " + a.memory + ")"
	}
	parts := []string{fmt.Sprintf("peak %s%d MB%s, %s", above, r.peak/megabyte, allowed, r.end())}
	for _, c := range r.clients {
		parts = append(parts, c.String())
	}
	if r.attackers.opened.Load() > 0 {
		parts = append(parts, r.attackers.String())
	}
	verdict := "ok"
	if len(faults) > 0 {
		verdict = "FAILED"
		parts = append(parts, "failed because "+strings.Join(faults, " and "))
	}
	return fmt.Sprintf("%-6s %s (%s): %s", verdict, a.name, a.about, strings.Join(parts, "; "))
}

// end returns what became of the service.
func (r *result) end() string {
	switch {
	case r.stopped:
		return "killed by this program"
	case r.refused:
		return "refused to start, which is allowed: " + r.died
	case r.died != "":
		return "died: " + r.died
	default:
		return "survived"
	}
}
