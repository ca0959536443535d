// SPDX-License-Identifier: Apache-2.0

package fairqueue_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/controllers/internal/fairqueue"
)

// controller is a controller whose passes end when the test ends them. Its objects are named
// account-number.
type controller struct {
	*fairqueue.Queue

	standing map[string]fairqueue.Standing // by account; those that are missing are answering
	running  []reconcile.Request
	now      time.Time
}

// eager is a queue that hands out what is due before a call returns.
type eager struct {
	priorityqueue.PriorityQueue[reconcile.Request]
}

func (e eager) AddWithOpts(options priorityqueue.AddOpts, objects ...reconcile.Request) {
	e.PriorityQueue.AddWithOpts(options, objects...)
	synctest.Wait()
}

func (e eager) Done(object reconcile.Request) {
	e.PriorityQueue.Done(object)
	synctest.Wait()
}

// start starts a controller. It is for a synctest bubble.
func start(t *testing.T, workers int) *controller {
	t.Helper()
	c := &controller{standing: map[string]fairqueue.Standing{}}
	inner := eager{priorityqueue.New[reconcile.Request](t.Name())}
	c.Queue = fairqueue.New(inner, workers, func() time.Time { return c.now },
		func(object reconcile.Request) fairqueue.Group {
			account, _, _ := strings.Cut(object.Name, "-")
			return fairqueue.Group{Namespace: object.Namespace, Account: account}
		},
		func(group fairqueue.Group) fairqueue.Standing {
			if standing, known := c.standing[group.Account]; known {
				return standing
			}
			return fairqueue.Answering
		})
	taken := make(chan reconcile.Request)
	for range workers {
		go func() {
			for {
				object, shutdown := c.Get()
				if shutdown {
					return
				}
				taken <- object
			}
		}()
	}
	go func() {
		for object := range taken {
			c.running = append(c.running, object)
		}
	}()
	t.Cleanup(func() { c.ShutDown(); synctest.Wait(); close(taken) })
	return c
}

// warm lets the account a end enough passes soon to hold as many workers as its namespace may.
func (c *controller) warm(namespace string) {
	for range 8 {
		c.add(namespace, "a", 1)
		c.end(namespace + "/a")
	}
}

// add makes objects of an account due.
func (c *controller) add(namespace, account string, count int) {
	for i := range count {
		name := fmt.Sprintf("%s-%d", account, i)
		c.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}})
	}
	synctest.Wait()
}

// holds returns how many workers the objects hold whose name and namespace begin like this.
func (c *controller) holds(prefix string) (count int) {
	for _, object := range c.running {
		if strings.HasPrefix(object.String(), prefix) {
			count++
		}
	}
	return count
}

// end ends a pass of an object whose name and namespace begin like this, and reports whether there was
// one.
func (c *controller) end(prefix string) bool {
	for i, object := range c.running {
		if strings.HasPrefix(object.String(), prefix) {
			c.running = append(c.running[:i], c.running[i+1:]...)
			c.Done(object)
			synctest.Wait()
			return true
		}
	}
	return false
}

func (c *controller) expect(t *testing.T, prefix string, want int) {
	t.Helper()
	if got := c.holds(prefix); got != want {
		t.Errorf("%s holds %d workers, want %d", prefix, got, want)
	}
}

func TestANamespaceHoldsNoMoreWorkersThanItLeavesFree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 16)
		for _, namespace := range []string{"one", "two"} {
			c.warm(namespace)
		}
		c.add("one", "a", 100)
		c.expect(t, "one/", 8)
		c.add("one", "b", 100)
		c.expect(t, "one/", 8) // another account gives a namespace nothing more
		c.add("two", "a", 100)
		c.expect(t, "two/", 4)
		c.add("three", "a", 1)
		c.expect(t, "three/", 1)
	})
}

func TestAnAccountWhoseCarrierDoesNotAnswerHoldsOneWorkerUntilItAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 16)
		c.standing["mute"] = fairqueue.Silent
		c.add("one", "mute", 100)
		c.expect(t, "one/mute", 1)
		c.end("one/mute")
		c.expect(t, "one/mute", 1)
		delete(c.standing, "mute")
		for range 8 {
			c.end("one/mute")
		}
		c.expect(t, "one/mute", 8)
	})
}

