import {pbkdf2Sync, randomBytes} from "node:crypto"
import {existsSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {type Running, startProcess, untilPrinted} from "../../host/process.ts"
import {makeFolder} from "../../host/project.ts"
import {freePort} from "../../machine/ports.ts"
import {tool} from "../../machine/tools.ts"

/** A real broker, mosquitto, on its own loopback ports, which stores its sessions on disk. */
export interface Broker {
  readonly url: string
  readonly websocketUrl: string
  readonly tlsUrl: string
  /** How often it accepted clients whose id begins like this, over all starts. */
  connects(clientId: string): number
  /** The number of connected clients whose id begins like this. */
  connections(clientId: string): number
  log(): string
  /** Stops it, so that its sessions are on disk. */
  stop(): Promise<void>
  start(): Promise<void>
}

export interface BrokerOptions {
  /**
   * The access control: a password file with an access list, which refuses only publishing; or the roles of the dynamic
   * security plugin, which also refuses subscriptions and knows only the user `bot`, below `free/`.
   */
  readonly access?: "files" | "roles"
  /** Serve TLS with this certificate. */
  readonly tls?: {readonly cert: string; readonly key: string}
}

/** The users of the broker's password file; `narrow` may read and write only below `free/`. */
export const passwords = {bot: "bot-password", ann: "ann-password", narrow: "narrow-password"} as const

const acl = `user bot
topic readwrite #
user ann
topic readwrite #
user narrow
topic readwrite free/#
`

const iterations = 101

/** PBKDF2 with SHA-512 (mosquitto_passwd(1)). */
const hashOf = (password: string) => {
  const salt = randomBytes(12)
  const hash = pbkdf2Sync(password, salt, iterations, 64, "sha512")
  return {salt: salt.toString("base64"), password: hash.toString("base64"), iterations}
}

const writeFiles = (folder: string): string => {
  const users = Object.entries(passwords).map(([name, secret]) => {
    const {salt, password} = hashOf(secret)
    return `${name}:$7$${iterations}$${salt}$${password}\n`
  })
  writeFileSync(join(folder, "users"), users.join(""), {mode: 0o600})
  writeFileSync(join(folder, "acl"), acl, {mode: 0o600})
  return `password_file ${folder}/users\nacl_file ${folder}/acl`
}

const writeRoles = (folder: string): string => {
  const acls = ["subscribePattern", "publishClientSend"].map(acltype => ({acltype, topic: "free/#", allow: true}))
  const security = {
    defaultACLAccess: {publishClientSend: false, publishClientReceive: true, subscribe: false, unsubscribe: true},
    clients: [{username: "bot", ...hashOf(passwords.bot), roles: [{rolename: "free"}]}],
    groups: [],
    roles: [{rolename: "free", acls}],
  }
  writeFileSync(join(folder, "roles.json"), JSON.stringify(security), {mode: 0o600})
  return `plugin ${dynamicSecurity()}\nplugin_opt_config_file ${folder}/roles.json`
}

const dynamicSecurity = (): string => {
  const {root} = tool("mosquitto")
  const places = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map(machine => join(root, "usr/lib", machine))
  const found = places.map(place => join(place, "mosquitto_dynamic_security.so")).find(existsSync)
  if (found === undefined) throw new Error("mosquitto_dynamic_security.so is missing")
  return found
}

/** Starts a broker; resolves once it serves. It is killed when the test ends. */
export const startBroker = async ({access = "files", tls}: BrokerOptions = {}): Promise<Broker> => {
  const [port, webPort, tlsPort] = [await freePort(), await freePort(), await freePort()]
  const {path, env} = tool("mosquitto")
  const folder = makeFolder()
  const secure = tls === undefined ? "" : `listener ${tlsPort} 127.0.0.1\ncertfile ${tls.cert}\nkeyfile ${tls.key}\n`
  const conf = `${process.getuid?.() === 0 ? "user root" : ""}
per_listener_settings false
listener ${port} 127.0.0.1
listener ${webPort} 127.0.0.1
protocol websockets
${secure}persistence true
persistence_location ${folder}/
allow_anonymous false
${access === "files" ? writeFiles(folder) : writeRoles(folder)}
log_dest stderr
log_type all
`
  writeFileSync(join(folder, "mosquitto.conf"), conf)
  const runs: Running[] = []
  const start = async () => {
    const running = startProcess([path, "-c", join(folder, "mosquitto.conf")], {env})
    runs.push(running)
    await untilPrinted(running, "running")
  }
  await start()
  const log = () => runs.map(run => run.output()).join("")
  return {
    url: `mqtt://127.0.0.1:${port}`,
    websocketUrl: `ws://127.0.0.1:${webPort}`,
    tlsUrl: `mqtts://127.0.0.1:${tlsPort}`,
    connects: clientId => log().match(new RegExp(` as ${clientId}\\S* \\(`, "g"))?.length ?? 0,
    log,
    connections: clientId => {
      const output = runs.at(-1)?.output() ?? ""
      const open = output.match(new RegExp(`Sending CONNACK to ${clientId}\\S* \\([01], 0\\)`, "g"))?.length ?? 0
      const ended = new RegExp(`Client ${clientId}\\S* (disconnected|closed|already connected)`, "g")
      return open - (output.match(ended)?.length ?? 0)
    },
    stop: async () => {
      const run = runs.at(-1)
      run?.child.kill("SIGTERM")
      // Mosquitto loses a signal that arrives between "running" and its loop.
      const again = setInterval(() => run?.child.kill("SIGTERM"), 500)
      await run?.finished
      clearInterval(again)
    },
    start,
  }
}
