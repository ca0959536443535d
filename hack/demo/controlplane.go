// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func (d *demo) startEtcd(ctx context.Context) error {
	url := "http://" + d.addresses.etcd
	etcd, err := d.start(ctx, "etcd", filepath.Join(d.assets, "etcd"),
		"--data-dir="+d.inState("etcd"),
		"--listen-client-urls="+url,
		"--advertise-client-urls="+url,
		"--listen-peer-urls=http://"+d.addresses.etcdPeer,
		"--unsafe-no-fsync", // what a crash of the machine would lose is not missed
		"--log-level=warn")
	if err != nil {
		return err
	}
	return etcd.await(ctx, &http.Client{}, url+"/health")
}

// startAPIServer runs a kube-apiserver that authorizes by RBAC. There is no controller
// manager and no kubelet: nothing here needs them.
func (d *demo) startAPIServer(ctx context.Context) error {
	_, port, err := net.SplitHostPort(d.addresses.apiServer)
	if err != nil {
		return fmt.Errorf("read an address: %w", err)
	}
	certificates := d.inState("certificates")
	server, err := d.start(ctx, "kube-apiserver", filepath.Join(d.assets, "kube-apiserver"),
		"--etcd-servers=http://"+d.addresses.etcd,
		"--bind-address=127.0.0.1",
		"--secure-port="+port,
		"--cert-dir="+certificates, // it makes its own certificate there
		"--token-auth-file="+d.inState(tokensFile),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://demo.invalid",
		"--service-account-signing-key-file="+d.inState(serviceAccountKeyFile),
		"--service-account-key-file="+d.inState(serviceAccountKeyFile),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none")
	if err != nil {
		return err
	}
	d.admin.server = "https://" + d.addresses.apiServer
	d.admin.authority = filepath.Join(certificates, "apiserver.crt")
	return d.awaitAPIServer(ctx, server)
}

// awaitAPIServer first waits for the certificate: without it no question can be asked.
func (d *demo) awaitAPIServer(ctx context.Context, server *process) error {
	if err := server.awaitFile(ctx, d.admin.authority); err != nil {
		return err
	}
	if err := d.admin.write(); err != nil {
		return err
	}
	web, err := rest.HTTPClientFor(d.admin.rest())
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	return server.await(ctx, web, d.admin.server+"/readyz")
}

// kubeconfig is one identity at the API server.
type kubeconfig struct {
	path      string
	server    string
	authority string // file
	user      string
	token     string
}

func (k kubeconfig) write() error {
	const name = "broadband-demo"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: k.server, CertificateAuthority: k.authority}
	config.AuthInfos[k.user] = &clientcmdapi.AuthInfo{Token: k.token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: k.user}
	config.CurrentContext = name
	if err := clientcmd.WriteToFile(*config, k.path); err != nil {
		return fmt.Errorf("write %s: %w", k.path, err)
	}
	return nil
}

func (k kubeconfig) rest() *rest.Config {
	return &rest.Config{
		Host: k.server, BearerToken: k.token, QPS: -1, // no limit
		TLSClientConfig: rest.TLSClientConfig{CAFile: k.authority},
	}
}
