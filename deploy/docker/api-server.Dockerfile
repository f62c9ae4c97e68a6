# syntax=docker/dockerfile:1
# The api-server in a container. At the root of the source tree:
#
#   docker build -f deploy/docker/api-server.Dockerfile -t loan-servicing/api-server:12.0.0 .
#   docker run --read-only --tmpfs /tmp --env-file api-server.env -p 9443:9443 \
#       -v ./tls:/etc/loan-servicing/tls:ro -v api-server:/var/lib/loan-servicing loan-servicing/api-server:12.0.0
#
# Settings: see deploy/api-server.env.sample. Allow it time to stop (docker stop --time 60). Let the
# orchestrator probe https://…:9443/health/live for restarts and /health/ready for traffic: the
# image contains no program for a HEALTHCHECK.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --profile dist --locked --package api-server \
    && cp target/dist/api-server /api-server \
    && mkdir /state

# Only the C library and the public certificate authorities: no shell.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /api-server /usr/local/bin/api-server
COPY --from=build --chown=65532:65532 /state /var/lib/loan-servicing
# Relative paths in the settings start here.
WORKDIR /var/lib/loan-servicing
# Reachable from outside the container.
ENV API_LISTEN=0.0.0.0:9443
EXPOSE 9443
# nonroot.
USER 65532:65532
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/api-server"]
