import {describe, expect, test} from "vitest"
import type {Answer, At, Input} from "../../../shared/api/operations/client.ts"
import {bunOr, shared, startHost, type TestHost} from "../../support/host/host.ts"

const talker = `import {definePlugin} from "svc-runtime"

export default definePlugin({
  setup(plugin) {
    plugin.command("hello", {description: "Says hello"}, () => "hello you")
    plugin.command("quote", {description: "Quotes"}, () => 'he said "yes" & left')
    plugin.command("fail", {description: "Fails"}, () => { throw new Error("broken") })
    plugin.on("message-created", () => {})
  },
})
`

type Events = Input<At<"GET", "/api/inbox">>
type Messages = Input<At<"GET", "/api/outbox">>
type Bulk = Input<At<"POST", "/api/inbox/bulk">>

const say = async (host: TestHost) => {
  await host.say("hello", {user: "ann", channel: "one"})
  await host.say("fail", {user: "ann", channel: "two"})
  await host.say("100% sure", {user: "bob", channel: "one", id: "three"})
  await host.say("fail", {user: "bob", channel: "two", id: "four"})
  for (const id of ["three", "four", "four"]) await host.say("other words", {user: "bob", channel: "two", id})
  await host.say("fail", {user: "bob", channel: "two", id: "four"})
}

describe.each(bunOr("node24"))("the lists of messages on $name", runtime => {
  const spoken = shared(async () => {
    const host = await startHost({
      runtime,
      config: "http: {port: 0}\nplugins: {sandbox: {}, talker: {}}\n",
      plugins: {talker},
    })
    await say(host)
    return host
  })

  test.each([
    ["/api/outbox", "open", 0],
    ["/api/outbox", "aside", 0],
    ["/api/endpoints", "online", 1],
    ["/api/endpoints", "failed", 0],
    ["/api/plugins", "active", 2],
    ["/api/plugins", "disabled", 0],
  ] as const)("%s with the state %s has %i items", async (path, state, count) => {
    expect((await spoken().get(path, {state})).items.length).toBe(count)
  })

  test("refuse an unknown state with the list of known ones", async () => {
    for (const path of ["/api/inbox", "/api/outbox", "/api/endpoints", "/api/plugins"]) {
      const answer = await spoken().fetch(`${path}?state=lost`)
      expect(answer.status, path).toBe(400)
      expect(JSON.stringify(await answer.json()), path).toMatch(/state: expected one of/)
    }
  })

  test.each<[Events, readonly number[]]>([
    [{user: "ann"}, [2, 1]],
    [{channel: "two"}, [4, 2]],
    [{user: "bob", channel: "two"}, [4]],
    [{text: "100%"}, [3]],
    [{text: "%"}, [3]],
    [{text: "_"}, []],
    [{text: "FAIL"}, [4, 2]],
    [{endpoint: "sandbox"}, [4, 3, 2, 1]],
    [{endpoint: "other"}, []],
    [{plugin: "talker", state: "failed"}, [4, 2]],
    [{plugin: "sandbox"}, []],
    [{state: "failed", user: "ann"}, [2]],
    [{state: "aside"}, [4, 2]],
    [{state: "aside", user: "bob"}, [4]],
    [{state: "open"}, []],
    [{repeats: true}, [4, 3]],
    [{repeats: true, state: "failed"}, [4]],
    [{from: "2000-01-01T00:00:00Z"}, [4, 3, 2, 1]],
    [{to: "2000-01-01T00:00:00Z"}, []],
    [{from: "2100-01-01T00:00:00Z"}, []],
  ])("filter the inbox with %j", async (query, expected) => {
    const page = await spoken().get("/api/inbox", query)
    expect(page.items.map(({seq}) => seq)).toEqual(expected)
    expect(page.next).toBeNull()
  })

  test("say how often an id came again with other content, as the metrics do", async () => {
    const {items} = await spoken().get("/api/inbox", {limit: 2})
    expect(items.map(({repeats}) => repeats)).toEqual([2, 1])
    const page = await (await spoken().fetch("/api/metrics")).text()
    for (const [differs, count] of [
      ["false", 1],
      ["true", 3],
    ])
      expect(page).toContain(`svc_inbox_repeats_total{endpoint="sandbox",differs="${differs}"} ${count}`)
  })

  test("separate two events by a time between them", async () => {
    const host = spoken()
    const {items} = await host.get("/api/inbox")
    const at = items[1]?.receivedAt ?? ""
    expect((await host.get("/api/inbox", {from: at})).items.map(({seq}) => seq)).toEqual([4, 3])
    expect((await host.get("/api/inbox", {to: at})).items.map(({seq}) => seq)).toEqual([2, 1])
    expect((await host.fetch("/api/inbox?from=yesterday")).status).toBe(400)
  })

  test("filter the outbox by text, channel and plugin", async () => {
    const host = spoken()
    const textsOf = async (query: Messages) => (await host.get("/api/outbox", query)).items.map(({text}) => text)
    expect(await textsOf({text: "hello you"})).toEqual(["hello you"])
    expect((await textsOf({channel: "two"})).length).toBeGreaterThan(0)
    expect((await textsOf({plugin: "talker", channel: "one"})).length).toBe(1)
    expect(await textsOf({plugin: "nobody"})).toEqual([])
    await host.say("quote", {user: "cay", channel: "three"})
    expect(await textsOf({text: 'SAID "yes"'})).toEqual(['he said "yes" & left'])
  })

  test("continue below a full page, also with a filter", async () => {
    const host = spoken()
    const first = await host.get("/api/inbox", {state: "failed", limit: 1})
    expect(first).toMatchObject({items: [{seq: 4}], next: "4"})
    const second = await host.get("/api/inbox", {state: "failed", limit: 1, cursor: first.next ?? ""})
    expect(second).toMatchObject({items: [{seq: 2}]})
  })
})

