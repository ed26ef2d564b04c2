// Leads connections to where CloudFormation's custom resources are answered, by AWS's name and with encryption, to the server,
// which is reached without: https, fetch and all that stands on tls.connect(). Required once an event tells such an address
// (bootstrap.mjs), since what encrypts takes long to load.
"use strict";

const { syncBuiltinESMExports } = require("node:module");
const net = require("node:net");
const tls = require("node:tls");

const isOfAnswers = (host) => /^cloudformation-custom-resource-response-[^.]+\.s3[.-][^/]*amazonaws\.com$/.test(host ?? "");

// (options), (port, options), (port, host, options), each with or without a callback.
function hostOf(values) {
  const options = values.find((value) => typeof value === "object" && value !== null) ?? {};
  if (options.socket || options.path) return undefined; // on the way somebody else has chosen
  return typeof values[1] === "string" ? values[1] : options.host;
}

// `server`: "http://127.0.0.1:4566".
module.exports = function leadAnswersTo(server) {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const { connect } = tls;
  tls.connect = function (...values) {
    if (!isOfAnswers(hostOf(values))) return connect.apply(this, values);
    const socket = net.connect({ host, port: Number(port) });
    Object.assign(socket, { encrypted: true, authorized: true, alpnProtocol: false });
    const callback = values.at(-1);
    if (typeof callback === "function") socket.once("secureConnect", callback);
    return socket.once("connect", () => socket.emit("secureConnect"));
  };
  syncBuiltinESMExports();
};
