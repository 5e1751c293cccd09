import {mkdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {startProcess, untilPrinted} from "../../host/process.ts"
import {makeFolder} from "../../machine/folders.ts"
import {freePort} from "../../machine/ports.ts"
import {tool} from "../../machine/tools.ts"

export interface ProsodyOptions {
  /** The accounts of the server `localhost`: passwords by name. */
  readonly accounts: Readonly<Record<string, string>>
  /** Serve STARTTLS with this certificate. */
  readonly tls?: {readonly cert: string; readonly key: string}
  readonly archives?: boolean
  /** How long an archive keeps a message; a week by default. */
  readonly expires?: string
}

/** A real Prosody on its own loopback ports: `localhost`, rooms at `rooms.localhost`, `uploads.localhost`. */
export interface Prosody {
  readonly port: number
  /** The port for TLS from the first byte, if it serves TLS. */
  readonly tlsPort: number
  readonly log: () => string
}

const modules = "c2s saslauth roster disco carbons ping offline message presence iq posix".split(" ")

const quote = (text: string) => JSON.stringify(text)

/** The hash rounds of a login: a client with WebCrypto would take a second for the 10,000 of a real server. */
const iterations = 100

const configOf = (
  {tls, archives = true, expires = "1w"}: ProsodyOptions,
  {folder, root, port, tlsPort, httpPort}: Place,
): string => `
run_as_root = true
daemonize = false
pidfile = ${quote(join(folder, "prosody.pid"))}
data_path = ${quote(join(folder, "data"))}
plugin_paths = {${quote(join(root, "usr/lib/prosody/modules"))}}
interfaces = {"127.0.0.1"}
c2s_ports = {${port}}
c2s_direct_tls_ports = {${tls === undefined ? "" : tlsPort}}
s2s_ports = {}
http_ports = {${httpPort}}
https_ports = {}
http_interfaces = {"127.0.0.1"}
http_external_url = "http://127.0.0.1:${httpPort}/"
http_default_host = "uploads.localhost"
modules_disabled = {"s2s"}
modules_enabled = {${[...modules, ...(tls === undefined ? [] : ["tls"]), ...(archives ? ["mam"] : [])].map(quote).join(", ")}}
authentication = "internal_hashed"
default_iteration_count = ${iterations}
storage = "internal"
c2s_require_encryption = false
allow_unencrypted_plain_auth = false
archive_expires_after = ${quote(expires)}
${tls === undefined ? "" : `ssl = {certificate = ${quote(tls.cert)}, key = ${quote(tls.key)}}\nc2s_direct_tls_ssl = ssl`}
log = {debug = "*console"}

VirtualHost "localhost"
Component "rooms.localhost" "muc"
  modules_enabled = {${archives ? '"muc_mam", ' : ""}"muc_moderation"}
  muc_log_by_default = true
  muc_log_all_rooms = ${archives}
Component "uploads.localhost" "http_file_share"
  http_file_share_size_limit = 1000000
`

interface Place {
  readonly folder: string
  readonly root: string
  readonly port: number
  readonly tlsPort: number
  readonly httpPort: number
}

/** Starts a server; resolves once it serves. It is killed when the test ends. */
export const startProsody = async (options: ProsodyOptions): Promise<Prosody> => {
  const {path, root, env} = tool("prosody")
  const folder = makeFolder()
  const [port, tlsPort, httpPort] = [await freePort(), await freePort(), await freePort()]
  const accounts = join(folder, "data/localhost/accounts")
  mkdirSync(accounts, {recursive: true})
  for (const [name, password] of Object.entries(options.accounts))
    writeFileSync(join(accounts, `${name}.dat`), `return { ["password"] = ${quote(password)}; };\n`)
  const config = join(folder, "prosody.cfg.lua")
  writeFileSync(config, configOf(options, {folder, root, port, tlsPort, httpPort}))
  const running = startProcess([join(root, "usr/bin/lua5.4"), path, "-F", "--config", config], {
    env: {...env, ...(root === "/" ? {} : lookup(root))},
  })
  await untilPrinted(running, new RegExp(`Activated service 'c2s' on \\[127\\.0\\.0\\.1\\]:${port}`))
  if (root !== "") await untilPrinted(running, /Activated service 'http' on/)
  return {port, tlsPort, log: () => running.output()}
}

/** The Lua search paths in an unpacked package. */
const lookup = (root: string) => ({
  LUA_PATH: ["usr/lib/prosody/?.lua", "usr/share/lua/5.4/?.lua", "usr/share/lua/5.4/?/init.lua"]
    .map(path => join(root, path))
    .join(";"),
  LUA_CPATH: ["usr/lib/prosody/?.so", "usr/lib/x86_64-linux-gnu/lua/5.4/?.so"].map(path => join(root, path)).join(";"),
})
