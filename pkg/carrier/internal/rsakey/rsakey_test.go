package rsakey

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// testRSA is one key for all tests; generating one is slow.
var testRSA = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, minBits)) })

// must returns a key or its encoding, which cannot fail with the arguments of these tests.
func must[T any](result T, err error) T {
	if err != nil {
		panic(err)
	}
	return result
}

func pkcs1(key *rsa.PrivateKey) []byte {
	return pemBlock("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))
}

func pkcs8(key any) []byte {
	return pemBlock("PRIVATE KEY", pkcs8DER(key))
}

func TestParseAccepts(t *testing.T) {
	key := testRSA()
	for name, file := range map[string][]byte{
		"PKCS#1":                      pkcs1(key),
		"PKCS#8":                      pkcs8(key),
		"space around it":             joinBytes([]byte("\n\n  "), pkcs1(key), []byte("\n \n")),
		"line ends of another system": bytes.ReplaceAll(pkcs1(key), []byte("\n"), []byte("\r\n")),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(file)
			if err != nil || !got.Equal(key) {
				t.Errorf("Parse: %v", err)
			}
		})
	}
}

// TestParseOverwritesDecodedBytes (91): the decoded bytes are overwritten as far as we control
// them. The garbage collector may keep copies of the file and of the key.
func TestParseOverwritesDecodedBytes(t *testing.T) {
	for name, file := range map[string][]byte{"PKCS#1": pkcs1(testRSA()), "PKCS#8": pkcs8(testRSA())} {
		block, err := onlyBlock(file)
		if err != nil {
			t.Fatal(err)
		}
		key, err := parseBlock(block)
		if err != nil || !key.Equal(testRSA()) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Trim(string(block.Bytes), "\x00") != "" {
			t.Errorf("%s: the decoded key was not overwritten", name)
		}
	}
}

