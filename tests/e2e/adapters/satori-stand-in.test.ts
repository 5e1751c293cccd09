import {expect, test} from "vitest"
import {makeProject, pluginWith, startHost, type TestHost, until, usuallyOn, whenOver} from "../../support/host/host.ts"
import {eventsOf, textsBy} from "../../support/messages/inbox.ts"
import {messageIn} from "../../support/messages/messages.ts"
import {untilState} from "../../support/platforms/endpoint.ts"
import {startStandInServer} from "../../support/platforms/satori/stand-in.ts"

const endpoint = "satori~one"
const runtime = usuallyOn("node22")
const env = {SATORI_TOKEN: "token-of-the-stand-in"}

/** A plugin that reads each file of a message, answers with its content, and sends a file on request. */
const reader = pluginWith(`
    plugin.on("message-created", async session => {
      if (session.text === "send it") return [{type: "file", attrs: {src: "data:text/plain;base64,aGVsbG8=", title: "a.txt"}, children: []}]
      const answers: string[] = []
      for (const file of session.files) {
        const read = file.read().then(body => new Response(body).text())
        answers.push(file.name + ": " + (await read.catch(error => error.code)))
      }
      return answers.length > 0 ? answers.join(", ") : undefined
    })`)

const setUp = async (plugins: Readonly<Record<string, string>> = {}) => {
  const server = await startStandInServer(whenOver)
  const endpoints = [{id: "one", url: `${server.url}/v1/`, token: "${SATORI_TOKEN}"}]
  const others = Object.fromEntries(Object.keys(plugins).map(name => [name, {}]))
  const config = JSON.stringify({http: {port: 0}, plugins: {satori: {endpoints}, ...others}})
  const project = makeProject({config, plugins})
  const start = async () => {
    const host = await startHost({own: true, runtime, project, env})
    await untilState(host, endpoint, "online")
    return host
  }
  return {server, start, host: await start()}
}

const hears = (host: TestHost, text: string) =>
  until(`the inbox to have "${text}"`, async () => (await textsBy(host, endpoint)).includes(text))

test("malformed data from the server blocks nothing: truncated, unknown, of wrong types, of 10 MB", async () => {
  const {server, host} = await setUp()
  server.sendText('{"op":0,"body":{"sn":1,"type":"message-cre')
  server.sendText("[]")
  server.sendText("null")
  server.sendText(new Uint8Array([1, 2, 3]))
  server.sendText(JSON.stringify({op: 0, body: {sn: 2, type: "message-created", pad: "x".repeat(10_000_000)}}))
  server.send(99, {})
  server.send(0, "no event")
  for (const body of [
    {sn: "three", type: 3, message: [], channel: "hall", user: 5},
    {sn: 4, type: "message-created", message: {id: "m4"}},
    {sn: 5, type: "message-created", channel: {id: {}}, message: {id: [], content: 5}},
    {sn: 6, type: "constructor", channel: {id: "hall"}},
    {sn: 7, type: "interaction/button", button: {id: 7}, timestamp: "now"},
    // The Host rejects these: one holds half a Unicode character, the other an impossible time.
    {sn: 8, type: "message-created", channel: {id: "hall", type: 0}, message: {id: "\ud800", content: "half"}},
    {
      sn: 9,
      type: "message-updated",
      timestamp: 1e300,
      channel: {id: "hall", type: 0.5},
      message: {id: "m9", content: ""},
    },
  ])
    server.send(0, body)
  server.say(10, "still here")
  await hears(host, "still here")
  expect((await eventsOf(host, endpoint)).map(({type}) => type)).toEqual(["interaction/button", "message-created"])
  expect(host.process.output()).not.toContain(env.SATORI_TOKEN)
  await host.stop("SIGKILL")
  expect(server.identified).toEqual([{token: env.SATORI_TOKEN}])
})

