// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The error codes of attempts that this process has not sent: the last check before the POST has
// stopped the attempt, or its intent was recorded although writing it seemed to fail.
const (
	codeGateClosed = "GateClosed"
	codeNotPosted  = "NotPosted"
)

// NotPosted ends an attempt that its own process has never posted.
func NotPosted(open *v1alpha1.Request) *Decision {
	return ResolveBy(WriterSender, open, v1alpha1.PhaseNotSent, &v1alpha1.RequestError{
		Code: codeNotPosted, Message: "the intent was recorded, but nothing was sent",
	})
}

// VersionOf returns the version of a live object, with the UID of the cached copy that was judged.
func VersionOf(live, judged metav1.Object) Version {
	return Version{UID: string(live.GetUID()), Generation: live.GetGeneration(), Judged: string(judged.GetUID())}
}

// isAheadOf reports whether the version seen is newer than the cached one. If the UIDs differ, the
// version seen is newer only than the cached copy that was judged: an object with a third UID is
// newer than both.
func (v Version) isAheadOf(shown metav1.Object) bool {
	if uid := string(shown.GetUID()); uid != v.UID {
		return v.UID != "" && uid == v.Judged
	}
	return shown.GetGeneration() < v.Generation
}

// GateClosed is the error of an attempt that the gate has stopped.
func GateClosed(why error) *v1alpha1.RequestError {
	return &v1alpha1.RequestError{Code: codeGateClosed, Message: ErrorText(why)}
}

// gatePause is the wait after a closed gate. What has closed it is usually over after a second
// (R12).
func gatePause(n int) time.Duration {
	const base, longest = time.Second, time.Minute
	return doubling(n, base, longest)
}

// sentAgainAt returns when a new attempt may be sent after one that did not reach the carrier.
func sentAgainAt(in *Input, last *v1alpha1.Request) time.Time {
	ended := in.Past(last.FinishedAt)
	if last.Error == nil || last.Error.Code != codeGateClosed {
		return Later(ended.Add(Backoff(int(last.Attempt))), in.Memory.NotBefore)
	}
	ended = Later(ended, in.Memory.Gate.ClosedAt) // recorded times are truncated to seconds
	return Later(ended.Add(gatePause(int(last.Attempt))), in.Memory.NotBefore)
}

// cacheCurrent holds back the attempt after a closed gate until the cache shows what the gate saw:
// before that, each attempt would be stopped again (R12).
func cacheCurrent(in *Input, _ DesiredChange) *Decision {
	var behind string
	switch {
	case in.Memory.Gate.Account.isAheadOf(in.Account.Object):
		behind = "CarrierAccount " + in.Account.Object.Name
	case in.Memory.Gate.Object.isAheadOf(in.Subject):
		behind = "this object"
	default:
		return nil
	}
	return RequeueAt(RestWorking(v1alpha1.ReasonProgressing, fmt.Sprintf(
		"%s has changed, but the cache does not show the change yet: nothing is sent until it does", behind)),
		in.Now.Add(time.Minute))
}
