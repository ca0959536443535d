// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/broadband-operator/broadband-operator/test/samples"
)

// StartEtcd starts the API server's store.
func (m *Machine) StartEtcd(ctx context.Context) error {
	url := "http://" + m.Addresses.etcd
	etcd, err := m.Start(ctx, Program{Name: "etcd", Command: []string{
		filepath.Join(m.Assets, "etcd"),
		"--data-dir=" + m.InState("etcd"),
		"--listen-client-urls=" + url,
		"--advertise-client-urls=" + url,
		"--listen-peer-urls=http://" + m.Addresses.etcdPeer,
		"--unsafe-no-fsync", // the data need not survive a crash of the machine
		"--log-level=warn",
	}})
	if err != nil {
		return err
	}
	return etcd.Await(ctx, &http.Client{}, url+"/health")
}

const serviceAccountKeyFile = "service-account.pem"

// StartAPIServer starts a kube-apiserver with RBAC authorization. There is no controller manager
// and no kubelet, because nothing here needs them.
func (m *Machine) StartAPIServer(ctx context.Context) error {
	if err := m.writeCredentials(); err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(m.Addresses.apiServer)
	if err != nil {
		return fmt.Errorf("read an address: %w", err)
	}
	certificates := m.InState("certificates")
	server, err := m.Start(ctx, Program{Name: "kube-apiserver", Command: []string{
		filepath.Join(m.Assets, "kube-apiserver"),
		"--etcd-servers=http://" + m.Addresses.etcd,
		"--bind-address=127.0.0.1",
		"--secure-port=" + port,
		"--cert-dir=" + certificates, // it creates its own certificate there
		"--token-auth-file=" + m.InState(tokensFile),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://demo.invalid",
		"--service-account-signing-key-file=" + m.InState(serviceAccountKeyFile),
		"--service-account-key-file=" + m.InState(serviceAccountKeyFile),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none",
	}})
	if err != nil {
		return err
	}
	return m.awaitAPIServer(ctx, server, filepath.Join(certificates, "apiserver.crt"))
}

// writeCredentials writes the administrator's token and the key with which the API server signs the
// tokens of ServiceAccounts.
func (m *Machine) writeCredentials() error {
	signer, err := samples.NewKeyPair()
	if err != nil {
		return err
	}
	return errors.Join(m.writeTokens(), m.WriteFile(serviceAccountKeyFile, signer.Private))
}

// awaitAPIServer waits until the API server is ready. It first waits for the certificate, because
// without it no call is possible.
func (m *Machine) awaitAPIServer(ctx context.Context, server *Process, certificate string) error {
	if err := server.awaitFile(ctx, certificate); err != nil {
		return err
	}
	m.Admin.server, m.Admin.authority = "https://"+m.Addresses.apiServer, certificate
	if err := m.Admin.write(); err != nil {
		return err
	}
	web, err := rest.HTTPClientFor(m.Admin.REST())
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	return server.Await(ctx, web, m.Admin.server+"/readyz")
}
