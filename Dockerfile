# docker build --build-arg REVISION=$(git rev-parse HEAD) --tag broadband-operator .
# make dist builds the image of a release, without a daemon and from the same flags.
FROM --platform=$BUILDPLATFORM golang:1.26.8@sha256:0f063af2d465d8dcae54cce04278ada488b96f77b42449c8d071e47d016cc65a AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY VERSION main.go ./
COPY api api
COPY config config
COPY controllers controllers
COPY internal internal
COPY pkg pkg
ARG TARGETOS TARGETARCH REVISION=unknown
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
    -ldflags "-s -w \
    -X github.com/broadband-operator/broadband-operator/internal/manager.version=$(cat VERSION) \
    -X github.com/broadband-operator/broadband-operator/internal/manager.revision=$REVISION" -o /manager .

# The certificates of public authorities, the time zones, and the user nonroot; no shell.
FROM gcr.io/distroless/static:nonroot@sha256:d29e660cc75a5b6b1334e03c5c81ccf9bc0884a002c6000dbf0fb96034814478
COPY --from=build /manager /manager
USER 65532:65532
ENTRYPOINT ["/manager"]
