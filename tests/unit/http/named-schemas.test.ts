import {readdirSync} from "node:fs"
import {expect, test} from "vitest"
import {createNamedSchemas} from "../../../server/http/openapi/named-schemas.ts"
import {Named, Type} from "../../../shared/type.ts"
import {root} from "../../support/host/runtimes.ts"

const ref = (name: string) => ({$ref: `#/components/schemas/${name}`})

test("a named schema appears once, and every use refers to it", () => {
  const {place, all} = createNamedSchemas()
  const Inner = Named("Inner", {n: Type.Integer()})
  const Outer = Named("Outer", {
    one: Inner,
    some: Type.Optional(Type.Array(Inner)),
    or: Type.Union([Inner, Type.Null()]),
  })
  expect(place(Outer, "full")).toEqual(ref("Outer"))
  expect(place(Type.Optional(Inner), "demo")).toEqual(ref("Inner"))
  expect(all()).toEqual({
    Inner: {type: "object", properties: {n: {type: "integer"}}, required: ["n"]},
    Outer: {
      type: "object",
      properties: {
        one: ref("Inner"),
        some: {type: "array", items: ref("Inner")},
        or: {anyOf: [ref("Inner"), {type: "null"}]},
      },
      required: ["one", "or"],
    },
  })
})

test("the full token's version of a schema has its own name, and so has every schema around it", () => {
  const {place, all} = createNamedSchemas()
  const Item = Named("Item", {id: Type.String(), text: Type.String({private: true})})
  const Open = Named("Open", {note: Type.Optional(Type.String({private: true}))})
  const Both = Named("Both", {item: Item, open: Open})
  expect([place(Both, "demo"), place(Both, "full")]).toEqual([ref("Both"), ref("BothFull")])
  expect(all()).toMatchObject({
    Item: {required: ["id"], properties: {text: {"x-private": true}}},
    ItemFull: {required: ["id", "text"], properties: {text: {"x-private": true}}},
    Both: {properties: {item: ref("Item"), open: ref("Open")}},
    BothFull: {properties: {item: ref("ItemFull"), open: ref("Open")}},
  })
  expect(Object.keys(all())).toEqual(["Both", "BothFull", "Item", "ItemFull", "Open"])
})

test("the second of two schemas with one name is inlined, and a title for people is no name", () => {
  const {place, all} = createNamedSchemas()
  const other = Type.Object({b: Type.String()}, {title: "Thing"})
  const titled = Type.Object({c: Type.String()}, {title: "A thing of the platform"})
  expect(place(Named("Thing", {a: Type.String()}), "full")).toEqual(ref("Thing"))
  expect(place(other, "full")).toEqual(other)
  expect(place(titled, "full")).toEqual(titled)
  expect(Object.keys(all())).toEqual(["Thing"])
})

test("properties, defaults and constants called title or private stay as they are", () => {
  const {place} = createNamedSchemas()
  const schema = Type.Object(
    {title: Type.String(), private: Type.Optional(Type.Boolean())},
    {default: {title: "Thing", private: true}},
  )
  expect(place(schema, "demo")).toEqual(schema)
})

test("a schema has the name of its constant", async () => {
  const names = readdirSync(`${root}shared/api`, {recursive: true, encoding: "utf8"})
  const files = names.filter(name => name.endsWith(".ts")).map(name => `${root}shared/api/${name}`)
  const named: string[] = []
  for (const file of [...files, `${root}shared/sdk/content/satori.ts`, `${root}shared/events/event-stream.ts`]) {
    for (const [name, value] of Object.entries<{title?: unknown} | undefined>(await import(file))) {
      if (typeof value !== "object" || typeof value?.title !== "string") continue
      expect(value.title).toBe(name)
      named.push(name)
    }
  }
  expect(named.length).toBeGreaterThan(50)
  expect(new Set(named).size).toBe(named.length)
})