test("a retry covers exactly the rows a filter finds: counted first, then a page at a time", async () => {
  const host = await startHost({config: "http: {port: 0}\nplugins: {sandbox: {}, talker: {}}\n", plugins: {talker}})
  await say(host)
  const bulk = (input: Bulk) => host.post("/api/inbox/bulk", input)
  const dry = {action: "retry", dryRun: true} as const
  expect(await bulk({user: "ann", body: dry})).toMatchObject({count: 1, next: null})
  expect(await bulk({limit: 1, body: dry})).toMatchObject({count: 1, next: "4"})
  expect((await host.get("/api/inbox", {state: "failed"})).items.length).toBe(2)
  expect(await bulk({user: "ann", body: {action: "discard"}})).toMatchObject({count: 1, next: null})
  expect((await host.get("/api/inbox", {state: "discarded"})).items.map(({seq}) => seq)).toEqual([2])
  let next: string | null | undefined
  let count = 0
  while (next !== null) {
    const page: Answer<"POST", "/api/inbox/bulk"> = await bulk({limit: 1, cursor: next, body: {action: "retry"}})
    count += page.count
    next = page.next
  }
  expect(count).toBe(1)
  expect(
    (await host.fetch("/api/inbox/bulk", {method: "POST", body: "{}", headers: {"content-type": "application/json"}}))
      .status,
  ).toBe(400)
})

test("a filter by plugin and state finds and retries only that plugin's own handlers", async () => {
  const failing = (word: string) => `import {definePlugin} from "svc-runtime"
export default definePlugin({
  setup: plugin => plugin.on("message-created", {name: "hear"}, ({text}) => {
    if (text.includes("${word}")) throw new Error("${word}")
  }),
})
`
  const host = await startHost({
    config: "http: {port: 0}\nplugins: {sandbox: {}, left: {}, right: {}}\n",
    plugins: {left: failing("left"), right: failing("right")},
  })
  for (const text of ["left", "right", "left and right"]) await host.say(text)
  const found = async (query: Events) => (await host.get("/api/inbox", query)).items.map(({seq}) => seq)
  expect(await found({plugin: "left", state: "failed"})).toEqual([3, 1])
  expect(await found({plugin: "left", state: "handled"})).toEqual([2])
  expect(await found({plugin: "left"})).toEqual([3, 2, 1])
  const discard = (state?: string) => host.post("/api/inbox/bulk", {plugin: "right", state, body: {action: "discard"}})
  expect(await discard("failed")).toMatchObject({count: 2})
  const {marks} = await host.get("/api/inbox/:seq", {seq: 3})
  expect(marks.map(({state}) => state)).toEqual(["failed", "discarded"])
  expect(await discard()).toMatchObject({count: 0})
})
