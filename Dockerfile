# One image, different commands: see docker-compose.yml.
FROM rust:1.95-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --release --locked --bin twinshop && cp target/release/twinshop /twinshop

FROM debian:bookworm-slim
RUN useradd --system --create-home --home-dir /data twinshop
COPY --from=build /twinshop /usr/local/bin/twinshop
USER twinshop
WORKDIR /data
EXPOSE 7400 7401 7402 7403 7404
ENTRYPOINT ["twinshop"]
CMD ["up", "--host", "0.0.0.0"]