test("after kill -9, the client names the last stored event and no later one", async () => {
  const {server, host, start} = await setUp()
  server.say(41, "stored")
  await hears(host, "stored")
  await host.post("/api/ingress/pause")
  server.say(42, "said while ingress is paused")
  await host.stop("SIGKILL")
  const next = await start()
  expect(server.identified.at(-1)).toMatchObject({sn: 41, sequence: 41})
  server.say(42, "said while ingress is paused")
  server.say(43, "and more")
  await next.post("/api/ingress/resume")
  await hears(next, "and more")
  expect(await textsBy(next, endpoint)).toEqual(["stored", "said while ingress is paused", "and more"])
})

test("files open only through the server's proxy with its token, and no address leads elsewhere", async () => {
  const {server} = await setUp({reader})
  server.answer = ({path}) =>
    path.startsWith("proxy/") || path === "message.create" ? Response.json([{id: `sent: ${path}`}]) : undefined
  server.send(5, {proxy_urls: ["https://files.example/"]})
  const before = server.asked.length
  server.say(1, '<img title="one" src="internal:fake/bot/file?a=1&amp;b=2"/>')
  await until("the file to be read", () =>
    server.asked.some(({path}) => path === "proxy/internal:fake/bot/file?a=1&b=2"),
  )
  server.say(2, '<file title="two" src="https://files.example/two"/>')
  await until("the second file", () => server.asked.some(({path}) => path === "proxy/https://files.example/two"))
  server.say(
    3,
    '<img title="three" src="internal:../../../api/status"/><img title="four" src="internal:a/%2e%2e/%2E%2e/%2e%2e/x"/>',
  )
  const texts = () =>
    server.asked.filter(({path}) => path === "message.create").map(({body}) => JSON.parse(body).content)
  await until("three answers", () => texts().length === 3)
  expect(texts()[2]).toBe("three: platform_failed, four: platform_failed")
  const opened = server.asked.slice(before).filter(({path}) => path.startsWith("proxy/"))
  expect(opened).toHaveLength(2)
  expect(opened[0]?.headers).toMatchObject({
    authorization: `Bearer ${env.SATORI_TOKEN}`,
    "satori-platform": "fake",
    "satori-user-id": "bot",
    "x-platform": "fake",
    "x-self-id": "bot",
  })
})

test("a small file is sent inside the message if the server accepts no uploads", async () => {
  const {server} = await setUp({reader})
  server.answer = ({path}) => (path === "message.create" ? Response.json([{id: "sent"}]) : undefined)
  server.say(1, "send it")
  const sent = await until("the file", () => server.asked.find(({path}) => path === "message.create"))
  expect(JSON.parse(sent.body).content).toMatch(/^<file .*src="data:text\/plain[^"]*;base64,aGVsbG8="/)
  expect(server.asked.some(({path}) => path === "upload.create")).toBe(false)
})

/** The final state of a message for each answer of the server. */
const answers: readonly (readonly [string, () => Response, string, string])[] = [
  ["400", () => new Response("bad content", {status: 400}), "failed", "bad content"],
  [
    "403 with the token in it",
    () => new Response(`no ${env.SATORI_TOKEN}`, {status: 403}),
    "failed",
    "403: no [token]",
  ],
  [
    "a redirect",
    () => new Response(null, {status: 302, headers: {location: "https://elsewhere.example/"}}),
    "failed",
    "302",
  ],
  ["a page of a gateway", () => new Response("<html>no</html>", {status: 404}), "failed", "the server answered 404"],
]

test("a message that the server rejects fails with the server's reason", async () => {
  const {server, host} = await setUp()
  for (const [, answer, state, said] of answers) {
    server.answer = answer
    const {id} = await host.post("/api/outbox", {body: {endpoint, channel: "hall", text: "hello"}})
    const ended = await messageIn(host, id, state)
    expect(JSON.stringify(ended)).toContain(said)
    expect(JSON.stringify(ended)).not.toContain(env.SATORI_TOKEN)
  }
})
