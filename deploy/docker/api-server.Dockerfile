# syntax=docker/dockerfile:1
# The api-server in a container. At the root of the source tree:
#
#   docker build -f deploy/docker/api-server.Dockerfile -t loan-servicing/api-server:12.0.0 .
#   docker run --read-only --tmpfs /tmp --env-file api-server.env -p 9443:9443 \
#       -v ./tls:/etc/loan-servicing/tls:ro -v api-server:/var/lib/loan-servicing loan-servicing/api-server:12.0.0
#
# Its settings are those of deploy/api-server.env.sample. Give what it takes time to stop
# (docker stop --time 60), and let whoever restarts it ask https://…:9443/health/live, and whoever
# sends it requests /health/ready: the image has no program that could.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --profile dist --locked --package api-server \
    && cp target/dist/api-server /api-server \
    && mkdir /state

# The C library, certificates of the world's authorities, and nothing else: no shell.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /api-server /usr/local/bin/api-server
COPY --from=build --chown=65532:65532 /state /var/lib/loan-servicing
# Paths in the settings begin here.
WORKDIR /var/lib/loan-servicing
# Not to this container alone.
ENV API_LISTEN=0.0.0.0:9443
EXPOSE 9443
# nonroot.
USER 65532:65532
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/api-server"]
