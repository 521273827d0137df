#!/bin/sh
# Builds the oracle: `build.sh <folder>` leaves `kustomize-oracle` there. Needs Go 1.26 and the Go module proxy;
# `testkit/components/install kustomize-oracle` calls it and puts the program where the tests look for it.
set -eu
folder=${1:?name a folder}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")"
GOFLAGS=-mod=readonly CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$folder/kustomize-oracle" .
