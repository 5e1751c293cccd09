import {describe, expect, test} from "vitest"
import {createVerifier} from "../../../server/runtime/signatures/verifier.ts"
import type {Verify} from "../../../shared/sdk/adapter/verify.ts"
import {Secret} from "../../../shared/secret.ts"
import {
  bunOr,
  eventOf,
  expectProblem,
  type HostOptions,
  pluginWith,
  startHost,
  type TestHost,
  untilState,
} from "../../support/host/host.ts"

const env = {HTTP_TOKEN: "full-token-of-the-test", FORGE_SECRET: "hunter22-of-the-forge"}

/** A plugin with a webhook of each form, and another that hears the events of the first. */
const plugins = {
  forge: pluginWith(`
    const secret = plugin.forgeSecret
    plugin.webhook("pushes", {
      verify: {by: "github", secret}, user: {field: "sender"}, retries: 3, data: Type.Object({ref: Type.String()}),
    }, ({type, data, session}) => session.send({endpoint: "sandbox", channel: "dev"}, type + " " + data.ref))
    plugin.webhook("app", {verify: {by: "slack", secret}}, ({type, data}) => note(JSON.stringify([type, data])))
    plugin.webhook("own", {verify: {by: "hmac", secret, header: "x-mac"}, id: "body"}, ({type, data}) => note(type))
    plugin.webhook("by-function", {
      verify: {by: "bearer", secret}, id: ({headers, data}) => headers.get("x-id") ?? (data as any).id,
    }, ({type, session}) => note(session.event.type))`)
    .replace("setup(plugin) {", "config: Type.Object({secret: Type.Secret()}),\n  setup(plugin, config) {")
    .replace("plugin.forgeSecret", "config.secret"),
  listener: pluginWith(`
    plugin.on("forge/pushes", {data: Type.Object({ref: Type.String()}), retries: 3}, ({data, session}) => {
      note(session.endpoint + " " + data.ref)
    })`),
}

const config = `http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins: {sandbox: {}, forge: {config: {secret: "\${FORGE_SECRET}"}}, listener: {}}
`

type Scheme = Verify extends infer V ? (V extends unknown ? Omit<V, "secret"> : never) : never

const github: Scheme = {by: "github"}
const slack: Scheme = {by: "slack"}
const own: Scheme = {by: "hmac", header: "x-mac"}
const bearer: Scheme = {by: "bearer"}

const json = {"content-type": "application/json"}
const form = {"content-type": "application/x-www-form-urlencoded"}

const post = (
  host: TestHost,
  name: string,
  scheme: Scheme,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = json,
) => {
  const {sign} = createVerifier({...scheme, secret: new Secret(env.FORGE_SECRET)} as Verify)
  const text = typeof body === "string" ? body : Buffer.from(body).toString("latin1")
  return fetch(`${host.url}/hooks/forge/${name}`, {method: "POST", headers: {...sign("", text), ...headers}, body})
}

