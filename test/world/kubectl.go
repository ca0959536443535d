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
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder that stays harms nobody
	kubeconfig := filepath.Join(folder, "kubeconfig")
	err = WriteKubeconfig(kubeconfig, c.Config)
	if err != nil {
		return "", err
	}
	assets := cmp.Or(os.Getenv("KUBEBUILDER_ASSETS"), builtAssets())
	program := cmp.Or(os.Getenv("KUBECTL"), filepath.Join(assets, "kubectl"))
	arguments = append([]string{"--kubeconfig=" + kubeconfig}, arguments...)
	command := exec.Command(program, arguments...) //nolint:noctx,gosec // the program is ours
	var complaint bytes.Buffer
	command.Stderr = &complaint
	printed, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("kubectl %v: %w: %s", arguments, err, complaint.String())
	}
	return string(printed), nil
}

// WriteKubeconfig writes a file with which a program comes to the API server as a user that has a
// certificate.
func WriteKubeconfig(file string, user *rest.Config) error {
	const name = "test"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: user.Host, CertificateAuthorityData: user.CAData}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: user.CertData, ClientKeyData: user.KeyData}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, file)
}