func joinBytes(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func pemBlock(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// refusedKeys are the files of security case 45 and the error text for each.
func refusedKeys() map[string]struct {
	file []byte
	want string
} {
	key := testRSA()
	ec := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	edwards := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	small := must(rsa.GenerateKey(rand.Reader, minBits/2))
	public := must(x509.MarshalPKIXPublicKey(&key.PublicKey))
	legacy := pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key),
		Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-256-CBC,00"},
	})
	return map[string]struct {
		file []byte
		want string
	}{
		"nothing":                {nil, "empty"},
		"space":                  {[]byte(" \n"), "empty"},
		"no PEM":                 {[]byte("hello"), "does not start with a PEM block"},
		"DER without PEM":        {x509.MarshalPKCS1PrivateKey(key), "does not start with a PEM block"},
		"text before it":         {joinBytes([]byte("key:\n"), pkcs1(key)), "does not start with a PEM block"},
		"an EC key":              {pemBlock("EC PRIVATE KEY", must(x509.MarshalECPrivateKey(ec))), "elliptic curve"},
		"an EC key in PKCS#8":    {pkcs8(ec), "not an RSA key"},
		"Ed25519":                {pkcs8(edwards), "not an RSA key"},
		"1024 bits":              {pkcs1(small), "1024 bits"},
		"encrypted PKCS#1":       {legacy, "encrypted"},
		"encrypted PKCS#8":       {pemBlock("ENCRYPTED PRIVATE KEY", []byte{1}), "encrypted"},
		"a public key":           {pemBlock("PUBLIC KEY", public), "public key"},
		"a certificate":          {pemBlock("CERTIFICATE", []byte{1}), "certificate"},
		"an OpenSSH key":         {pemBlock("OPENSSH PRIVATE KEY", []byte{1}), "OpenSSH"},
		"something else":         {pemBlock("BANANA", []byte{1}), "not an RSA private key"},
		"two keys":               {joinBytes(pkcs1(key), pkcs1(key)), "exactly one"},
		"junk after it":          {joinBytes(pkcs1(key), []byte("junk")), "exactly one"},
		"cut off":                {pkcs1(key)[:900], "cut off"},
		"damaged inside":         {pemBlock("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)[:300]), "PKCS#1"},
		"damaged PKCS#8":         {pemBlock("PRIVATE KEY", []byte{0x30, 1, 2}), "PKCS#8"},
		"5 MiB":                  {bytes.Repeat([]byte("A"), 5<<20), "larger"},
		"PKCS#8 called PKCS#1":   {pemBlock("RSA PRIVATE KEY", pkcs8DER(key)), "PKCS#1"},
		"exponent 1":             {pkcs1WithExponent(key, 1), "not a sound"},
		"exponent 0":             {pkcs1WithExponent(key, 0), "not a sound"},
		"an even exponent":       {pkcs1WithExponent(key, 65536), "not a sound"},
		"another exponent":       {pkcs1WithExponent(key, 17), "not a sound"},
		"a negative exponent":    {pkcs1WithExponent(key, -3), "not a sound"},
		"a real certificate":     {pemBlock("CERTIFICATE", certificateOf(key)), "certificate"},
		"a key and certificate":  {joinBytes(pkcs1(key), pemBlock("CERTIFICATE", []byte{1})), "exactly one"},
		"a certificate request":  {pemBlock("CERTIFICATE REQUEST", []byte{1}), "certificate"},
		"cut off in its DER":     {pemBlock("PRIVATE KEY", pkcs8DER(key)[:700]), "PKCS#8"},
		"another modulus":        {pkcs1WithModulus(key), "not a sound"},
		"16,400 bits":            {pkcs1OfBits(key, 16_400), "not a sound"},
		"PKCS#1 called a public": {pemBlock("RSA PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey)), "public key"},
	}
}

// pkcs1WithExponent is a key whose public exponent differs from the one it was generated with.
func pkcs1WithExponent(key *rsa.PrivateKey, exponent int) []byte {
	return pkcs1Of(key.N, exponent, key)
}

// pkcs1WithModulus is a key whose modulus is not the product of its primes.
func pkcs1WithModulus(key *rsa.PrivateKey) []byte {
	return pkcs1Of(new(big.Int).Add(key.N, big.NewInt(2)), key.E, key)
}

// pkcs1OfBits is a key whose modulus has this many bits.
func pkcs1OfBits(key *rsa.PrivateKey, bits uint) []byte {
	return pkcs1Of(new(big.Int).SetBit(big.NewInt(1), int(bits)-1, 1), key.E, key)
}

// pkcs1Of encodes a key that no library would encode, as the sequence of RFC 8017, appendix A.1.2.
func pkcs1Of(modulus *big.Int, exponent int, key *rsa.PrivateKey) []byte {
	der := must(asn1.Marshal(struct {
		Version             int
		N                   *big.Int
		E                   int
		D, P, Q, Dp, Dq, Qi *big.Int
	}{
		0, modulus, exponent, key.D, key.Primes[0], key.Primes[1],
		key.Precomputed.Dp, key.Precomputed.Dq, key.Precomputed.Qinv,
	}))
	return pemBlock("RSA PRIVATE KEY", der)
}

func certificateOf(key *rsa.PrivateKey) []byte {
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	return must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
}

func pkcs8DER(key any) []byte { return must(x509.MarshalPKCS8PrivateKey(key)) }

func TestParseRefuses(t *testing.T) {
	for name, test := range refusedKeys() {
		t.Run(name, func(t *testing.T) {
			key, err := Parse(test.file)
			if err == nil || key != nil {
				t.Fatalf("Parse = %v, %v; want an error", key, err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q does not say %q", err, test.want)
			}
			if quotesFile(err.Error(), test.file) {
				t.Errorf("error %q shows the file", err)
			}
		})
	}
}

// quotesFile reports whether text contains a run of 12 bytes of the file, excluding its PEM line.
func quotesFile(text string, file []byte) bool {
	body := strings.ReplaceAll(string(file), "-----", "")
	for i := 40; i+12 <= len(body) && i < 4096; i++ {
		if strings.Contains(text, body[i:i+12]) {
			return true
		}
	}
	return false
}

func FuzzParse(f *testing.F) {
	f.Add(pkcs1(testRSA()))
	for _, test := range refusedKeys() {
		if len(test.file) < maxFile {
			f.Add(test.file)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		key, err := Parse(file)
		if (err == nil) == (key == nil) {
			t.Fatalf("key %v with error %v", key != nil, err)
		}
		if key == nil {
			checkError(t, err)
			return
		}
		if bits := key.N.BitLen(); bits < minBits || bits > maxBits || key.E < minExponent || key.E%2 == 0 {
			t.Fatalf("a key of %d bits with exponent %d was accepted", bits, key.E)
		}
		if err := key.Validate(); err != nil {
			t.Fatalf("an invalid key was accepted: %v", err)
		}
	})
}

// checkError checks what must be true of the error for every refused file.
func checkError(t *testing.T, err error) {
	t.Helper()
	notPrintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if text := err.Error(); len(text) > 128 || strings.ContainsFunc(text, notPrintable) {
		t.Fatalf("error %q is long or not printable", err)
	}
}
