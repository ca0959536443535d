// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Notification is a fact that the carrier told of and that no read of its API shows.
type Notification struct {
	Event      carrier.EventName
	Reason     string // as the carrier gave it
	Unverified bool   // it was not signed
}

// NoticeOf is a notification as a status shows it.
func NoticeOf(told Notification, now time.Time) *v1alpha1.Notice {
	return &v1alpha1.Notice{
		Event: string(told.Event), Reason: bounded(told.Reason, maxMessage), Unverified: told.Unverified,
		At: v1alpha1.WholeSeconds(now),
	}
}

// News says whether a notification adds to the one on record: what was said without a
// signature may be confirmed by one.
func News(held *v1alpha1.Notice, told Notification) bool {
	return held == nil || held.Unverified && !told.Unverified
}

// unsigned is added to what is known from an unsigned notification alone.
func unsigned(notice *v1alpha1.Notice) string {
	if !notice.Unverified {
		return ""
	}
	return " (by a notification that was not signed: ask the carrier)"
}

// NoticeWords are a notice in a sentence.
func NoticeWords(notice *v1alpha1.Notice) string {
	return "the carrier sent " + notice.Event + unsigned(notice) + ": " + orElse(notice.Reason, "no reason is known")
}

// toldPause is the least time between two readings that notifications ask for.
const toldPause = time.Minute

// toldToRead is when a topic is to be read because the carrier told of something that a
// reading of it shows; zero when it did not, or when that was read since.
func toldToRead(in *Input, topic Topic) time.Time {
	told, read := in.Memory.ToldOfCancellation, in.Memory.Readings.Of(topic).AskedAt
	if topic != TopicCancellation || !told.After(read) {
		return time.Time{}
	}
	return later(told, read.Add(toldPause))
}
