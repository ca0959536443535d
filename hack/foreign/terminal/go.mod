module github.com/broadband-operator/broadband-operator/hack/foreign/terminal

go 1.26.0
