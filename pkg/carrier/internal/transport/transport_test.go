package transport

import (
	"net"
	"testing"
)

// TestDialerChecksTheDialedAddress (12, 15, 16): the dialer checks the address that a name resolved
// to, in every notation.
func TestDialerChecksTheDialedAddress(t *testing.T) {
	config := Config{Forbidden: func(string) error { return net.ErrClosed }}
	for address, want := range map[string]bool{
		"93.184.216.34:443": true, "[2606:2800:220:1::1]:443": true, "8.8.8.8:8443": true,
		"10.0.0.1:443": true, "172.16.0.1:443": true, "192.168.0.1:443": true, "[fd12:3456::1]:443": true, // a private line
		"127.0.0.1:443": false, "127.255.255.254:443": false, "[::1]:443": false, // loopback
		"[::ffff:127.0.0.1]:443": false, "[::ffff:169.254.169.254]:443": false, // IPv4 inside IPv6
		"[64:ff9b::7f00:1]:443": false, "[64:ff9b::a9fe:a9fe]:443": false, "[::127.0.0.1]:443": false, // NAT64 and older
		"[64:ff9b::8.8.8.8]:443":           true,
		"[64:ff9b:1::169.254.169.254]:443": false, "[64:ff9b:1::8.8.8.8]:443": true, // NAT64 of a site
		"[2002:a9fe:a9fe::1]:443": false, "[2002:7f00:1::]:443": false, "[2002:808:808::1]:443": true, // 6to4
		"[2001:0:a9fe:a9fe::f7f7:f7f7]:443": false, // a Teredo server
		"[2001:0:808:808::5601:5601]:443":   false, // a Teredo client, whose address is XORed
		"[2001:0:808:808::f7f7:f7f7]:443":   true,
		"169.254.169.254:80":                false, // metadata of most clouds
		"169.254.170.2:80":                  false,
		"[fd00:ec2::254]:80":                false,
		"[fd00:ec2::23]:80":                 false, // pod identity of EKS
		"[fd20:ce::254]:80":                 false,
		"[fd00:c1::a9fe:a9fe]:80":           false,
		"[fd00:ec3::254]:443":               true, // a private network
		"100.100.100.200:80":                false,
		"192.0.0.192:80":                    false,
		"168.63.129.16:80":                  false,
		"[fe80::1]:443":                     false,
		"[fe80::1%eth0]:443":                false,
		"0.0.0.0:443":                       false, // this machine again
		"0.1.2.3:443":                       false,
		"[::]:443":                          false,
		"224.0.0.1:443":                     false,
		"[ff02::1]:443":                     false,
		"255.255.255.255:443":               false,
		"carrier.example:443":               false, // an unresolved name
		"":                                  false,
		"127.0.0.1":                         false,
	} {
		if err := config.checkDialed("tcp", address, nil); (err == nil) != want {
			t.Errorf("%s: %v, want allowed %t", address, err, want)
		}
		if err := (Config{AllowInsecure: true}).checkDialed("tcp", address, nil); err != nil {
			t.Errorf("%s: %v, though everything is allowed", address, err)
		}
	}
}

// TestDeadHTTP2ConnectionIsNoticed: a call on it fails because the connection is closed, and not only
// because the headers are late, which would leave the connection to the next call.
func TestDeadHTTP2ConnectionIsNoticed(t *testing.T) {
	http2 := Config{}.KeepAlive().HTTP2
	if http2 == nil || http2.SendPingTimeout <= 0 || http2.SendPingTimeout+http2.PingTimeout >= HeadersTimeout {
		t.Errorf("HTTP/2 is configured with %+v", http2)
	}
}
