import {expect, test} from "vitest"
import {clientAt} from "../../support/host/client.ts"
import {printed, runCommand} from "../../support/host/command-line.ts"
import {bunOr, expectProblem, pluginWith, posting, startHost, type TestHost, until} from "../../support/host/host.ts"
import {fullAndDemo} from "../../support/host/tokens.ts"

const team = pluginWith(`
    plugin.job("digest", {data: Type.Object({room: Type.String()})}, () => {})
    const remind = plugin.timer("remind", {data: Type.Object({text: Type.String()})}, (_, {text}) => text)
    plugin.command("later", async ({session}) => {
      await session.setTimer(remind, {in: 3600000}, {text: "tea"}, {key: "tea"})
      return "set"
    })`)

const config = 'http: {port: 0, token: "${HTTP_TOKEN}", demoToken: "${DEMO_TOKEN}"}\nplugins: {sandbox: {}, team: {}}\n'

const ask = (host: TestHost, token: string, path: string, body: unknown) =>
  host.fetch(path, posting(body, {authorization: `Bearer ${token}`}))

const message = {endpoint: "sandbox", channel: "#team", text: "Stand-up!"}
const standup = {id: "standup", schedule: {cron: "0 9 * * MON-FRI"}, timezone: "Europe/Berlin", target: message}

/** The command line reads the tokens from here. */
const dotenv = Object.entries(fullAndDemo.env)
  .map(([name, value]) => `${name}=${value}\n`)
  .join("")

const {HTTP_TOKEN: full, DEMO_TOKEN: demo} = fullAndDemo.env

