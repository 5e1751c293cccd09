import {readFileSync} from "node:fs"
import {Validator} from "@seriousme/openapi-schema-validator"
import {expect, test} from "vitest"
import {createOpenApi} from "../../../server/http/openapi/document.ts"
import type {Route} from "../../../shared/route.ts"
import {type TSchema, Type} from "../../../shared/type.ts"
import {root} from "../../support/host/runtimes.ts"

// The build makes this file.
const document = JSON.parse(readFileSync(`${root}dist/openapi.json`, "utf8"))

test("the API's description is valid OpenAPI 3.1", async () => {
  expect(await new Validator().validate(document)).toEqual({valid: true})
  expect(document.openapi).toMatch(/^3\.1\./)
})

test("every operation has its own id, a summary and an answer", () => {
  const operations = Object.values<Record<string, Record<string, unknown>>>(document.paths).flatMap(path =>
    Object.entries(path).flatMap(([method, operation]) => (method === "parameters" ? [] : [operation])),
  )
  expect(operations.length).toBeGreaterThan(15)
  const ids = operations.map(({operationId}) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const {summary, responses} of operations) {
    expect(summary).toMatch(/\w/)
    expect(Object.keys(responses as object).some(status => /^(2|101$)/.test(status))).toBe(true)
  }
})

/** Yields every object below a part of the document, with its path. */
function* objectsIn(part: unknown, at = ""): Generator<[string, Readonly<Record<string, unknown>>]> {
  if (typeof part !== "object" || part === null) return
  if (!Array.isArray(part)) yield [at, part as Readonly<Record<string, unknown>>]
  for (const [key, below] of Object.entries(part)) yield* objectsIn(below, `${at}/${key}`)
}

test("every reference leads to an existing part, and every part is used", () => {
  const {schemas, responses} = document.components
  const there = [
    ...Object.keys(schemas).map(name => `#/components/schemas/${name}`),
    ...Object.keys(responses).map(name => `#/components/responses/${name}`),
  ]
  const used = [...objectsIn(document)].flatMap(([, {$ref}]) => (typeof $ref === "string" ? [$ref] : []))
  expect([...new Set(used)].sort()).toEqual(there.sort())
})

test("no two schemas share a name, and each schema of more than four properties has one", () => {
  const isNamed = (at: string) => /^\/components\/schemas\/\w+$/.test(at)
  const unnamed = [...objectsIn(document)].filter(([at, {type}]) => type === "object" && !isNamed(at))
  // The second schema of a name would be inlined, with the name as its title.
  expect(unnamed.filter(([, {title}]) => title !== undefined)).toEqual([])
  expect(unnamed.filter(([, {properties}]) => Object.keys(properties ?? {}).length > 4).map(([at]) => at)).toEqual([])
  expect(unnamed.length).toBeGreaterThan(20)
})

const route: Route = {
  method: "GET",
  path: "/bot/api/inbox/:seq",
  permission: "demo",
  summary: "One",
  response: {200: {}},
  handle: () => new Response(),
}

test("ids and tags of operations are the same below a base", () => {
  expect(createOpenApi([route], "/bot", "1")).toMatchObject({
    paths: {"/bot/api/inbox/{seq}": {get: {operationId: "getApiInboxBySeq", tags: ["inbox"]}}},
    tags: [{name: "inbox"}],
  })
})

test("an operation names the permission that it needs", () => {
  const {paths} = createOpenApi([{...route, permission: "owner"}], "/bot", "1")
  expect(paths["/bot/api/inbox/{seq}"]).toMatchObject({get: {"x-permission": "owner", security: [{fullToken: []}]}})
})

test("private properties are promised only to the full token, not to a demo token", () => {
  const Item = Type.Object({seq: Type.Integer(), text: Type.String({private: true})})
  const required = (permission: Route["permission"]) => {
    const response = {200: Type.Object({items: Type.Array(Item)})}
    const document = createOpenApi([{...route, permission, response}], "/bot", "1")
    return JSON.stringify(document.paths).match(/"required":\["seq"[^\]]*\]/)?.[0]
  }
  expect(required("viewer")).toBe('"required":["seq","text"]')
  expect(required("demo")).toBe('"required":["seq"]')
})

test("a body is optional if none of its properties is required", () => {
  const asked = (body: TSchema) => createOpenApi([{...route, method: "POST", body}], "/bot", "1").paths
  const path = "/bot/api/inbox/{seq}"
  expect(asked(Type.Object({a: Type.String()}))[path]).toMatchObject({post: {requestBody: {required: true}}})
  expect(asked(Type.Object({a: Type.Optional(Type.String())}))[path]).toMatchObject({
    post: {requestBody: {required: false}},
  })
})
