// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// codeGateClosed is the code on record of an attempt that the gate before its POST has stopped.
const codeGateClosed = "GateClosed"

// Gate is what this process has seen at the gate before a POST (R12).
type Gate struct {
	ClosedAt time.Time // when it was last closed; zero: never
	Account  Version   // the account as it was last seen there, past the cache
	Object   Version   // the same of the object
}

// Version is a state of what an object declares.
type Version struct {
	UID        string
	Generation int64
	Judged     string // the UID by which it was judged: that of the object in its place in the cache
}

// Seen is the version of an object that was read past the cache, where it was judged by another copy.
func Seen(live, judged metav1.Object) Version {
	return Version{UID: string(live.GetUID()), Generation: live.GetGeneration(), Judged: string(judged.GetUID())}
}

// isAheadOf says whether what was seen is newer than what the cache shows. Of two objects of one name,
// the one that was judged is the older; a third is newer than both.
func (s Version) isAheadOf(shown metav1.Object) bool {
	if uid := string(shown.GetUID()); uid != s.UID {
		return s.UID != "" && uid == s.Judged
	}
	return shown.GetGeneration() < s.Generation
}

// GateClosed is why an attempt was not sent that the gate has stopped.
func GateClosed(why error) *v1alpha1.RequestError {
	return &v1alpha1.RequestError{Code: codeGateClosed, Message: errorText(why)}
}

// gatePause: "The next attempt waits from 1 s up to 1 min, doubling" (R12).
func gatePause(n int) time.Duration {
	const base, longest = time.Second, time.Minute
	return doubling(n, base, longest)
}

// sentAgainAt is when an attempt that did not get to the carrier is followed by another.
func sentAgainAt(in *Input, last *v1alpha1.Request) time.Time {
	ended := in.past(last.FinishedAt)
	if last.Error == nil || last.Error.Code != codeGateClosed {
		return later(ended.Add(Backoff(int(last.Attempt))), in.Memory.NotBefore)
	}
	ended = later(ended, in.Memory.Gate.ClosedAt) // times on record are cut to whole seconds
	return later(ended.Add(gatePause(int(last.Attempt))), in.Memory.NotBefore)
}

// cacheBehind: after a gate that was closed, the next attempt waits "until the cache shows the
// generation that the gate saw" (R12).
func cacheBehind(in *Input, _ desiredChange) *Decision {
	var behind string
	switch {
	case in.Memory.Gate.Account.isAheadOf(in.Account.Object):
		behind = "CarrierAccount " + in.Account.Object.Name
	case in.Memory.Gate.Object.isAheadOf(in.Subject):
		behind = "this object"
	default:
		return nil
	}
	return lookAgain(working(v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s has changed, and the cache does not show the change yet: nothing is sent before it does", behind)),
		in.Now.Add(time.Minute))
}
