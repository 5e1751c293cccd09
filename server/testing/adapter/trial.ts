import {mkdir, mkdtemp, rm, writeFile} from "node:fs/promises"
import {tmpdir} from "node:os"
import {join} from "node:path"
import type {EndpointView} from "../../../shared/api/endpoints.ts"
import {omitUndefined, toJson} from "../../../shared/json.ts"
import {askHost, until} from "../asking.ts"
import {HostUnderTest} from "./host-under-test.ts"
import type {AccountUnderTest, AdapterUnderTest, Heard, HostAddress, PlatformUnderTest} from "./platform.ts"

/** An endpoint as the API reports it. */
export interface EndpointState extends EndpointView {
  readonly limits: {readonly text?: number; readonly file?: number}
}

/** Results of the checks of one suite, for later checks. */
export interface Found {
  /** The endpoint as it was last seen online. */
  endpoint?: EndpointState
  /** The Host's response status for each Satori method whose feature the adapter does not name. */
  refusals?: Readonly<Record<string, number>>
}

/** The platform and Hosts of one check. `close` ends all of them. */
export interface Trial {
  readonly found: Found
  /** Waits for an expected event, as long as the adapter's author allows. */
  until<T>(what: string, find: () => Promise<T | undefined | false>): Promise<T>
  readonly adapter: AdapterUnderTest
  readonly platform: PlatformUnderTest
  readonly endpoint: string
  /** Begins another check in the same Host; resolves to whether one runs. */
  continues(): Promise<boolean>
  /** Returns the bot's messages in the channel since the check began. */
  heard(): Promise<readonly Heard[]>
  /** Returns the address of the running Host; undefined while there is none. */
  address(): HostAddress | undefined
  /** Starts a Host with `account` instead of the adapter's, or reconfigures the running one. Waits for nothing else. */
  start(account?: AccountUnderTest): Promise<HostUnderTest>
  /** Has a Host run with the account, online. With `withTypist`, a plugin answers messages by showing that it types. */
  connect(withTypist?: boolean): Promise<HostUnderTest>
  read(host: HostUnderTest): Promise<EndpointState>
  untilState(host: HostUnderTest, state: string): Promise<EndpointState>
  /** Returns the texts of the endpoint's messages in the inbox since the check began, oldest first. */
  received(host: HostUnderTest): Promise<readonly string[]>
  /** Sends a message to the channel. Resolves to its outbox id. */
  send(host: HostUnderTest, text: string): Promise<string>
  /** Calls a method of the Host's Satori server, which makes the adapter act. */
  satori(host: HostUnderTest, method: string, body: Readonly<Record<string, unknown>>): Promise<Response>
  /** Waits until a message of the outbox is in this state. */
  untilSent(host: HostUnderTest, id: string, state: string): Promise<{readonly attempt: number}>
  /** Removes the plugin from the configuration of a running Host. */
  remove(host: HostUnderTest): Promise<void>
  close(): Promise<void>
}

export const openTrial = async (adapter: AdapterUnderTest, found: Found): Promise<Trial> => {
  const folder = await mkdtemp(join(tmpdir(), "svc-adapter-"))
  const undos: (() => unknown)[] = [() => rm(folder, {recursive: true, force: true})]
  const close = async () => {
    for (const undo of undos.splice(0).reverse()) await undo()
  }
  try {
    return await openIn(folder, adapter, found, undos, close)
  } catch (error) {
    await close()
    throw error
  }
}

