import {existsSync, mkdirSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {type Running, runProcess, startProcess, untilPrinted} from "../host/process.ts"
import {makeFolder} from "../machine/folders.ts"
import {holdPort} from "../machine/ports.ts"
import {type Tool, tool} from "../machine/tools.ts"

export * from "./person.ts"

export type IrcServerName = "ngircd" | "inspircd"

/** A real IRC server on its own loopback ports. */
export interface IrcServer {
  readonly port: number
  readonly tlsPort: number
  /** The port for links of other servers, such as services; inspircd only. */
  readonly linkPort: number
  /** The number of client connections accepted so far, over all starts. */
  connections(): number
  /** Stops the process: connections stay open, and nothing answers. */
  freeze(): void
  kill(): Promise<void>
  start(): Promise<void>
}

export interface IrcServerOptions {
  readonly password?: string
  /** Serve TLS at `tlsPort`. */
  readonly tls?: Certificate
  /** Whether ngircd delays clients that send a lot, which is its default. Tests with it take two seconds longer. */
  readonly penalties?: boolean
}

export interface Certificate {
  readonly cert: string
  readonly key: string
}

interface Recipe {
  readonly command: (tool: Tool, folder: string) => readonly string[]
  readonly config: (place: Place, options: IrcServerOptions) => string
  readonly ready: RegExp
  readonly accepted: (port: number, tlsPort: number) => RegExp
}

interface Place {
  readonly folder: string
  readonly tool: Tool
  readonly port: number
  readonly tlsPort: number
  readonly linkPort: number
}

/** The name of a linked services server, and the password of the link. */
export const services = {name: "services.test", password: "link-password"} as const

const ngircd: Recipe = {
  command: ({path}, folder) => [path, "--nodaemon", "--config", join(folder, "server.conf")],
  ready: /Server ".*" \(on .*\) ready/,
  accepted: () => /Accepted connection/g,
  config: ({port, tlsPort}, {password, tls, penalties = false}) => `[Global]
Name = irc.ngircd.test
Info = a server of the tests
AdminEMail = admin@ngircd.test
Listen = 127.0.0.1
Ports = ${port}
MotdPhrase = hello
${password === undefined ? "" : `Password = ${password}`}
[Limits]
MaxConnectionsIP = 0
MaxNickLength = 9
${penalties ? "" : "MaxPenaltyTime = 0"}
[Options]
DNS = no
Ident = no
PAM = no
${tls === undefined ? "" : `[SSL]\nCertFile = ${tls.cert}\nKeyFile = ${tls.key}\nPorts = ${tlsPort}`}
`,
}

const modules = `cap ircv3 ircv3_accounttag ircv3_batch ircv3_ctctags ircv3_msgid ircv3_servertime remove sasl
  services_account spanningtree`.split(/\s+/)

const inspircd: Recipe = {
  command: ({path}, folder) => [path, "--config", join(folder, "server.conf"), "--nofork", "--nopid", "--runasroot"],
  ready: /is now running as/,
  accepted: (port, tlsPort) => new RegExp(`Accepting connection on socket 127\\.0\\.0\\.1:(${port}|${tlsPort}) `, "g"),
  config: ({folder, tool: {root}, port, tlsPort, linkPort}, {password, tls}) => `
<path configdir="${folder}" datadir="${folder}/data" logdir="${folder}" moduledir="${join(root, "usr/lib/inspircd/modules")}">
<server name="irc.inspircd.test" description="a server of the tests" id="97K" network="test">
<admin name="admin" nick="admin" email="admin@inspircd.test">
<bind address="127.0.0.1" port="${port}" type="clients">
<bind address="127.0.0.1" port="${linkPort}" type="servers">
<connect allow="*" timeout="60" localmax="100" globalmax="100" resolvehostnames="no" useident="no" threshold="100000"
  commandrate="1000000" recvq="1048576" ${password === undefined ? "" : `password="${password}"`}>
<dns server="127.0.0.1" timeout="1">
<log method="file" type="* -USERINPUT -USEROUTPUT" level="debug" target="${folder}/server.log" flush="1">
${modules.map(name => `<module name="${name}">`).join("\n")}
<sasl target="${services.name}">
<link name="${services.name}" ipaddr="127.0.0.1" port="${linkPort}" allowmask="127.0.0.1" sendpass="${services.password}"
  recvpass="${services.password}">
<uline server="${services.name}" silent="yes">
${
  tls === undefined
    ? ""
    : `<module name="ssl_gnutls">
<sslprofile name="clients" provider="gnutls" certfile="${tls.cert}" keyfile="${tls.key}">
<bind address="127.0.0.1" port="${tlsPort}" type="clients" sslprofile="clients">`
}
`,
}

const recipes = {ngircd, inspircd}

/** Starts a server; resolves once it serves. It is killed when the test ends. */
export const startIrcServer = async (name: IrcServerName, options: IrcServerOptions = {}): Promise<IrcServer> => {
  const recipe: Recipe = recipes[name]
  const [port, tlsPort, linkPort] = await freePorts()
  const place: Place = {folder: makeFolder(), tool: tool(name), port, tlsPort, linkPort}
  mkdirSync(join(place.folder, "data"))
  writeFileSync(join(place.folder, "server.conf"), recipe.config(place, options))
  const runs: Running[] = []
  const start = async () => {
    const running = startProcess(recipe.command(place.tool, place.folder), {env: place.tool.env})
    runs.push(running)
    await untilPrinted(running, recipe.ready)
  }
  await start()
  // ngircd prints its log; inspircd cannot open a socket as /dev/stdout.
  const logFile = join(place.folder, "server.log")
  const log = () => runs.map(run => run.output()).join("") + (existsSync(logFile) ? readFileSync(logFile, "utf8") : "")
  return {
    port,
    tlsPort,
    linkPort,
    start,
    connections: () => log().match(recipe.accepted(port, tlsPort))?.length ?? 0,
    freeze: () => void runs.at(-1)?.child.kill("SIGSTOP"),
    kill: async () => {
      const running = runs.at(-1)
      running?.child.kill("SIGKILL")
      await running?.finished
    },
  }
}

const freePorts = async (): Promise<[number, number, number]> => {
  const [one, two, three] = [await holdPort(), await holdPort(), await holdPort()]
  await Promise.all([one.release(), two.release(), three.release()])
  return [one.port, two.port, three.port]
}

/** A name that only a test's own list of hosts resolves. */
export const platformHost = "platform.svc.test"

/** A self-signed certificate for 127.0.0.1, localhost and `platformHost`. */
export const makeCertificate = async (): Promise<Certificate> => {
  const folder = makeFolder()
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  const names = `subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:${platformHost}`
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
  const more = ["-days", "2", "-subj", "/CN=localhost", "-addext", names, "-keyout", key, "-out", cert]
  await openssl(...request, ...more)
  return {cert, key}
}

/** The certificate before its renewal: it expired yesterday. */
export const makeExpired = async ({cert, key}: Certificate): Promise<Certificate> => {
  const expired = `${cert}.expired`
  await openssl("x509", "-in", cert, "-signkey", key, "-days", "-1", "-out", expired)
  return {cert: expired, key}
}

const openssl = async (...args: readonly string[]) => {
  const {code, stderr} = await runProcess([tool("openssl").path, ...args])
  if (code !== 0) throw new Error(stderr)
}
