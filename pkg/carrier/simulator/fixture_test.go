package simulator_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

const (
	fttp             = int64(1000001) // an FTTP service of the reseller
	foreign          = int64(1000002) // a service of another client
	alternate        = int64(1000003) // a service of the alternate source
	unhealthy        = int64(1000004) // a service whose health cannot be read
	cancelRequested  = int64(1000005) // a service with a cancellation requested
	copper           = int64(1000006) // an FTTN service
	cancelledService = int64(1000007) // a cancelled service that can be reclaimed
	notTC4           = int64(1000008) // a service that is not TC4
	location         = "LOC000000000042"
	realm            = "resale"
	keyID            = "key-1"
)

// key is generated once, because that is slow.
var key = sync.OnceValue(func() *rsa.PrivateKey {
	made, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return made
})

func publicPEM(of *rsa.PrivateKey) string {
	der, err := x509.MarshalPKIXPublicKey(&of.PublicKey)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// seed is the seed of the tests: two clients, eight services, five plans.
func seed() simulator.Seed {
	keys := map[string]string{keyID: publicPEM(key())}
	return simulator.Seed{
		ExactReplies: true,
		Delays:       map[string]simulator.Duration{"default": simulator.Duration(10 * time.Second)},
		Clients: []simulator.Client{
			{Name: "reseller", Realm: realm, Keys: keys, User: simulator.User{ID: 7, Name: "Ada", Email: "ada@example.com"}},
			{Name: "other", Realm: realm, Keys: keys},
		},
		Plans: []simulator.Plan{
			{Name: "Basic", Terms: []int64{1, 12}, SpeedDown: 25, SpeedUp: 5, Price: simulator.Price{Monthly: "40.00"}},
			{Name: "Fast", SpeedDown: 100, SpeedUp: 20, Price: simulator.Price{OneTime: "10.00", Monthly: "70.00"}},
			{
				Name: "Giga", SpeedDown: 2000, SpeedUp: 200, TechnologyTypes: []string{"FTTP", "HFC"},
				Price: simulator.Price{Monthly: "120.00"}, AdditionalNTDReason: "BANDWIDTH_CAPACITY_EXCEEDED",
				NFASFee: &simulator.Price{OneTime: "200.00"},
				NTDOptions: []simulator.NTDOption{
					{Option: "4_PORT_RESIDENTIAL", Recommended: true, Price: simulator.Price{OneTime: "100.00"}},
				},
			},
			{Name: "Doomed", SpeedDown: 50, SpeedUp: 20, Fails: true},
			{Name: "Shouty", HealthName: "SHOUTY", SpeedDown: 50, SpeedUp: 20},
		},
		SLAs: []simulator.SLA{
			{Name: "Standard"}, {Name: "Enhanced - 12 (24/7)", Price: simulator.Price{Monthly: "15.00"}},
		},
		FibreBuilds:    []simulator.FibreBuild{{LocationID: location, POIName: "Hobart", PriceCents: 123456}},
		Qualifications: []simulator.Qualification{emptySite(), builtSite()},
		Orders:         []simulator.PlacedOrder{{ID: 555, Client: "reseller"}, {ID: 556, Client: "other"}},
		Services: []simulator.Service{
			{
				ID: fttp, Client: "reseller", Plan: "Basic", Term: 12, RestorationSLA: "Standard",
				Contact: simulator.Contact{Name: "Site", Phone: "0200000000", Email: "site@example.com"},
			},
			{ID: foreign, Client: "other", Plan: "Basic"},
			{ID: alternate, Client: "reseller", Plan: "Basic", SourceType: "other-source"},
			{ID: unhealthy, Client: "reseller", Plan: "Basic", Health: simulator.Health{Fails: true}},
			{
				ID: cancelRequested, Client: "reseller", Plan: "Basic",
				Cancellation: &simulator.Cancellation{Status: "REQUESTED", RequestDate: "2026-12-24"},
			},
			{ID: copper, Client: "reseller", Plan: "Basic", TechnologyType: "FTTN"},
			{
				ID: cancelledService, Client: "reseller", Plan: "Basic", ReclaimableUntil: "2026-11-30",
				Cancellation: &simulator.Cancellation{Status: "COMPLETED", RequestDate: "2026-11-01"},
			},
			{ID: notTC4, Client: "reseller", Plan: "Basic", TrafficClass: "TC2"},
		},
	}
}

// emptySite is a location without infrastructure.
func emptySite() simulator.Qualification {
	return simulator.Qualification{
		QualificationSearchID: "q-empty", Client: "reseller", LocationID: location,
		NTDInstallationFee: &simulator.Price{OneTime: "300.00"},
	}
}

// builtSite is a location with one NTD: a free port, a port in use by another client and one in use
// by the FTTP service.
func builtSite() simulator.Qualification {
	return simulator.Qualification{
		QualificationSearchID: "q-built", Client: "reseller", LocationID: location, AdditionalAllowed: true,
		SubsequentInstallationCharge: simulator.Price{OneTime: "500.00"},
		Infrastructures: []simulator.Infrastructure{{ID: "NTD1", RemainingDown: 100, Ports: []simulator.Port{
			{ID: 1},
			{ID: 2, Used: true, AVCID: "AVC999", TransferFee: simulator.Price{OneTime: "5.00"}},
			{ID: 3, Used: true, AVCID: "AVC000001000001"},
		}}},
	}
}