const openIn = async (
  folder: string,
  adapter: AdapterUnderTest,
  found: Found,
  undos: (() => unknown)[],
  close: () => Promise<void>,
): Promise<Trial> => {
  const {name = "adapter", slot = name, env = {}, patience = 60_000} = adapter
  const untilFound: Trial["until"] = (what, find) => until(what, patience, find)
  const platform = await adapter.platform(undo => undos.push(undo))
  const endpoint = platform.account === undefined ? slot : `${slot}~${platform.account.id}`
  let running: HostUnderTest | undefined
  let configured = ""
  let before = {heard: 0, received: 0}
  const addressOf = ({url, token}: HostUnderTest): HostAddress => ({
    url,
    hook: `${url}/hooks/${name}/${endpoint}`,
    token,
  })
  const start = async (account = platform.account, withTypist = false) => {
    const {plugins} = configOf(adapter, name, account)
    const config = {plugins: withTypist ? {...plugins, typist: {}} : plugins}
    const asked = toJson(config)
    if (withTypist) {
      await mkdir(join(folder, "plugins"), {recursive: true})
      await writeFile(join(folder, "plugins/typist.ts"), typist)
    }
    if (running?.isRunning) {
      if (asked !== configured) await running.reconfigure(config)
      configured = asked
      return running
    }
    const host = await HostUnderTest.start({folder, config, env})
    running = host
    configured = asked
    undos.push(() => host.kill())
    await platform.started?.(addressOf(host))
    return host
  }
  const read = async (host: HostUnderTest) => {
    const {items} = await host.api.get("/api/endpoints", {limit: 500})
    const about = items.find(each => each.name === endpoint)
    if (about === undefined)
      throw new Error(`there is no endpoint ${endpoint}; the endpoints are ${items.map(({name}) => name)}`)
    if (about.state === "online") found.endpoint = about
    return about
  }
  const untilState = async (host: HostUnderTest, state: string) => {
    let last: EndpointState | undefined
    const find = async () => {
      last = await read(host)
      return last.state === state && last
    }
    return untilFound(`${endpoint} to be ${state}`, find).catch(error => {
      throw new Error(`${error.message}; it is ${JSON.stringify(last)}`)
    })
  }
  const address = () => running && addressOf(running)
  const heard = async () => (await platform.heard(address)).slice(before.heard)
  return {
    found,
    adapter,
    until: untilFound,
    platform,
    endpoint,
    address,
    start,
    connect: async withTypist => {
      const host = await start(platform.account, withTypist)
      await untilState(host, "online")
      return host
    },
    read,
    untilState,
    received: async host => (await readTexts(host, endpoint, platform.channel)).slice(before.received),
    heard,
    continues: async () => {
      if (!running?.isRunning) return false
      const received = (await readTexts(running, endpoint, platform.channel)).length
      before = {heard: before.heard + (await heard()).length, received}
      return true
    },
    send: async (host, text) => {
      const body = {endpoint, channel: platform.channel, text}
      return (await host.api.post("/api/outbox", {body})).id
    },
    satori: async (host, method, body) => {
      const {login} = await read(host)
      const headers = {"satori-platform": login?.platform ?? "", "satori-user-id": login?.user?.id ?? ""}
      return askHost({url: host.url, token: host.token, headers}, `/satori/v1/${method}`, body)
    },
    untilSent: (host, id, state) =>
      untilFound(`message ${id} to be ${state}`, async () => {
        const row = await host.api.get("/api/outbox/:id", {id})
        return row.state === state && row
      }),
    remove: host => host.reconfigure({plugins: {}}),
    close,
  }
}

const typist = `import {definePlugin} from "svc-runtime"
export default definePlugin({
  setup(plugin) {
    plugin.on("message-created", async session => session.typing())
  },
})
`

const configOf = ({use, config}: AdapterUnderTest, name: string, account: AccountUnderTest | undefined) => ({
  plugins: {[name]: omitUndefined({use: use === name ? undefined : use, config, endpoints: account && [account]})},
})

const readTexts = async (host: HostUnderTest, endpoint: string, channel: string): Promise<readonly string[]> => {
  const texts: string[] = []
  let cursor: string | undefined
  for (;;) {
    const page = await host.api.get("/api/inbox", {limit: 200, cursor})
    for (const item of page.items) {
      const {message, channel: said} = item.event
      if (item.endpoint === endpoint && said?.id === channel && message !== undefined) texts.push(message.content)
    }
    if (page.next === null) return texts.reverse()
    cursor = page.next
  }
}
