import {setImmediate as turn} from "node:timers/promises"
import {expect, test} from "vitest"
import {createApp} from "../../../server/http/app.ts"
import {createDoor} from "../../../server/http/door.ts"
import {createGate} from "../../../server/http/gate.ts"
import {startingStatus} from "../../../server/http/public/status-board.ts"
import {RequestMeter} from "../../../server/http/request-meter.ts"
import {hidingFolder, problemAnswer} from "../../../server/http/requests/answers.ts"
import {loadRuntime} from "../../../server/runtime/engines/load-runtime.ts"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Route} from "../../../shared/route.ts"
import {Secret} from "../../../shared/secret.ts"
import {Type} from "../../../shared/type.ts"
import {raw} from "../../support/http/raw.ts"

const serving = (...routes: readonly Partial<Route>[]) => {
  const door = createDoor({
    tokens: {token: new Secret("full"), demoToken: new Secret("demo")},
    settings: () => ({corsOrigins: ["https://console.example"], trustedProxies: []}),
  })
  const {log} = createLogs({level: "error", format: "json", colors: false, write: () => {}})
  const requests = new RequestMeter()
  const whole = (route: Partial<Route>): Route => ({
    method: "GET",
    path: "/seen",
    permission: "demo",
    summary: "",
    response: {},
    handle: (_, call) => call.json(Type.Any(), {}),
    ...route,
  })
  const app = createApp({routes: () => routes.map(whole), door, log, requests, scrub: json => json})
  const ask = (token: string, path = "/seen", method = "GET") =>
    app.fetch(new Request(`http://host${path}`, {method, headers: {authorization: `Bearer ${token}`}}), () => "")
  const recall = (token: string, path = "/seen") => app.recall(path, `Bearer ${token}`)
  return {app, log, requests, ask, recall}
}

const Seen = Type.Object({count: Type.Integer(), who: Type.String({private: true})})

test("an answer that awaits nothing is no promise", () => {
  expect(serving({}).ask("full")).toBeInstanceOf(Response)
})

test("the next turn, and whoever asks after an action, sees what changed meanwhile", async () => {
  let count = 0
  const {ask, recall} = serving(
    {perTurn: true, handle: (_, call) => call.json(Seen, {count, who: "ada"}, {status: count > 1 ? 503 : 200})},
    {method: "POST", permission: "operator", handle: (_, call) => call.json(Type.Any(), {count: ++count})},
    {path: "/other"},
  )
  const recalled = (token: string) => {
    const {status, body} = recall(token) ?? {}
    return status && body && [status, JSON.parse(body)]
  }
  expect(recalled("full")).toBeUndefined()
  void ask("full")
  expect(["full", "demo", "wrong"].map(recalled)).toEqual([[200, {count: 0, who: "ada"}], undefined, undefined])
  void ask("demo")
  expect(["full", "demo"].map(recalled)).toEqual([
    [200, {count: 0, who: "ada"}],
    [200, {count: 0}],
  ])
  await ask("full", "/seen", "POST")
  expect(["full", "demo"].map(recalled)).toEqual([undefined, undefined])
  count++
  void ask("full")
  expect(recalled("full")).toEqual([503, {count: 2, who: "ada"}])
  await turn()
  expect(recalled("full")).toBeUndefined()
  void ask("full", "/other")
  expect(recall("full", "/other")).toBeUndefined()
})

/** A request that the listener may answer by itself, and whether it does. */
const requests: readonly (readonly [line: string, head: string, isRecalled: boolean])[] = [
  ["GET PATH HTTP/1.1", "Authorization: Bearer full", true],
  ["GET PATH HTTP/1.1", "Authorization: bearer demo", true],
  ["HEAD PATH HTTP/1.1", "Authorization: Bearer full", true],
  ["GET PATH HTTP/1.0", "Authorization: Bearer full", true],
  ["GET PATH HTTP/1.1", "Authorization: Bearer full\r\nContent-Length: 2", true],
  ["GET PATH HTTP/1.1", "Authorization: Bearer full\r\nOrigin: https://console.example", false],
  ["GET PATH HTTP/1.1", "Authorization: Bearer full\r\nAuthorization: Bearer full", false],
  ["GET PATH HTTP/1.1", "Authorization: Bearer wrong", false],
  ["GET PATH HTTP/1.1", "Accept: */*", false],
  ["POST PATH HTTP/1.1", "Authorization: Bearer full\r\nContent-Length: 2", false],
  ["OPTIONS PATH HTTP/1.1", "Origin: https://console.example\r\nAccess-Control-Request-Method: GET", false],
]

