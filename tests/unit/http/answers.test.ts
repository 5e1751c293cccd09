import {setImmediate as turn} from "node:timers/promises"
import {expect, test} from "vitest"
import {hidingFolder, problemAnswer} from "../../../server/http/answers.ts"
import {createApp} from "../../../server/http/app.ts"
import {createDoor} from "../../../server/http/door.ts"
import {RequestMeter} from "../../../server/http/request-meter.ts"
import {createLogs} from "../../../server/logs/log.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Route} from "../../../shared/sdk/route.ts"
import {Secret} from "../../../shared/secret.ts"
import {Type} from "../../../shared/type.ts"

const serving = (route: Pick<Route, "handle" | "perTurn">) => {
  const door = createDoor({
    tokens: {token: new Secret("full"), demoToken: new Secret("demo")},
    settings: () => ({corsOrigins: [], trustedProxies: []}),
  })
  const {log} = createLogs({level: "error", format: "json", colors: false, write: () => {}})
  const requests = new RequestMeter()
  const {fetch} = createApp({
    routes: () => [{method: "GET", path: "/seen", scope: "demo", summary: "", response: {}, ...route}],
    door,
    log,
    requests,
    scrub: json => json,
  })
  return (token: string) =>
    fetch(new Request("http://host/seen", {headers: {authorization: `Bearer ${token}`}}), () => "")
}

test("an answer that awaits nothing is no promise", () => {
  expect(serving({handle: (_, call) => call.json(Type.Any(), {})})("full")).toBeInstanceOf(Response)
})

test("requests of one turn share the JSON of their scope, and those of the next see what changed meanwhile", async () => {
  const Seen = Type.Object({count: Type.Integer(), who: Type.String({private: true})})
  let count = 0
  const ask = serving({
    perTurn: true,
    handle: (_, call) => call.json(Seen, {count: ++count, who: "ada"}, {status: count > 3 ? 503 : 200}),
  })
  const asked = async (...tokens: string[]) => {
    const answers = await Promise.all(tokens.map(ask))
    const ids = new Set(answers.map(({headers}) => headers.get("x-request-id")))
    expect(ids.size).toBe(tokens.length)
    return Promise.all(answers.map(async answer => [answer.status, await answer.json()]))
  }
  const first = asked("full", "demo", "full", "demo")
  await turn()
  expect(await first).toEqual([
    [200, {count: 1, who: "ada"}],
    [200, {count: 2}],
    [200, {count: 1, who: "ada"}],
    [200, {count: 2}],
  ])
  expect(await asked("full")).toEqual([[200, {count: 3, who: "ada"}]])
  await turn()
  expect(await asked("full", "full", "wrong")).toMatchObject([
    [503, {count: 4}],
    [503, {count: 4}],
    [401, {code: "unauthorized"}],
  ])
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
