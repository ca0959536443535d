// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubectl runs kubectl as the administrator, and returns what it printed.
func (c *ControlPlane) Kubectl(arguments ...string) (string, error) {
	folder, err := os.MkdirTemp("", "kubectl-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover temporary folder does no harm
	command, err := c.KubectlIn(folder, arguments...)
	if err != nil {
		return "", err
	}
	var complaint bytes.Buffer
	command.Stderr = &complaint
	printed, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("kubectl %v: %w: %s", arguments, err, complaint.String())
	}
	return string(printed), nil
}

// KubectlIn prepares kubectl as the administrator, with its kubeconfig in a folder.
func (c *ControlPlane) KubectlIn(folder string, arguments ...string) (*exec.Cmd, error) {
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := WriteKubeconfig(kubeconfig, c.Config); err != nil {
		return nil, err
	}
	assets := cmp.Or(os.Getenv("KUBEBUILDER_ASSETS"), builtAssets())
	program := cmp.Or(os.Getenv("KUBECTL"), filepath.Join(assets, "kubectl"))
	arguments = append([]string{"--kubeconfig=" + kubeconfig}, arguments...)
	return exec.Command(program, arguments...), nil //nolint:noctx,gosec // the program is ours
}

// WriteKubeconfig writes a kubeconfig for a user that has a certificate or a token.
func WriteKubeconfig(file string, user *rest.Config) error {
	const name = "test"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: user.Host, CertificateAuthorityData: user.CAData}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: user.CertData, ClientKeyData: user.KeyData, Token: user.BearerToken,
	}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, file)
}
