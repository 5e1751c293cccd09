import {expect, test} from "vitest"
import {fullAndDemo, startHost, type TestHost} from "../../support/host/host.ts"
import {documentOf} from "../../support/host/questions.ts"

const hidden = ["text", "label", "assignee", "conversation", "channel"]

/** Two routes for a demo token; one hides the values that it filters by. */
const lists = `import {definePlugin, Type} from "svc-runtime"
const list = {method: "GET", scope: "demo", summary: "A list", handle: (_, call) => call.json(Type.Object({}), call.query)}
export default definePlugin({setup(plugin) {
  plugin.route({...list, path: "/open", query: Type.Object({label: Type.Optional(Type.String())})})
  plugin.route({...list, path: "/hidden", query: Type.Object({label: Type.Optional(Type.String({private: true}))})})
}})`

const statusOf = async (host: TestHost, path: string, token: string) => {
  const headers = {authorization: `Bearer ${token}`}
  const answer = await host.fetch(path, {headers, signal: AbortSignal.timeout(30_000)})
  await answer.body?.cancel()
  return answer.status
}

test("no list of the API lets a demo token filter by hidden values", async () => {
  const host = await startHost({config: fullAndDemo.config(), env: fullAndDemo.env})
  const filters = Object.entries((await documentOf(host)).paths).flatMap(([path, {get}]) =>
    path.includes("{") || path.startsWith("/api/plugins/")
      ? []
      : (get?.parameters ?? []).filter(({name}) => hidden.includes(name)).map(({name}) => ({path, name})),
  )
  expect([...new Set(filters.map(({name}) => name))]).toEqual(expect.arrayContaining(["text", "label", "assignee"]))
  const {HTTP_TOKEN: full, DEMO_TOKEN: demo} = fullAndDemo.env
  for (const {path, name} of filters) {
    const asked = `${path}?${name}=user:one`
    expect({asked, demo: await statusOf(host, asked, demo)}).toEqual({asked, demo: 403})
    expect(await statusOf(host, asked, full), asked).not.toBe(403)
  }
})

test("a plugin's route refuses only those filters to a demo token that its schema marks private", async () => {
  const host = await startHost({config: fullAndDemo.config("lists"), env: fullAndDemo.env, plugins: {lists}})
  const {DEMO_TOKEN: demo} = fullAndDemo.env
  expect(await statusOf(host, "/api/plugins/lists/open?label=one", demo)).toBe(200)
  expect(await statusOf(host, "/api/plugins/lists/hidden?label=one", demo)).toBe(403)
  expect(await statusOf(host, "/api/plugins/lists/hidden", demo)).toBe(200)
})
