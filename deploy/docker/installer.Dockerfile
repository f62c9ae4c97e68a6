# syntax=docker/dockerfile:1
# The installer in a container, for running its commands alongside servers in containers. At the
# root of the source tree:
#
#   docker build -f deploy/docker/installer.Dockerfile -t loan-servicing/installer:12.0.0 .
#   docker run --rm -it --env-file auth-server.env loan-servicing/installer:12.0.0 \
#       user add jo --full-name "Jo Smith"
#
# First run `installer install --no-units` on a machine that reaches the database: it creates the
# schema, the admin account, the clients, the settings and the keys.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --profile dist --locked --package installer \
    && cp target/dist/installer /installer \
    && mkdir /state

# Only the C library and the public certificate authorities: no shell.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /installer /usr/local/bin/installer
COPY --from=build --chown=65532:65532 /state /var/lib/loan-servicing
# Relative paths in the settings and on the command line start here.
WORKDIR /var/lib/loan-servicing
# nonroot.
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/installer"]
