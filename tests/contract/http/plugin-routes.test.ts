import {describe, expect, test} from "vitest"
import {bunAnd, fullAndDemo, pluginWith, startHost, type TestHost} from "../../support/host/host.ts"

const notes = pluginWith(`
    const Note = Type.Object({id: Type.Integer(), text: Type.String(), owner: Type.Optional(Type.String({private: true}))})
    const common = {method: "POST", scope: "demo", summary: "a route"} as const
    plugin.route({...common, path: "/add/:by", body: Note, status: 201, response: Note,
      query: Type.Object({plus: Type.Integer({default: 1}), loud: Type.Optional(Type.Boolean())}),
      handle: (_, {body, query, params}) =>
        ({id: body.id + query.plus, text: query.loud ? body.text.toUpperCase() : body.text, owner: params.by ?? ""}),
    })
    plugin.route({...common, path: "/wrong", response: Note, handle: () => ({id: "the secret text"}) as any})
    plugin.route({...common, path: "/nothing", response: Note, handle: async () => undefined as any})
    plugin.route({...common, path: "/bare", handle: () => ({id: 1}) as any})
    plugin.route({...common, path: "/alike", response: Type.Object({status: Type.Integer(), headers: Type.Integer()}),
      handle: async () => ({status: 7, headers: 8})})
    plugin.route({...common, path: "/own", handle: () => new Response("<p>", {headers: {"cache-control": "max-age=9"}})})
    plugin.route({...common, path: "/moved", handle: () => Response.redirect("https://example.org/")})
    plugin.route({...common, path: "/whole", response: Note, handle: () => new Response("whole", {status: 202})})`)

const {HTTP_TOKEN: full, DEMO_TOKEN: demo} = fullAndDemo.env

const ask = async (host: TestHost, path: string, body?: unknown, token: string = full) => {
  const answer = await host.fetch(`/api/plugins/notes${path}`, {
    method: "POST",
    headers: {authorization: `Bearer ${token}`, "content-type": "application/json"},
    ...(body === undefined ? {} : {body: JSON.stringify(body)}),
  })
  return {status: answer.status, text: await answer.text()}
}

describe("a plugin's route", () => {
  test("receives values that match its schemas, and answers with one that does", async () => {
    const host = await startHost({config: fullAndDemo.config("notes"), env: fullAndDemo.env, plugins: {notes}})
    const note = {id: 1, text: "milk"}
    const asked = async (path: string, body: unknown, token?: string) => {
      const {status, text} = await ask(host, path, body, token)
      return {status, ...(JSON.parse(text) as object)}
    }
    expect(await asked("/add/ada", note)).toEqual({status: 201, id: 2, text: "milk", owner: "ada"})
    expect(await asked("/add/ada?plus=5&loud=true", note, demo)).toEqual({status: 201, id: 6, text: "MILK"})
    const refused = (detail: string) => ({status: 400, detail: expect.stringContaining(detail)})
    expect(await asked("/add/ada", {id: "1"})).toMatchObject(refused("text: is missing"))
    expect(await asked("/add/ada?plus=many", note)).toMatchObject(refused("plus: expected an integer"))
    expect(await ask(host, "/whole")).toEqual({status: 202, text: "whole"})
    expect(await ask(host, "/alike")).toEqual({status: 200, text: '{"status":7,"headers":8}'})

    for (const path of ["/wrong", "/nothing", "/bare"]) {
      const {status, text} = await ask(host, path)
      expect({path, status}).toEqual({path, status: 500})
      expect(text).not.toMatch(/secret|schema|expected/)
    }
    const {items} = await host.get("/api/logs")
    const failures = items.map(({message}) => message).filter(message => message.includes("failed:"))
    expect(failures.join("\n")).not.toContain("secret")
    expect(failures).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^POST \/api\/plugins\/notes\/wrong failed: .*\bschema: text: is missing$/),
        expect.stringMatching(/^POST \/api\/plugins\/notes\/nothing failed: .*\bnothing$/),
        expect.stringMatching(/^POST \/api\/plugins\/notes\/bare failed: .*\bno Response, .*\bschema$/),
      ]),
    )
  })

  test.each(bunAnd("node24"))("gets the headers of the API on its own responses on $name", async runtime => {
    const host = await startHost({config: fullAndDemo.config("notes"), env: fullAndDemo.env, plugins: {notes}, runtime})
    const init = {method: "POST", headers: {authorization: `Bearer ${full}`}, redirect: "manual"} as const
    for (const [path, cache] of Object.entries({own: "max-age=9", moved: "no-store"})) {
      const headers = Object.fromEntries((await host.fetch(`/api/plugins/notes/${path}`, init)).headers)
      const id = expect.stringMatching(/^\w+-\w+$/)
      const common = {"cache-control": cache, "x-content-type-options": "nosniff", "x-request-id": id, vary: "Origin"}
      expect(headers).toMatchObject(common)
      expect(headers["content-type"]).not.toBe("application/json")
    }
    const {paths} = (await host.get("/api/openapi.json")) as {readonly paths: Readonly<Record<string, object>>}
    expect(paths["/api/plugins/notes/own"]).toMatchObject({post: {responses: {200: {content: {"*/*": {}}}}}})
    const parameters = ["by", "plus", "loud"].map(name => ({name, required: name === "by"}))
    expect(paths["/api/plugins/notes/add/{by}"]).toMatchObject({post: {parameters}})
  })

  test("does not have its answers checked in production", async () => {
    const config = fullAndDemo.config("notes")
    const args = ["--mode", "production"]
    const host = await startHost({config, env: fullAndDemo.env, plugins: {notes}, args})
    expect(await ask(host, "/wrong")).toEqual({status: 200, text: '{"id":"the secret text"}'})
    expect((await ask(host, "/nothing")).status).toBe(500)
  })
})
