// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig is a user of the API server.
type Kubeconfig struct {
	Path string

	server    string // known once the API server is ready
	authority string // file
	user      string
	token     string
}

const tokensFile = "tokens.csv"

// writeTokens writes the API server's token file, which contains the administrator.
func (m *Machine) writeTokens() error {
	return m.WriteFile(tokensFile, m.Admin.token+`,admin,admin,"system:masters"`+"\n")
}

// ServiceAccount returns a kubeconfig for a ServiceAccount of the cluster, so that a program that
// uses it fails if it lacks a permission.
func (m *Machine) ServiceAccount(ctx context.Context, namespace, name string) (*Kubeconfig, error) {
	token, err := m.RunKubectl(ctx, "create", "token", name, "--namespace="+namespace, "--duration=720h")
	if err != nil {
		return nil, err
	}
	identity := *m.Admin
	identity.Path, identity.user = m.InState(name+".kubeconfig"), name
	identity.token = strings.TrimSpace(token)
	return &identity, identity.write()
}

func (k *Kubeconfig) write() error {
	const name = "broadband"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: k.server, CertificateAuthority: k.authority}
	config.AuthInfos[k.user] = &clientcmdapi.AuthInfo{Token: k.token}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: k.user}
	config.CurrentContext = name
	if err := clientcmd.WriteToFile(*config, k.Path); err != nil {
		return fmt.Errorf("write %s: %w", k.Path, err)
	}
	return nil
}

// REST returns a client configuration for this user.
func (k *Kubeconfig) REST() *rest.Config {
	return &rest.Config{
		Host: k.server, BearerToken: k.token, QPS: -1, // no limit
		TLSClientConfig: rest.TLSClientConfig{CAFile: k.authority},
	}
}
