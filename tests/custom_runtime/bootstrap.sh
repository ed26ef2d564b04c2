#!/bin/sh
# A custom runtime in shell, as its author writes it: see tests/test_mapping_options_handlers.py.
set -eu
api="http://$AWS_LAMBDA_RUNTIME_API/2018-06-01/runtime/invocation"

# One record a line: what stands before the first is the event's own beginning.
records() { printf '%s' "$1" | sed 's/"eventID"/\n&/g' | tail -n +2; }

partial() {
  echo "DELIVERED [$(records "$1" | sed -n 's/.*"turn":{"N":"\([0-9]*\)"}.*/"\1"/p' | paste -sd, -)]" >&2
  failed="$(records "$1" | grep '"turn":{"N":"2"}' | sed 's/.*"SequenceNumber":"\([^"]*\)".*/{"itemIdentifier":"\1"}/')"
  printf '{"batchItemFailures":[%s]}' "$failed"
}

window() {
  before="$(printf '%s' "$1" | sed -n 's/.*"state":{"count":\([0-9]*\)}.*/\1/p')"
  count=$((${before:-0} + $(records "$1" | grep -c '"eventID"' || true)))
  case "$1" in *'"isFinalInvokeForWindow":true'*) echo "FINAL $count" >&2 ;; esac
  printf '{"state":{"count":%s}}' "$count"
}

while true; do
  headers="$(mktemp)"
  event="$(curl -sS -D "$headers" "$api/next")"
  id="$(grep -i '^lambda-runtime-aws-request-id:' "$headers" | tr -d '\r' | cut -d' ' -f2)"
  rm -f "$headers"
  curl -sS -X POST -d "$("$_HANDLER" "$event")" "$api/$id/response" >/dev/null
done