const push = (host: TestHost, id: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  post(host, "pushes", github, JSON.stringify(body), {
    ...json,
    "x-github-delivery": id,
    "x-github-event": "push",
    ...headers,
  })

const stored = async (host: TestHost) => (await host.get("/api/inbox")).items.map(({seq}) => seq)

const start = async (options: HostOptions = {}) => {
  const host = await startHost({config, plugins, env, ...options})
  for (const name of ["pushes", "app", "own", "by-function"]) await untilState(host, `forge~${name}`, "online")
  return host
}

describe.each(bunOr("node22"))("a webhook that a plugin declares, on $name", runtime => {
  test("is stored before it is acknowledged, and handled once, with its payload", async () => {
    const host = await start({runtime})
    expect(await untilState(host, "forge~pushes", "online")).toMatchObject({webhook: "/hooks/forge/pushes"})
    const answers = await Promise.all([1, 2, 3].map(() => push(host, "d-1", {ref: "main", sender: "ann"})))
    expect(answers.map(({status}) => status)).toEqual([202, 202, 202])
    const told = (await Promise.all(answers.map(answer => answer.json()))) as {id: string; duplicate: boolean}[]
    expect(told.map(({duplicate}) => duplicate).sort()).toEqual([false, true, true])
    const [seq = 0, ...others] = await stored(host)
    expect(others).toEqual([])
    const event = await eventOf(host, seq)
    expect(event).not.toHaveProperty("raw")
    expect(event).toMatchObject({
      endpoint: "forge~pushes",
      eventId: "d-1",
      state: "handled",
      event: {type: "forge/pushes", _type: "push", user: {id: "ann"}, _data: {ref: "main", sender: "ann"}},
      marks: [{handler: "root/forge/webhook/pushes"}, {handler: "root/listener/handler/forge/pushes.0"}],
    })
    expect(host.project.read("notes.log")).toBe("forge~pushes main\n")
    const [message, ...more] = (await host.get("/api/outbox")).items
    expect({...message, more}).toMatchObject({endpoint: "sandbox", channel: "dev", text: "push main", more: []})
  })

  test("that does not fit its schema fails each of its handlers once, without retries", async () => {
    const host = await start({runtime})
    expect((await push(host, "d-1", {ref: 7})).status).toBe(202)
    const [seq = 0] = await stored(host)
    const {state, marks} = await eventOf(host, seq)
    const failed = {state: "failed", attempt: 1, error: expect.stringContaining(" ref ")}
    expect({state, marks}).toMatchObject({state: "failed", marks: [failed, failed]})
    const errors = (await host.get("/api/logs")).items.flatMap(({error}) => (error === undefined ? [] : [error]))
    expect(errors).toMatchObject([{stack: []}, {stack: []}])
  })

  test("is refused unless its signature fits these bytes, and shows no secret", async () => {
    const host = await start({runtime})
    const body = '{"ref":"main"}'
    const wrong = [
      fetch(`${host.url}/hooks/forge/pushes`, {method: "POST", body, headers: json}),
      post(host, "pushes", own, body),
      post(host, "app", github, body),
      post(host, "own", {by: "hmac", header: "x-mac", algorithm: "sha1"}, body),
      post(host, "by-function", bearer, body, {...json, authorization: `Bearer ${env.HTTP_TOKEN}`}),
    ]
    for (const answer of wrong) {
      const problem = await expectProblem(await answer, 403, "signature_invalid")
      expect(JSON.stringify(problem)).not.toContain("hunter22")
    }
    expect(await stored(host)).toEqual([])
  })

  test("is refused unless it is JSON or a form, in UTF-8, of at most 1 MiB, with an id", async () => {
    const host = await start({runtime})
    const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
      post(host, "own", own, body, headers)
    await expectProblem(await send("a", {"content-type": "text/plain"}), 415, "unsupported_media_type")
    for (const body of ["", "{", `${"[".repeat(70)}${"]".repeat(70)}`])
      await expectProblem(await send(body), 400, "request_invalid")
    await expectProblem(await send("payload=%7B", form), 400, "request_invalid")
    await expectProblem(await send(JSON.stringify("x".repeat(2 ** 20))), 413, "body_too_large")
    await expectProblem(await push(host, "", {ref: "main"}), 400, "request_invalid")
    await expectProblem(await push(host, "x".repeat(201), {ref: "main"}), 400, "request_invalid")
    await expectProblem(await post(host, "pushes", github, "{}"), 400, "request_invalid")
    const get = await fetch(`${host.url}/hooks/forge/pushes`)
    expect({status: get.status, allow: get.headers.get("allow")}).toEqual({status: 405, allow: "POST"})
    await expectProblem(await post(host, "none", own, "{}"), 404, "endpoint_unknown")
    expect(await stored(host)).toEqual([])
  })

  test("takes its id from a header, a field, a function or the body, and its data from a form too", async () => {
    const host = await start({runtime})
    const json1 = JSON.stringify({type: "event_callback", event_id: "Ev1", event: {type: "app_mention"}})
    const payload = JSON.stringify({type: "block_actions", trigger_id: "1.2"})
    const pressed = new URLSearchParams({payload}).toString()
    const command = new URLSearchParams({command: "/deploy", text: "now", trigger_id: "1.3"}).toString()
    const deliveries: [string, Scheme, string, Record<string, string>][] = [
      ["app", slack, json1, json],
      ["app", slack, pressed, form],
      ["app", slack, command, form],
      ["own", own, '{"a": 1}', json],
      ["own", own, "[1]", json],
      ["by-function", bearer, "{}", {...json, "x-id": "7"}],
      ["by-function", bearer, '{"id": "8"}', json],
    ]
    for (const each of deliveries) for (const _ of [1, 2]) expect((await post(host, ...each)).ok).toBe(true)
    const seqs = await stored(host)
    const ids = await Promise.all(seqs.toReversed().map(async seq => (await eventOf(host, seq)).eventId))
    expect(ids).toEqual(["Ev1", "1.2", "1.3", expect.stringMatching(/^[0-9a-f]{64}$/), expect.anything(), "7", "8"])
    expect(host.project.read("notes.log").trimEnd().split("\n").sort()).toEqual(
      [
        JSON.stringify(["app_mention", JSON.parse(json1)]),
        JSON.stringify(["block_actions", {type: "block_actions", trigger_id: "1.2"}]),
        JSON.stringify(["/deploy", {command: "/deploy", text: "now", trigger_id: "1.3"}]),
        ...["own", "own", "by-function", "by-function"].map(name => `forge/${name}`),
      ].sort(),
    )
  })

  test("answers a sender that tries the address, and stores nothing", async () => {
    const host = await start({runtime})
    expect((await push(host, "d-1", {zen: "x", hook_id: 1}, {"x-github-event": "ping"})).status).toBe(200)
    const greeting = '{"type":"url_verification","challenge":"abc"}'
    const challenge = await post(host, "app", slack, greeting)
    expect(await challenge.json()).toEqual({challenge: "abc"})
    await expectProblem(await post(host, "app", github, greeting), 403, "signature_invalid")
    expect(await stored(host)).toEqual([])
  })
})

test("while ingress is paused, the sender is asked to retry, and nothing is sent to a webhook", async () => {
  const host = await start()
  await host.post("/api/ingress/pause", {body: {reason: "operator"}})
  const paused = await push(host, "d-1", {ref: "main"})
  expect(Number(paused.headers.get("retry-after"))).toBeGreaterThan(0)
  await expectProblem(paused, 503, "ingress_paused")
  await host.post("/api/ingress/resume")
  expect((await push(host, "d-1", {ref: "main"})).status).toBe(202)
  const body = JSON.stringify({endpoint: "forge~pushes", channel: "a", text: "b"})
  const sent = await host.fetch("/api/outbox", {method: "POST", headers: json, body})
  await expectProblem(sent, 422, "unsupported")
})

test("a user whom a request names is forgotten with its payload", async () => {
  const host = await start()
  await push(host, "d-1", {ref: "words-of-ann", sender: "ann"})
  await push(host, "d-2", {ref: "words-of-bob", sender: "bob"})
  for (const seq of await stored(host)) await eventOf(host, seq)
  await host.post("/api/users/forget", {body: {endpoint: "forge~pushes", user: "ann"}})
  const inbox = JSON.stringify(await Promise.all((await stored(host)).map(seq => eventOf(host, seq))))
  expect(inbox).not.toContain("words-of-ann")
  expect(inbox).toContain("words-of-bob")
})
