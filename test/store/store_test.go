// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/store"
)

func empty(tb testing.TB) *store.Store {
	tb.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		tb.Fatal(err)
	}
	return store.New(store.Options{Scheme: scheme, NewUID: serial(), Now: func() time.Time { return time.Unix(0, 0) }})
}

// TestStaleRead reads the state at a version, as a stale cache would show it.
func TestStaleRead(t *testing.T) {
	memory := empty(t)
	object := service("site")
	for _, err := range []error{
		memory.Client().Create(t.Context(), object), memory.Client().Status().Update(t.Context(), object),
		memory.Client().Delete(t.Context(), object),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	versions := memory.Versions(object)
	for i, present := range []bool{true, true, false} {
		var held v1alpha1.BroadbandService
		err := memory.AsOf(versions[i]).Get(t.Context(), client.ObjectKeyFromObject(object), &held)
		if (err == nil) != present {
			t.Errorf("at version %d: read with %v; there is an object: %t", versions[i], err, present)
		}
	}
}

// BenchmarkStatus measures one status write with the read that it needs.
func BenchmarkStatus(b *testing.B) {
	memory := empty(b).Client()
	object := &v1alpha1.BroadbandService{}
	if err := memory.Create(b.Context(), service("site")); err != nil {
		b.Fatal(err)
	}
	for i := int64(0); b.Loop(); i++ {
		if err := memory.Get(b.Context(), client.ObjectKeyFromObject(service("site")), object); err != nil {
			b.Fatal(err)
		}
		object.Status.ObservedGeneration = i
		if err := memory.Status().Update(b.Context(), object); err != nil {
			b.Fatal(err)
		}
	}
}