test.each(bunOr("node24"))("drafts of jobs and timers are checked, stale changes refused, on $name", async runtime => {
  const host = await startHost({runtime, config, env: fullAndDemo.env, plugins: {team}, files: {".env": dotenv}})
  const post = (path: string, body: unknown) => ask(host, full, path, body)
  const check = (job: object, more: object = {}) => host.post("/api/jobs/check", {body: {job, ...more}})

  // A demo token is refused actions that need the full token, and does not see the fields that an editor needs.
  for (const path of ["/api/jobs/check", "/api/timers/check", "/api/timers", "/api/timers/some/edit"]) {
    await expectProblem(await ask(host, demo, path, {}), 403, "forbidden")
  }
  const right = await check(standup, {viewer: "America/New_York", count: 300})
    .then(() => "taken")
    .catch((error: Error) => error.message)
  expect(right).toContain("count")
  const good = await check(standup, {viewer: "America/New_York", count: 100})
  expect(good.findings).toEqual([])
  expect(good.next?.items).toHaveLength(100)
  expect(good.next?.items[0]?.local).toMatch(/ 09:00 \+0[12]:00$/)
  expect(new Set(good.changes.map(({timezone}) => timezone))).toEqual(new Set(["Europe/Berlin", "America/New_York"]))

  const wrong = async (job: object) => (await check({...standup, ...job})).findings
  expect(await wrong({schedule: {cron: "0 61 * * *"}})).toEqual([
    {path: "schedule.cron", message: expect.stringContaining('hour "61" at column 3'), column: 3},
  ])
  expect(await wrong({timezone: "Europe/Berln"})).toEqual([
    {path: "timezone", message: expect.stringContaining('did you mean "Europe/Berlin"')},
  ])
  expect(await wrong({schedule: {every: "7"}})).toEqual([
    {path: "schedule.every", message: expect.stringMatching(/ m, h /)},
  ])
  expect(await wrong({id: "Stand up"})).toEqual([{path: "id", message: expect.stringContaining("lower-case letters")}])
  expect(await wrong({target: {...message, endpoint: "nowhere"}})).toEqual([
    {path: "target", message: expect.stringMatching(/\bendpoint nowhere$/)},
  ])
  expect(await wrong({target: {plugin: "team", job: "digest", data: {room: 7}}})).toEqual([
    {path: "target.data", message: expect.stringContaining("data.room: expected text")},
  ])
  expect(await wrong({schedule: {at: "2020-01-01T09:00"}})).toEqual([
    {path: "schedule.at", message: expect.stringMatching(/^2020-01-01T09:00 /)},
  ])
  // The times are shown even before the target is typed.
  const {target: _, ...unfinished} = standup
  const half = await check(unfinished)
  expect(half.next?.items).toHaveLength(5)
  expect(half.findings.map(({path}) => path)).toEqual(["target"])
  expect((await check({})).next).toBeNull()
  await expectProblem(
    await post("/api/jobs", {...standup, target: {plugin: "team", job: "digest"}}),
    400,
    "request_invalid",
  )

  const first = await host.post("/api/jobs", {body: standup})
  expect(await wrong({})).toEqual([{path: "id", message: expect.stringMatching(/\bjob standup$/)}])
  expect((await check(standup, {replaces: "standup"})).findings).toEqual([])
  const seen = await clientAt(host.url, demo).get("/api/jobs/:id", {id: "standup"})
  expect(seen).not.toHaveProperty("revision")
  const second = await host.post("/api/jobs/:id/edit", {
    id: "standup",
    body: {label: "one", expectedRevision: first.revision},
  })
  expect(second.revision).not.toBe(first.revision)
  const stale = {label: "two", expectedRevision: first.revision}
  const refused = await expectProblem(await post("/api/jobs/standup/edit", stale), 409, "conflict")
  expect(refused.current).toMatchObject({label: "one"})
  await expectProblem(await post("/api/jobs/standup/remove", {expectedRevision: first.revision}), 409, "conflict")
  expect((await host.get("/api/jobs/:id", {id: "standup"})).label).toBe("one")

  // The command line uses the same routes.
  expect(
    await printed(host.project, ["schedule", "next", "--cron", "0 9 * * *", "--timezone", "Asia/Tokyo"], runtime),
  ).toContain("Asia/Tokyo")
  const faulty = await runCommand(
    host.project,
    ["schedule", "next", "--cron", "0 9 * * FOO", "--timezone", "UTC"],
    runtime,
  )
  expect(faulty.code).not.toBe(0)
  expect(faulty.stderr).toContain('weekday "FOO" at column 9')
  await printed(host.project, ["schedule", "add", "copy", "--like", "standup", "--cron", "0 7 * * *"], runtime)
  expect(await host.get("/api/jobs/:id", {id: "copy"})).toMatchObject({
    label: "one",
    schedule: {cron: "0 7 * * *"},
    target: message,
  })

  const draft = {
    plugin: "team",
    name: "remind",
    when: {in: "1h"},
    data: {text: "coffee"},
    endpoint: "sandbox",
    channel: "#team",
  }
  const look = (timer: object) => host.post("/api/timers/check", {body: {timer}})
  expect((await look(draft)).next?.items).toHaveLength(1)
  expect((await look({...draft, when: {every: "15m"}})).next?.items).toHaveLength(5)
  expect((await look({...draft, when: {cron: "0 9 32 * *", timezone: "UTC"}})).findings).toEqual([
    {path: "when.cron", message: expect.stringMatching(/"32"/), column: 5},
  ])
  expect((await look({...draft, name: "nothing"})).findings.map(({path}) => path)).toEqual(["name"])
  expect((await look({...draft, data: {text: 1}})).findings.map(({path}) => path)).toEqual(["data"])
  await expectProblem(await post("/api/timers", {...draft, endpoint: "nowhere"}), 404, "endpoint_unknown")
  await expectProblem(await post("/api/timers", {...draft, when: {at: "2020-01-01T09:00"}}), 422, "timer_invalid")

  await host.say("/later")
  await expectProblem(await post("/api/timers", {...draft, key: "tea"}), 409, "conflict")
  const {id} = await host.post("/api/timers", {body: draft})
  const timer = await host.get("/api/timers/:id", {id})
  expect(timer).toMatchObject({state: "waiting", channel: "#team", data: {text: "coffee"}})
  await host.post("/api/timers/:id/edit", {id, body: {data: {text: "milk"}, expectedRevision: timer.revision}})
  await expectProblem(
    await post(`/api/timers/${id}/edit`, {when: {in: "2h"}, expectedRevision: timer.revision}),
    409,
    "conflict",
  )
  expect((await host.get("/api/timers/:id", {id})).dueAt).toBe(timer.dueAt)
  await printed(host.project, ["timer", "add", "--like", id, "--in", "24h"], runtime)
  await printed(host.project, ["timer", "edit", id, "--in", "1s"], runtime)
  await until("the timer to fire", async () => {
    const {items} = await host.get("/api/outbox")
    return items.some(({text, channel}) => text === "milk" && channel === "#team")
  })
  await expectProblem(await post(`/api/timers/${id}/edit`, {when: {in: "1h"}}), 404, "timer_unknown")
})
