import {pbkdf2Sync, randomBytes} from "node:crypto"
import {existsSync, writeFileSync} from "node:fs"
import {dirname, join} from "node:path"
import {type Running, startProcess, until, untilPrinted} from "../../host/process.ts"
import {makeFolder} from "../../host/project.ts"
import {freePort} from "../../machine/ports.ts"
import {tool} from "../../machine/tools.ts"

/** A real broker, mosquitto, on loopback ports of its own, which keeps its sessions on disk. */
export interface Broker {
  readonly url: string
  readonly websocketUrl: string
  readonly tlsUrl: string
  /** How often a client whose id begins so was let in, over all its starts. */
  connects(clientId: string): number
  /** How many clients are connected whose id begins so. */
  connections(clientId: string): number
  /** Ends it, so that its sessions are on disk. */
  stop(): Promise<void>
  /** Starts it again, on the same ports. */
  start(): Promise<void>
}

export interface BrokerOptions {
  /** What mosquitto.conf has beside. */
  readonly config?: string
  /** Serve TLS with this certificate. */
  readonly tls?: {readonly cert: string; readonly key: string}
}

/** The users of the broker's password file; `narrow` may only read and write below `free/`. */
export const passwords = {bot: "bot-password", ann: "ann-password", narrow: "narrow-password"} as const

const acl = `user bot
topic readwrite #
user ann
topic readwrite #
user narrow
topic readwrite free/#
`

/** A line of a password file: PBKDF2 with SHA-512 (mosquitto_passwd(1)). */
const entryOf = ([name, password]: readonly [string, string]): string => {
  const salt = randomBytes(12)
  const hash = pbkdf2Sync(password, salt, 101, 64, "sha512")
  return `${name}:$7$101$${salt.toString("base64")}$${hash.toString("base64")}\n`
}

/** Starts a broker, and resolves once it serves. It is killed when the test has ended. */
export const startBroker = async ({config = "", tls}: BrokerOptions = {}): Promise<Broker> => {
  const [port, webPort, tlsPort] = [await freePort(), await freePort(), await freePort()]
  const {path, env} = tool("mosquitto")
  const folder = makeFolder()
  writeFileSync(join(folder, "users"), Object.entries(passwords).map(entryOf).join(""), {mode: 0o600})
  writeFileSync(join(folder, "acl"), acl, {mode: 0o600})
  const secure = tls === undefined ? "" : `listener ${tlsPort} 127.0.0.1\ncertfile ${tls.cert}\nkeyfile ${tls.key}\n`
  const conf = `${process.getuid?.() === 0 ? "user root" : ""}
per_listener_settings false
listener ${port} 127.0.0.1
listener ${webPort} 127.0.0.1
protocol websockets
${secure}persistence true
persistence_location ${folder}/
allow_anonymous false
password_file ${folder}/users
acl_file ${folder}/acl
log_dest stderr
log_type all
${config}
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
  const connects = (clientId: string) => log().match(new RegExp(` as ${clientId}\\S* \\(`, "g"))?.length ?? 0
  return {
    url: `mqtt://127.0.0.1:${port}`,
    websocketUrl: `ws://127.0.0.1:${webPort}`,
    tlsUrl: `mqtts://127.0.0.1:${tlsPort}`,
    connects,
    connections: clientId => {
      const output = runs.at(-1)?.output() ?? ""
      const open = output.match(new RegExp(`Sending CONNACK to ${clientId}\\S* \\([01], 0\\)`, "g"))?.length ?? 0
      const ended = new RegExp(`Client ${clientId}\\S* (disconnected|closed|already connected)`, "g")
      return open - (output.match(ended)?.length ?? 0)
    },
    stop: async () => {
      runs.at(-1)?.child.kill("SIGTERM")
      await runs.at(-1)?.finished
    },
    start,
  }
}

/** The folder of mosquitto's plugin for accounts and access of its own; undefined where the package has none. */
export const dynamicSecurity = (): string | undefined => {
  const {path, root} = tool("mosquitto")
  const library = "mosquitto_dynamic_security.so"
  return [join(root, "usr/lib"), join(dirname(path), "../lib")]
    .flatMap(folder => ["x86_64-linux-gnu", "aarch64-linux-gnu"].map(arch => join(folder, arch, library)))
    .find(existsSync)
}

/** Waits until the broker has a client whose id begins so. */
export const untilConnected = (broker: Broker, clientId: string): Promise<unknown> =>
  until(`${clientId} at the broker`, () => broker.connections(clientId) > 0)
