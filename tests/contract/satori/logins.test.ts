import {expect, test} from "vitest"
import {reload} from "../../support/host/generation.ts"
import {expectProblem, pluginWith, startHost, type TestHost, until, wirePlugin} from "../../support/host/host.ts"
import {messageIn, tell} from "../../support/messages/messages.ts"
import {askSatori, connectSatori, type SatoriClient} from "../../support/satori/satori.ts"

interface Login {
  readonly sn: number
  readonly platform: string
  readonly status: number
  readonly user: {readonly id: string}
}

const configWith = (...ids: readonly string[]) => {
  const endpoints = JSON.stringify(ids.map(id => ({id})))
  return `http: {port: 0}\nplugins:\n  sandbox: {}\n  wire: {endpoints: ${endpoints}}\n`
}

const loginsOf = async (host: TestHost) => (await host.plugin<{logins: Login[]}>("/satori/v1/meta", {})).logins

const online = (host: TestHost, count: number) =>
  until(`${count} logins to be online`, async () => {
    const logins = await loginsOf(host)
    return logins.length === count && logins.every(({status}) => status === 1) && logins
  })

const hears = (client: SatoriClient, type: string, user: string) =>
  until(`${type} of ${user}`, () =>
    client.signals
      .map(({body}) => body as {type?: string; sn: number; login: Login})
      .findLast(body => body.type === type && body.login.user.id === user),
  )

const headersOf = ({platform, user}: Pick<Login, "platform" | "user">) => ({
  "satori-platform": platform,
  "satori-user-id": user.id,
})

test("logins follow the endpoints of a generation, and their events repeat the client's sn", async () => {
  const host = await startHost({config: configWith("a"), plugins: {wire: wirePlugin}, args: ["--no-watch"]})
  await online(host, 2)
  const client = await connectSatori(host)
  await client.hears(4)
  await host.plugin("/api/plugins/wire/receive/wire~a", {id: "1", text: "one", channel: "c"})
  const [one] = await client.hearsMessages(1)
  expect(one).toMatchObject({sn: 1, platform: "wire", self_id: "wire~a"})
  host.project.write("svc.config.yml", configWith("b"))
  await reload(host)
  expect(await hears(client, "login-added", "wire~b")).toMatchObject({sn: 1, login: {platform: "wire"}})
  expect(await hears(client, "login-removed", "wire~a")).toMatchObject({sn: 1})
  expect(client.sn()).toBe(1)

  const late = await connectSatori(host, {identify: {sn: 0}})
  await late.hearsMessages(1)
  const types = late.signals.map(({op, body}) => (op === 4 ? "ready" : body.type))
  expect(types).toEqual(["ready", "login-added", "message-created"])
  expect(await hears(late, "login-added", "wire~a")).toMatchObject({login: {status: 0}})
})

test("a platform without reactions answers reaction.create with 501", async () => {
  const host = await startHost({config: configWith("a"), plugins: {wire: wirePlugin}})
  const wire = (await online(host, 2)).find(({platform}) => platform === "wire")
  if (wire === undefined) throw new Error("the wire is online")
  const reaction = {channel_id: "c", message_id: "1", emoji_id: "x"}
  await expectProblem(await askSatori(host, "reaction.create", reaction, headersOf(wire)), 501, "not_implemented")
})

const twins = pluginWith(`
    plugin.adapter("twin", {
      history: "none", account: Type.Object({}),
      open: async (_, endpoint) => {
        if (existsSync(join(plugin.project, "offline"))) await sleep(60_000, undefined, {signal: endpoint.signal})
        endpoint.login({platform: "net", user: {id: "bot"}})
        return {send: async message => ({ids: [message.id]})}
      },
    })`)

test("two endpoints of one platform and user stay apart, and accept messages before they connect", async () => {
  const config = `http: {port: 0}\nplugins:\n  twins: {endpoints: [{id: one}, {id: two}]}\n`
  const host = await startHost({config, plugins: {twins}})
  const logins = await online(host, 2)
  expect(logins.map(({platform, user}) => [platform, user.id])).toEqual([
    ["net", "bot"],
    ["twin~two", "bot"],
  ])
  host.project.write("offline", "")
  await host.stop()
  const next = await startHost({project: host.project})
  expect((await loginsOf(next)).map(({platform, status}) => [platform, status])).toEqual([
    ["net", 2],
    ["twin~two", 2],
  ])
  for (const login of logins) {
    const answer = await askSatori(next, "message.create", {channel_id: "c", content: "hi"}, headersOf(login))
    const [message] = (await answer.json()) as {id: string}[]
    const endpoint = login.platform === "net" ? "twin~one" : "twin~two"
    expect(await messageIn(next, message?.id ?? "", "queued")).toMatchObject({endpoint, channel: "c"})
  }
})

test("http.base prefixes methods and events; message.create is refused while ingress is paused", async () => {
  const host = await startHost({config: "http: {port: 0, base: /bot}\nplugins: {sandbox: {}}\n"})
  expect(host.url).toMatch(/\/bot$/)
  await online(host, 1)
  const client = await connectSatori(host)
  await client.hears(4)
  await tell(host, {text: "hello", group: true})
  await client.hearsMessages(1)
  expect((await fetch(`${new URL(host.url).origin}/satori/v1/meta`, {method: "POST"})).status).toBe(404)
  await host.post("/api/ingress/pause")
  await expectProblem(await askSatori(host, "message.create", {channel_id: "c", content: "hi"}), 503, "ingress_paused")
})