func TestAccountsThatWereNotHeardHoldAQuarterOfTheWorkersInWhateverNamespaces(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 16)
		for i := range 50 {
			account := fmt.Sprintf("mute%d", i)
			c.standing[account] = []fairqueue.Standing{fairqueue.Silent, fairqueue.Unheard}[i%2]
			c.add(fmt.Sprintf("tenant%d", i%5), account, 20)
		}
		c.expect(t, "tenant", 4)
		c.warm("healthy")
		c.warm("another")
		c.add("healthy", "a", 200)
		c.expect(t, "healthy/", 6)
		c.add("another", "a", 200)
		c.expect(t, "another/", 3)
		for range 100 {
			c.end("tenant")
			c.expect(t, "tenant", 4) // those that are healthy do not displace them
		}
	})
}

func TestAnAccountHoldsOneWorkerUntilItsPassesEndSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 16)
		c.add("one", "a", 100)
		for _, want := range []int{1, 2, 4, 8} {
			c.expect(t, "one/", want)
			c.end("one/")
		}
		c.now = c.now.Add(time.Minute)
		c.end("one/")
		c.expect(t, "one/", 7) // it gets no more until fewer than one are held
		for range 7 {
			c.end("one/")
		}
		c.expect(t, "one/", 1)
	})
}

// Every object gets its worker, and none gets two.
func TestNothingThatWaitsIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 4)
		c.standing["mute"] = fairqueue.Silent
		const each = 50
		for _, namespace := range []string{"one", "two", "three"} {
			c.add(namespace, "a", each)
			c.add(namespace, "mute", each)
		}
		c.add("one", "a", each) // those that run or wait already
		ended := map[string]int{}
		for len(c.running) > 0 {
			object := c.running[0].String()
			c.end(object)
			ended[object]++
		}
		if len(ended) != 3*2*each {
			t.Errorf("%d objects were reconciled, want %d", len(ended), 3*2*each)
		}
		for object, passes := range ended {
			if passes > 2 {
				t.Errorf("%s was reconciled %d times", object, passes)
			}
		}
	})
}

// object names an object of the namespace one.
func object(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "one", Name: name}}
}

// After a restart all objects wait with a low priority. One that a user then edits is the next of its
// account, whether it waits already or is new.
func TestWhatIsEditedIsTheNextOfItsAccount(t *testing.T) {
	t.Parallel()
	for _, edited := range []string{"a-19", "a-new"} {
		synctest.Test(t, func(t *testing.T) {
			c := start(t, 4)
			c.warm("one")
			low := priorityqueue.AddOpts{Priority: new(-100)}
			for i := range 20 {
				c.AddWithOpts(low, object(fmt.Sprintf("a-%d", i)))
			}
			synctest.Wait()
			c.Add(object(edited))
			synctest.Wait()
			c.expect(t, "one/"+edited, 0)
			c.end("one/a")
			c.expect(t, "one/"+edited, 1)
		})
	}
}

func TestAnObjectThatGetsAnotherAccountDoesNotWaitForTheFormerOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 16)
		moved := ""
		c.GroupOf = func(of reconcile.Request) fairqueue.Group {
			account := map[bool]string{true: "good", false: "mute"}[of.Name == moved]
			return fairqueue.Group{Namespace: of.Namespace, Account: account}
		}
		c.standing["mute"] = fairqueue.Silent
		c.add("one", "mute", 20)
		moved = "mute-19"
		c.Add(object(moved))
		synctest.Wait()
		c.expect(t, "one/"+moved, 1)
	})
}

func TestManySilentAccountsOfANamespaceDoNotDelayANewOneOfAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 16)
		for i := range 100 {
			account := fmt.Sprintf("mute%d", i)
			c.standing[account] = fairqueue.Silent
			c.add("hostile", account, 3)
		}
		c.standing["new"] = fairqueue.Unheard
		c.add("good", "new", 1)
		c.expect(t, "good/new", 1)
	})
}

func TestAnObjectThatIsDueAgainDoesNotKeepItsFormerWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 16)
		c.warm("one")
		for range 8 {
			c.add("one", "a", 1)
			c.add("one", "a", 1) // it is due again, while it is reconciled
			c.end("one/a-0")
			c.end("one/a-0")
		}
		c.add("one", "a", 20)
		c.expect(t, "one/a", 8)
	})
}

func TestAnObjectThatIsDueAgainTakesNobodysTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 4)
		c.standing["mute"] = fairqueue.Silent
		c.add("one", "mute", 1)
		c.add("two", "mute", 1)
		c.expect(t, "two/", 0)
		c.add("one", "mute", 1) // while it is reconciled
		c.end("one/")
		c.expect(t, "two/", 1)
	})
}

func TestOneWorkerIsEnough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 1)
		c.standing["mute"] = fairqueue.Silent
		c.add("one", "mute", 2)
		c.add("two", "a", 2)
		for range 4 {
			if !c.end("") {
				t.Fatal("nothing runs")
			}
		}
	})
}
