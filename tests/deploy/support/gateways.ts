import {mkdirSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {freePort, makeFolder, type Running, root, startProcess, type TestHost, until} from "../../support/host/host.ts"
import {locate} from "../../support/machine/tools.ts"
import type {Certificate} from "./certificate.ts"
import {program} from "./part.ts"

export const gatewayFolder = join(root, "container/gateway/")

export const gatewayNames = ["nginx", "caddy", "haproxy"] as const
export type GatewayName = (typeof gatewayNames)[number]

export const gatewayPrograms = [program("nginx", "nginx-light"), program("caddy"), program("haproxy")]

/** A real gateway from Debian's packages with the shipped template, in front of a Host. */
export interface Gateway {
  readonly name: GatewayName
  /** `https://localhost:<port>`. */
  readonly url: string
  /** The address without TLS. */
  readonly plainUrl: string
  readonly file: string
  readonly process: Running
}

/** How a test runs a template, and which of its values the test replaces. */
interface Recipe {
  readonly file: string
  readonly command: (program: string, file: string) => readonly string[]
  readonly replace: (place: Place) => Readonly<Record<string, string>>
  /** Wraps the template if the program needs a file around it. */
  readonly wrap?: (template: string, place: Place) => string
  readonly env?: (place: Place) => Readonly<Record<string, string>>
}

interface Place {
  readonly folder: string
  readonly port: number
  readonly plainPort: number
  readonly certificate: Certificate
}

const recipes: Readonly<Record<GatewayName, Recipe>> = {
  nginx: {
    file: "nginx.conf",
    command: (program, file) => [program, "-c", file],
    replace: ({port, plainPort, certificate}) => ({
      "listen 80;": `listen 127.0.0.1:${plainPort};`,
      "listen [::]:80;": "",
      "listen 443 ssl http2;": `listen 127.0.0.1:${port} ssl http2;`,
      "listen [::]:443 ssl http2;": "",
      "/etc/ssl/my-bot/fullchain.pem": certificate.certificate,
      "/etc/ssl/my-bot/privkey.pem": certificate.key,
    }),
    wrap: (template, {folder}) => nginxAround(template, folder),
  },
  caddy: {
    file: "Caddyfile",
    command: (program, file) => [program, "run", "--adapter", "caddyfile", "--config", file],
    replace: ({port, plainPort, certificate, folder}) => ({
      "{\n\tservers {": `{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n\tstorage file_system ${folder}/storage\n\tservers {`,
      "# tls /etc/ssl/my-bot/fullchain.pem /etc/ssl/my-bot/privkey.pem": `tls ${certificate.certificate} ${certificate.key}`,
    }),
    env: ({folder}) => ({XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder}),
  },
  haproxy: {
    file: "haproxy.cfg",
    command: (program, file) => [program, "-db", "-f", file],
    replace: ({port, plainPort, certificate}) => ({
      "bind :::80 v4v6": `bind 127.0.0.1:${plainPort}`,
      "bind :::443 v4v6": `bind 127.0.0.1:${port}`,
      "/etc/haproxy/certs/my-bot.pem": certificate.pem,
      "\tlog /dev/log local0\n": "",
      "\tuser haproxy\n": "",
      "\tgroup haproxy\n": "",
    }),
  },
}

/** Returns nginx's own file around a file that it includes in `http`. nginx writes everything to the folder. */
export const nginxAround = (site: string, folder: string): string => {
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const temporary = paths.map(name => `  ${name}_temp_path ${folder}/${name};\n`).join("")
  return `${process.getuid?.() === 0 ? "user root;\n" : ""}daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr warn;
events {
  worker_connections 512;
}
http {
  access_log off;
${temporary}${site}}
`
}

/** Replaces texts that each occur exactly once. Otherwise the test would check another file than the shipped one. */
export const replaceOnce = (template: string, replacements: Readonly<Record<string, string>>): string => {
  let text = template
  for (const [from, to] of Object.entries(replacements)) {
    if (text.split(from).length !== 2) throw new Error(`the template has ${JSON.stringify(from)} not exactly once`)
    text = text.replace(from, () => to)
  }
  return text
}

export const readTemplate = (name: GatewayName): string => readFileSync(join(gatewayFolder, recipes[name].file), "utf8")

/** Starts a gateway in front of `127.0.0.1:<port>` and waits for its answer. `change` alters the template's file. */
export const startGateway = async (
  name: GatewayName,
  hostUrl: string,
  certificate: Certificate,
  change: (template: string) => string = template => template,
): Promise<Gateway> => {
  const {command, replace, wrap = template => template, env = () => ({}), file} = recipes[name]
  const place = {folder: makeFolder(), port: await freePort(), plainPort: await freePort(), certificate}
  const ported = replaceOnce(change(readTemplate(name)), replace(place))
    .replaceAll("127.0.0.1:8068", new URL(hostUrl).host)
    .replaceAll("bot.example.org", "localhost")
  mkdirSync(join(place.folder, "storage"))
  const path = join(place.folder, file)
  writeFileSync(path, wrap(ported, place))
  const running = startProcess(command(locate(name) ?? name, path), {cwd: place.folder, env: env(place)})
  const url = `https://localhost:${place.port}`
  let isOver = false
  void running.finished.then(() => {
    isOver = true
  })
  await until(`${name} to answer`, () => {
    if (isOver) throw new Error("the gateway has ended")
    return fetch(`${url}/pub/health`)
      .then(({status}) => status > 0)
      .catch(() => false)
  }).catch(error => {
    throw new Error(`${error.message}\n${running.output()}`)
  })
  return {name, url, plainUrl: `http://localhost:${place.plainPort}`, file: path, process: running}
}

export const startGateways = (host: TestHost, certificate: Certificate): Promise<readonly Gateway[]> =>
  Promise.all(gatewayNames.map(name => startGateway(name, host.url, certificate)))

/** The Host as a client sees it through a gateway. */
export const through = (host: TestHost, {url}: Pick<Gateway, "url">): TestHost => ({
  ...host,
  url,
  fetch: (path, init = {}) =>
    fetch(`${url}${path}`, {...init, headers: {authorization: `Bearer ${host.token}`, ...init.headers}}),
})

/** Asks each gateway. Resolves to the results by name. */
export const fromEach = async <T>(
  gateways: readonly Gateway[],
  ask: (gateway: Gateway) => Promise<T>,
): Promise<Record<string, T>> =>
  Object.fromEntries(await Promise.all(gateways.map(async gateway => [gateway.name, await ask(gateway)])))

export const forAll = <T>(value: T): Record<string, T> => Object.fromEntries(gatewayNames.map(name => [name, value]))
