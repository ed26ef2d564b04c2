// What a process of Node.js trusts beside the authorities that it knows itself: the server's own, from the file that the
// server has put beside the bootstraps. Preloaded (`node --require`), so that workers and forks, which inherit that, trust it too.
//
// NODE_EXTRA_CA_CERTS would say the same, but makes Node.js read all authorities at its start, which takes longer than the
// rest of a sandbox; here they are read by who encrypts. For processes that the function starts the variable is set.
"use strict";

const { readFileSync } = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const path = require("node:path");
const tls = require("node:tls");

const AUTHORITY = path.join(__dirname, "../etc/authority.pem");
const { createSecureContext } = tls;
let authority = null;

tls.createSecureContext = function (options) {
  const context = createSecureContext.apply(this, arguments);
  // Who says whom to trust means nobody else.
  if (!options?.ca && !options?.secureContext) context.context.addCACert((authority ??= readFileSync(AUTHORITY)));
  return context;
};
syncBuiltinESMExports();

process.env.NODE_EXTRA_CA_CERTS = AUTHORITY;