test("what the listener recalls is what the application answers, and counts as much", async () => {
  const whole: Partial<Route> = {perTurn: true, handle: (_, call) => call.json(Seen, {count: 1, who: "ä"})}
  const path = "/bot/api/system/status"
  const {app, ask, log, requests: meter} = serving({...whole, path}, {...whole, path: "/slow"})
  const gate = createGate("/bot", startingStatus({title: "", labels: []}), log)
  gate.open(app, () => true, {upgrade: () => new Response()})
  let recalled = 0
  let made = 0
  const choose = (authorization: string | null) => {
    for (const token of ["full", "demo"]) void ask(token, path)
    made += 2
    const fixed = gate.fixed[path]
    const answer = typeof fixed === "function" ? fixed(authorization) : undefined
    if (answer !== undefined) recalled++
    return answer
  }
  const listener = await (await loadRuntime()).serve({
    host: "127.0.0.1",
    port: 0,
    ...gate,
    fixed: {[path]: choose},
    connections: 10,
  })
  const ids: string[] = []
  const seen = async (line: string, head: string, path: string) => {
    const body = head.includes("Length") ? "{}" : ""
    const text = await raw(
      {url: `http://127.0.0.1:${listener.port}`},
      `${line.replace("PATH", path)}\r\nHost: a\r\nConnection: close\r\n${head}\r\n\r\n${body}`,
    )
    ids.push(...[...text.matchAll(/x-request-id: (\S+)/gi)].map(([, id = ""]) => id))
    const [first, ...lines] = text.replaceAll(ids.at(-1) ?? "", "ID").split("\r\n")
    // A HEAD of the application has no length, and a problem's body has an id, whose length grows.
    const omitted = line.startsWith("HEAD") || text.includes("problem+json") ? /^(date|content-length):/i : /^date:/i
    return [first, ...lines.map(each => each.replace(/^[^:]+:/, name => name.toLowerCase())).sort()].filter(
      each => !omitted.test(each ?? ""),
    )
  }
  for (const [line, head, isRecalled] of requests) {
    const before = recalled
    expect(await seen(line, head, path), `${line} ${head}`).toEqual(await seen(line, head, "/slow"))
    expect(recalled - before, `${line} ${head}`).toBe(isRecalled ? 1 : 0)
  }
  await listener.close(true)
  expect(new Set(ids).size).toBe(ids.length)
  const [, fast, slow] = meter.routes
  expect(fast?.byClass[4]).toBe(slow?.byClass[4])
  expect(fast?.byClass[2]).toBe((slow?.byClass[2] ?? 0) + made)
  expect(fast?.latency.count).toBe((slow?.latency.count ?? 0) + made)
  gate.shut("", false)
  expect(choose("Bearer full")).toBeUndefined()
})

test("a problem names no path of the server above the project's folder, and other fields stay", async () => {
  const folder = '/srv/the "bot"'
  const detail = (text: string) =>
    problemAnswer(
      new Problem("state_unwritable", text),
      "1",
      {},
      hidingFolder(folder, json => json),
    ).json()
  expect(await detail(`EACCES: open '${folder}/.svc/x', of ${folder}/data\n`)).toMatchObject({
    detail: "EACCES: open '.svc/x', of data\n",
  })
  const file = JSON.stringify({file: "/srv/bot/data.sqlite", task: {problem: {detail: "in /srv/bot/.svc"}}})
  expect(JSON.parse(hidingFolder("/srv/bot", json => json)(file))).toEqual({
    file: "/srv/bot/data.sqlite",
    task: {problem: {detail: "in .svc"}},
  })
})
