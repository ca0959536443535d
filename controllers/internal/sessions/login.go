// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// login is the state that all accounts of a login at a carrier share: the carrier sees them as
// one client. Its rate, the pause after a 429, and the lost responses survive every edit of an
// account, and its deletion.
//
// An account has a login of its own until the carrier has accepted its token. Until then it can
// neither change nor see what belongs to others.
type login struct {
	rate    *carrier.Rate
	breaker breaker
	polls   pollTimes
}

func newLogin(now func() time.Time, own v1alpha1.RateLimit) *login {
	own = decide.RateOf(own)
	return &login{
		rate:    carrier.NewRate(float64(own.RequestsPerSecond), int(own.Burst)),
		breaker: breaker{now: now},
	}
}

// isFresh reports whether a login has nothing to remember.
func (l *login) isFresh(now time.Time) bool { return l.rate.IsFresh(now) && l.breaker.isFresh() }

// join makes a session share what belongs to its login, because the carrier has accepted its token.
// It reports false if the session is not in use any more.
func (r *Registry) join(name types.NamespacedName, session *Session) bool {
	changed, joined := r.joined(name, session)
	r.notify(changed)
	return joined
}

func (r *Registry) joined(name types.NamespacedName, session *Session) (changed []types.NamespacedName, joined bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.sessions[name]
	if kept == nil || kept.session != session {
		return nil, false
	}
	session.share(r.loginOf(kept))
	kept.proven = true
	return r.setRate(kept.login), true
}

// loginOf returns what belongs to the login of a session. It drops the logins that no account uses
// any more and that have nothing to remember.
func (r *Registry) loginOf(kept *openSession) *login {
	maps.DeleteFunc(r.logins, func(other v1alpha1.CarrierLogin, state *login) bool {
		return other != kept.login && len(r.provenOf(other)) == 0 && state.isFresh(r.Now())
	})
	if r.logins == nil {
		r.logins = map[v1alpha1.CarrierLogin]*login{}
	}
	if r.logins[kept.login] == nil {
		r.logins[kept.login] = newLogin(r.Now, kept.rate)
	}
	return r.logins[kept.login]
}

// provenOf returns the accounts of a login whose tokens the carrier has accepted.
func (r *Registry) provenOf(of v1alpha1.CarrierLogin) []types.NamespacedName {
	var names []types.NamespacedName
	for name, kept := range r.sessions {
		if kept.proven && kept.login == of {
			names = append(names, name)
		}
	}
	return names
}

// setRate sets the rate of a login to that of its slowest account. It returns the accounts of the
// login if this has changed the rate, because each of them shows it.
func (r *Registry) setRate(of v1alpha1.CarrierLogin) []types.NamespacedName {
	slowest, state := r.slowest(of), r.logins[of]
	if state == nil || slowest == (v1alpha1.RateLimit{}) {
		return nil
	}
	if !state.rate.Set(r.Now(), float64(slowest.RequestsPerSecond), int(slowest.Burst)) {
		return nil
	}
	return r.provenOf(of)
}

// slowest returns the lowest rate of the accounts of a login, with each of the two values compared
// separately; zero if there is no account.
func (r *Registry) slowest(of v1alpha1.CarrierLogin) (slowest v1alpha1.RateLimit) {
	for _, name := range r.provenOf(of) {
		own := r.sessions[name].rate
		if slowest == (v1alpha1.RateLimit{}) {
			slowest = own
		}
		slowest = decide.Slower(slowest, own)
	}
	return slowest
}

// IsProven reports whether the carrier has accepted a token of an account, so that its rate counts
// for its login.
func (r *Registry) IsProven(account *v1alpha1.CarrierAccount) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.sessions[types.NamespacedName{Namespace: account.Namespace, Name: account.Name}]
	return kept != nil && kept.proven && kept.uid == account.UID
}

// notifyLogin notifies all accounts of a session's login, which show the same about the carrier.
func (r *Registry) notifyLogin(name types.NamespacedName, session *Session) {
	names := []types.NamespacedName{name}
	r.mu.Lock()
	if kept := r.sessions[name]; kept != nil && kept.session == session && kept.proven {
		names = r.provenOf(kept.login)
	}
	r.mu.Unlock()
	r.notify(names)
}

func (r *Registry) notify(accounts []types.NamespacedName) {
	for _, account := range accounts {
		if r.Changed != nil {
			r.Changed(account)
		}
	}
}

// learnEvery is the number of new durations after which the times of polls are determined again.
const learnEvery = 8

// pollTimes learns how long the requests of a login take. Nothing of it is recorded: a new process
// begins with the times of each operation.
type pollTimes struct {
	mu    sync.Mutex
	seen  map[carrier.Operation]*ended
	times decide.PollTimes // replaced, and never changed
}

// ended are the requests of an operation that have ended.
type ended struct {
	decide.Durations

	count int
}

// took notes that a request ended between these two durations after it was submitted.
func (p *pollTimes) took(operation carrier.Operation, before, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = make(map[carrier.Operation]*ended)
	}
	if p.seen[operation] == nil {
		p.seen[operation] = &ended{}
	}
	seen := p.seen[operation]
	seen.Add(before, after)
	seen.count++
	if seen.count%learnEvery != 0 {
		return
	}
	contract, _ := carrier.ContractOf(operation)
	if learned := seen.PollTimes(contract.Poll.Min); learned != nil {
		times := make(decide.PollTimes)
		maps.Copy(times, p.times)
		times[operation], p.times = learned, times
	}
}

func (p *pollTimes) current() decide.PollTimes {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.times
}

// Took notes that a request ended between these two durations after it was submitted.
func (s *Session) Took(operation carrier.Operation, before, after time.Duration) {
	s.shared.Load().polls.took(operation, before, after)
}

// PollTimes returns when requests are polled, as this process has learned.
func (s *Session) PollTimes() decide.PollTimes { return s.shared.Load().polls.current() }
